"""The steps of a season: one table for the clock, the pages, the API and the command line."""

from sqlmodel import Session

from league.seasons import freeze, life
from league.steps import Step
from store import Owner, Season, SeasonState


def _end_early(session: Session, season_id: int, actor: Owner) -> Season:
    return life.finish(session, season_id, actor, early=True)


SEASON_STEPS: tuple[Step[Season], ...] = (
    Step(
        name="open",
        button="Open entries",
        words="Everybody sees the season, and authors can enter their bots.",
        at=(SeasonState.DRAFT,),
        take=life.open_entries,
    ),
    Step(
        name="freeze",
        button="Freeze",
        words="Pins every entry to its version, plans all matches and commits to their keys. "
        "Entries cannot be changed afterwards.",
        at=(SeasonState.OPEN,),
        take=freeze.freeze_season,
        asks=True,
    ),
    Step(
        name="call-off",
        button="Call off",
        words="Ends the season before anything is planned. Nothing is played; its page stays.",
        at=(SeasonState.OPEN,),
        take=life.call_off,
        asks=True,
        forward=False,
    ),
    Step(
        name="start",
        button="Start",
        words="Workers begin to play.",
        at=(SeasonState.FROZEN,),
        take=life.start,
        asks=True,
    ),
    Step(
        name="pause",
        button="Pause",
        words="What is being played ends and counts; the rest waits.",
        at=(SeasonState.RUNNING,),
        take=life.pause,
        forward=False,
    ),
    Step(
        name="resume",
        button="Resume",
        words="Workers go on with what is left.",
        at=(SeasonState.PAUSED,),
        take=life.resume,
    ),
    Step(
        name="finish",
        button="Finish",
        words="The standings become final. It happens by itself when nothing is left to play and "
        "no match is stuck.",
        at=(SeasonState.FROZEN, SeasonState.RUNNING, SeasonState.PAUSED),
        take=life.finish,
        early=_end_early,
        forward=False,
    ),
    Step(
        name="finish-without",
        button="Finish without the stuck matches",
        words="The standings become final without them. You can still play them again until the "
        "season is archived.",
        at=(SeasonState.RUNNING, SeasonState.PAUSED),
        take=life.finish_without,
        asks=True,
        forward=False,
    ),
    Step(
        name="archive",
        button="Archive",
        words="Keeps the season for reading only; stuck matches can no longer be made up for.",
        at=(SeasonState.FINISHED,),
        take=life.archive,
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

DATE_OF = {
    SeasonState.DRAFT: "opens_at",
    SeasonState.OPEN: "freezes_at",
    SeasonState.FROZEN: "starts_at",
    SeasonState.RUNNING: "ends_at",
    SeasonState.PAUSED: "ends_at",
}
"""The date of the next step that a season in this state can take by itself."""


def dates_left(state: SeasonState) -> tuple[str, ...]:
    """The dates that can still come to anything."""
    first = DATE_OF.get(state)
    names = tuple(life.DATES)
    return () if first is None else names[names.index(first) :]


def past(state: SeasonState) -> list[tuple[SeasonState, str]]:
    """The life of a season as a row of steps: what is past, now, and to come."""
    now = SeasonState.RUNNING if state is SeasonState.PAUSED else state
    at = LIFE.index(now)
    return [
        (state if number == at else one, "past" if number < at else "now" if number == at else "")
        for number, one in enumerate(LIFE)
    ]
