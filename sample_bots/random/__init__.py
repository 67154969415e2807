"""The sample bot `random`; its program is bot.py."""
