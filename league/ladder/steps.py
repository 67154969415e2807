"""The steps of a ladder: one table for the pages, the API and the command line."""

from league.ladder import life
from league.steps import Step
from store import Ladder, LadderState

LADDER_STEPS: tuple[Step[Ladder], ...] = (
    Step(
        name="pause",
        button="Pause",
        words="No new matches for now. What is on its way is still played and counts.",
        at=(LadderState.OPEN,),
        take=life.pause,
        forward=False,
    ),
    Step(
        name="resume",
        button="Resume",
        words="Matches are made again, with the settings below.",
        at=(LadderState.PAUSED, LadderState.CLOSED),
        take=life.resume,
    ),
    Step(
        name="close",
        button="Close",
        words="No more matches; what is on its way is still played. The table stays.",
        at=(LadderState.OPEN, LadderState.PAUSED),
        take=life.close,
        forward=False,
    ),
)
