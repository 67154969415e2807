"""The sample bot `lowest`; its program is bot.py."""
