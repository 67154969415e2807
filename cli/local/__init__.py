"""Commands that need no league: play, check, gate, new, simulate, replay."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.local.match_options import BankMsOption, DuplicateOption, MoveMsOption
    from cli.local.pace import LogLines, span
    from cli.local.replay import replay_app
    from cli.local.replay_files import UnreadableReplay, find, is_notes, read
    from cli.local.tell import printable
    from cli.local.write import check_target
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
