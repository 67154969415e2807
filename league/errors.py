"""What the league refuses, as one tree:

    LeagueRefusal    a step that cannot be taken now; pages, API and command line show its message

What goes wrong with the store is a `store.StoreError`, with a match a `VoidMatch`.
"""


class LeagueRefusal(Exception):
    """A step that cannot be taken now; the message says why and what to do."""
