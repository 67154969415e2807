"""The `bullring` command, for authors, organisers and operators."""

__version__ = "0.1.0"
