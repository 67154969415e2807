"""Generated from proto/wire/v1/bot.proto by `python -m wire.generate`; never edited by hand."""
