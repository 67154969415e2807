"""The check of a bot: every decision of every rules played once, judged, and reported."""
