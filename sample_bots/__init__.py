"""Sample bots, easy to strong: one folder a bot, each a program of its own (`bot.py`)."""
