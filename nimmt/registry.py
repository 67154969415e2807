"""The rules by name. A new game is known the moment it stands in this list."""

from nimmt.eleven import ElevenNimmt
from nimmt.errors import RulesError, shorten
from nimmt.game import Options, Rules
from nimmt.six import SixNimmt
from nimmt.x import XNimmt

GAMES: dict[str, type[Rules]] = {game.name: game for game in (SixNimmt, ElevenNimmt, XNimmt)}


def get(name: str, options: Options | None = None) -> Rules:
    """The rules of this name with these options; RulesError says what is wrong with either."""
    if name not in GAMES:
        raise RulesError(f"there are no rules {shorten(name)}; known are {', '.join(GAMES)}")
    return GAMES[name](options or {})
