"""The steps of a season: one table for the clock, the pages, the API and the command line.

What each of them does is in `life` and `freeze`; both begin with `begin`.
"""

from dataclasses import dataclass

from sqlmodel import Session

import store
from league import seasons, steps
from league.audit import Actor
from league.errors import LeagueRefusal
from league.steps import Step
from store import Season, SeasonState

# The functions are found through the room's face when a step is taken: they begin here themselves.
SEASON_STEPS: tuple[Step[Season], ...] = (
    Step(
        name="open",
        done="opened",
        button="Open entries",
        words="The season becomes public, and authors can enter their bots.",
        at=(SeasonState.DRAFT,),
        to=SeasonState.OPEN,
        take=lambda session, number, actor: seasons.open_entries(session, number, actor),
        date="opens_at",
        event="the opening",
        due=(SeasonState.DRAFT,),
    ),
    Step(
        name="freeze",
        done="frozen",
        button="Freeze",
        words="Pins every entry to its version, plans all matches and commits to their keys. "
        "Entries cannot be changed afterwards.",
        at=(SeasonState.OPEN,),
        to=SeasonState.FROZEN,
        take=lambda session, number, actor: seasons.freeze_season(session, number, actor),
        missing=lambda session, season: seasons.missing_entries(session, season),
        date="freezes_at",
        event="the freeze",
        due=(SeasonState.OPEN,),
        asks=True,
    ),
    Step(
        name="call-off",
        done="called off",
        button="Call off",
        words="Ends the season before anything is planned. Nothing is played; its page stays.",
        at=(SeasonState.OPEN,),
        to=SeasonState.FINISHED,
        take=lambda session, number, actor: seasons.call_off(session, number, actor),
        asks=True,
        instead={SeasonState.DRAFT: "delete it"},
        forward=False,
    ),
    Step(
        name="start",
        done="started",
        button="Start",
        words="Workers begin to play.",
        at=(SeasonState.FROZEN,),
        to=SeasonState.RUNNING,
        take=lambda session, number, actor: seasons.start(session, number, actor),
        missing=lambda session, season: seasons.end_has_passed(session, season),
        date="starts_at",
        event="the start",
        due=(SeasonState.FROZEN,),
        asks=True,
    ),
    Step(
        name="pause",
        done="paused",
        button="Pause",
        words="What is being played ends and counts; the rest waits.",
        at=(SeasonState.RUNNING,),
        to=SeasonState.PAUSED,
        take=lambda session, number, actor: seasons.pause(session, number, actor),
        forward=False,
    ),
    Step(
        name="resume",
        done="resumed",
        button="Resume",
        words="Workers go on with what is left.",
        at=(SeasonState.PAUSED,),
        to=SeasonState.RUNNING,
        take=lambda session, number, actor: seasons.resume(session, number, actor),
        missing=lambda session, season: seasons.end_has_passed(session, season),
    ),
    Step(
        name="finish",
        done="finished",
        button="Finish",
        words="The standings become final. It happens by itself when nothing is left to play and "
        "no match is stuck.",
        at=(SeasonState.FROZEN, SeasonState.RUNNING, SeasonState.PAUSED),
        to=SeasonState.FINISHED,
        take=lambda session, number, actor: seasons.finish(session, number, actor),
        early=lambda session, number, actor: seasons.finish(session, number, actor, early=True),
        instead={SeasonState.DRAFT: "delete it"},
        missing=lambda session, season: seasons.undecided(session, season),
        date="ends_at",
        event="the end",
        # A season that was paused ends when it goes on, or by hand.
        due=(SeasonState.RUNNING,),
        forward=False,
    ),
    Step(
        name="finish-without",
        done="finished",
        button="Finish without the stuck matches",
        words="The standings become final without them. You can still play them again until the "
        "season is archived.",
        at=(SeasonState.RUNNING, SeasonState.PAUSED),
        to=SeasonState.FINISHED,
        take=lambda session, number, actor: seasons.finish_without(session, number, actor),
        missing=lambda session, season: seasons.nothing_stuck(session, season),
        asks=True,
        forward=False,
    ),
    Step(
        name="archive",
        done="archived",
        button="Archive",
        words="Keeps the season for reading only; stuck matches can no longer be made up for.",
        at=(SeasonState.FINISHED,),
        to=SeasonState.ARCHIVED,
        take=lambda session, number, actor: seasons.archive(session, number, actor),
        missing=lambda session, season: seasons.being_made_up_for(session, season),
        asks=True,
        forward=False,
    ),
)
LIFE = (
    SeasonState.DRAFT,
    SeasonState.OPEN,
    SeasonState.FROZEN,
    SeasonState.RUNNING,
    SeasonState.FINISHED,
    SeasonState.ARCHIVED,
)
"""The states in their order; a paused season stands where a running one does."""


def begin(
    session: Session, name: str, season_id: int, actor: Actor, *, early: bool = False
) -> Season:
    """Take a season to the state that a step leads to; LeagueRefusal says what is in the way.

    Locks the season: its matches come after it, in every step. `early` waits for nothing.
    """
    step = steps.named(SEASON_STEPS, name)
    steps.check_may(step, actor)
    season = store.locked(session, Season, season_id)
    steps.check(SEASON_STEPS, step, f"season {season.name!r}", season.state)
    if not early and (why := step.missing(session, season)):
        raise LeagueRefusal(why)
    return store.seasons.set_state(session, season_id, SeasonState(step.to))


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """What comes next in the life of a season."""

    step: Step[Season]
    missing: str
    """What it still waits for; empty: it can be taken."""


def next_step(session: Session, season: Season) -> Next | None:
    """The step that comes next, and what it waits for; None: it goes on, or is over, by itself."""
    found = steps.offered(SEASON_STEPS, season.state)
    step = next((step for step in found if step.forward or season.state.is_final), None)
    return None if step is None else Next(step=step, missing=step.missing(session, season))


def dates_left(state: SeasonState) -> tuple[str, ...]:
    """The dates that can still have an effect."""
    at = _place(state)
    return tuple(
        step.date for step in SEASON_STEPS if step.date and max(map(_place, step.due)) >= at
    )


def past(state: SeasonState) -> list[tuple[SeasonState, str]]:
    """The life of a season as a row of steps: what is past, now, and to come."""
    at = _place(state)
    return [
        (state if number == at else one, "past" if number < at else "now" if number == at else "")
        for number, one in enumerate(LIFE)
    ]


def _place(state: object) -> int:
    now = SeasonState(str(state))
    return LIFE.index(SeasonState.RUNNING if now is SeasonState.PAUSED else now)
