"""A league somewhere else, reached by its API: who we are there, what we ask, what we send."""
