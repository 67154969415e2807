"""Bots as programs: those of the platform, those named on a command line, those in containers.

Their rows are the store's, what their authors do with them is `league.authors`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.bots.containers import find_contained
    from league.bots.files import CONTRACT, SAMPLES
    from league.bots.fingerprint import bot_fingerprint
    from league.bots.house import HOUSE, ensure_house, program_of
    from league.bots.named import (
        LocalBot,
        UnknownBot,
        distinct_names,
        find_bot,
        is_command,
        sample_names,
        sample_rules,
    )
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
