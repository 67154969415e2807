"""`bullring season`: create, edit, run, read, archive."""
