"""What the league refuses, as one tree:

    LeagueRefusal        a step that cannot be taken in the present state
    ├── Malformed        what was given is never valid, whatever the state
    ├── NotAllowed       this account or token may not do it
    ├── NotThere         what was named does not exist, or is hidden from this viewer
    └── TooOften         a limit over time is reached; says when to try again

Pages, API and command line show the message. Which status each has by HTTP is in
`dashboard.http.problems`. An error of the store is a `store.StoreError`, a match that failed a
`VoidMatch`.
"""


class LeagueRefusal(Exception):
    """A step that cannot be taken now; the message says why and what to do."""


class Malformed(LeagueRefusal):
    """Input that does not fit; the message says what was given and what was expected."""


class NotAllowed(LeagueRefusal):
    """Something that this account or token may not do."""


class NotThere(LeagueRefusal):
    """Something that was named and cannot be found."""


class TooOften(LeagueRefusal):
    """One more than a limit allows; try again after `retry_after` seconds."""

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
