"""Commands of an author: they talk to a league somewhere else through its API."""
