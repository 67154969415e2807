"""What is missing for something to work, in words for the person who can fix it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Something without which a submission will not be checked, for the submit page."""

    what: str
    """`Docker`, `a worker`: a short name."""
    why: str
    """What was looked for and not found."""
    fix: str
    """What the organiser has to do."""
