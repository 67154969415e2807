"""Who acts, for the audit log."""

from store import Owner

Actor = Owner | str
"""Who does it: an account, or the name of a part of the league."""
LEAGUE = "league"
"""Steps that dates bring about by themselves."""
