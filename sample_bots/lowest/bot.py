"""Plays its lowest card and takes the cheapest row: what `Bot` does when nothing is overridden."""

from botkit import Bot, run


class LowestBot(Bot):
    """The five-line bot. Every decision has a default; this one keeps them all."""


if __name__ == "__main__":
    run(LowestBot)
