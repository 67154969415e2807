"""`import bullring`: the arena in a notebook or a script. The command `bullring` is in `cli/`.

The file `bullring` beside this one starts the command line of a checkout; Python never imports it.
"""

from arena import Arena, Comparison, InlineReplay, compare, play

__all__ = ["Arena", "Comparison", "InlineReplay", "compare", "play"]
