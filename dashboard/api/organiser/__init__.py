"""The API for organisers: routes named like the commands of `bullring season` and `ladder`."""
