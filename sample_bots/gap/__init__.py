"""The sample bot `gap`; its program is bot.py."""
