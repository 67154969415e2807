"""The steps of a ladder: one table for the pages, the API and the command line.

What each of them does is in `life`; it begins with `begin`. A ladder is opened by its plan.
"""

from sqlmodel import Session

import store
from league import ladder as ladders
from league import steps
from league.audit import Actor
from league.errors import LeagueRefusal
from league.steps import Step
from store import Ladder, LadderState

# The functions are found through the room's face when a step is taken: they begin here themselves.
LADDER_STEPS: tuple[Step[Ladder], ...] = (
    Step(
        name="pause",
        done="paused",
        button="Pause",
        words="No new matches for now. What is on its way is still played and counts.",
        at=(LadderState.OPEN,),
        to=LadderState.PAUSED,
        take=lambda session, number, actor: ladders.pause(session, number, actor),
        forward=False,
    ),
    Step(
        name="resume",
        done="resumed",
        button="Resume",
        words="Matches are made again, with the settings below.",
        at=(LadderState.PAUSED, LadderState.CLOSED),
        to=LadderState.OPEN,
        take=lambda session, number, actor: ladders.resume(session, number, actor),
    ),
    Step(
        name="close",
        done="closed",
        button="Close",
        words="No more matches; what is on its way is still played. The table stays.",
        at=(LadderState.OPEN, LadderState.PAUSED),
        to=LadderState.CLOSED,
        take=lambda session, number, actor: ladders.close(session, number, actor),
        forward=False,
    ),
)


def begin(session: Session, name: str, ladder_id: int, actor: Actor) -> tuple[Ladder, LadderState]:
    """A ladder that a step can be taken with, locked, and the state that the step leads to.

    LeagueRefusal says what is in the way.
    """
    step = steps.named(LADDER_STEPS, name)
    steps.check_may(step, actor)
    ladder = store.locked(session, Ladder, ladder_id)
    steps.check(LADDER_STEPS, step, f"ladder {ladder_id}", ladder.state)
    if why := step.missing(session, ladder):
        raise LeagueRefusal(why)
    return ladder, LadderState(step.to)
