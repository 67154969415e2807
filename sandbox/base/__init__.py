"""The base image for Python bots: botkit, compiled, on a small Debian."""
