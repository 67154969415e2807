"""Playing at home, without database, broker or pages: a match, a gate, a look at the machine."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.local.doctor import examine_machine
    from league.local.gate import GateProgress, HomeGate, run_gate
    from league.local.match import UNFIT_TRIES, LocalMatch, play_local
    from league.local.tournament.formats import BUDGET, GAIN, MEETINGS, Format
    from league.local.tournament.outcome import (
        CRASHES,
        crashed,
        judge,
        outcome_to_json,
        rows_to_json,
        standings,
        verdict_words,
    )
    from league.local.tournament.plan import Contestant, Tournament
    from league.local.tournament.results_file import (
        PlayedMatch,
        ResultsFile,
        ResultsFileError,
        differences,
        misfit,
    )
    from league.local.tournament.run import (
        Faulted,
        GameEnded,
        MatchEnded,
        Moved,
        News,
        run_tournament,
    )
    from league.local.trial import quick_samples, time_a_match
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
