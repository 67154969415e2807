"""Schema changes in order, run by `store.migrate`."""
