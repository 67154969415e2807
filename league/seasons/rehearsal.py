"""A rehearsal: the whole season on the real queue with the samples, then removed without a trace.

Nothing is rated; what is left is what it found, and in the audit log who started and stopped it.
"""

import secrets
import threading
from dataclasses import asdict

import structlog
from sqlmodel import Session

import store
from league import matches, schedule
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed
from league.given import whole_bound
from league.seasons import rehearsal_report
from league.seasons.life import REHEARSAL
from league.seasons.plan import BOTS, SeasonWords
from league.seasons.rows import meetings_of
from store import (
    MatchKind,
    Season,
    SeasonState,
    Store,
)

LOG = structlog.get_logger("league")
BEFORE_PLAY = (SeasonState.DRAFT, SeasonState.OPEN, SeasonState.FROZEN)
"""Later a rehearsal would take the workers from the season itself."""
MOST_BOTS = 32
"""Strangers beyond those who entered: a schedule grows with the square of its bots."""


def begin_rehearsal(
    session: Session,
    season: Season,
    actor: Actor,
    *,
    bots: int | None = None,
    boards: int | None = None,
    reported: bool = False,
) -> Season:
    """Make and start the rehearsal of a season: as many entrants as it has, all of them samples.

    `boards`: shorter matches than the season's, for a first look that does not take as long.
    `reported`: no command waits for its end, so the clock examines it and keeps what it found.
    """
    if bots is not None:
        BOTS.check("bots", bots)
    if boards is not None:
        whole_bound(SeasonWords, "boards").check("boards", boards)
    # Under its lock: of two that come together the second finds the first, and a draft cannot be
    # changed or deleted until its rehearsal is there.
    season = store.locked(session, Season, season.id)
    if season.state not in BEFORE_PLAY:
        raise LeagueRefusal(
            f"season {season.name!r} is {season.state}; a rehearsal comes before the start"
        )
    if reported and leftover_rehearsals(session, season.id):
        raise LeagueRefusal(f"a rehearsal of {season.name!r} is already running; stop it, or wait")
    count = _strangers(session, season, bots)
    samples = [
        version.id
        for bot, version in store.bots.playable(session, season.rules)
        if bot.is_anchor and version.program is not None
    ]
    if not samples:
        raise LeagueRefusal(f"no sample plays {season.rules}; a rehearsal needs at least one")
    made = _copy(season, boards or season.boards, reported=reported)
    store.seasons.add_season(session, made)
    store.matches.plan(session, _matches(made, count, samples))
    for state in (SeasonState.OPEN, SeasonState.FROZEN, SeasonState.RUNNING):
        store.seasons.set_state(session, made.id, state)
    store.audit.record(
        session, Action.SEASON_REHEARSE, "season", season.id, actor=actor, detail={"bots": count}
    )
    return made


def _strangers(session: Session, season: Season, asked: int | None) -> int:
    """How many bots take part: as many as asked for, else as many as are entered."""
    entered = len(store.seasons.entries(session, season.id, only_entered=True))
    count = max(2, asked or entered or season.table_size)
    most = max(MOST_BOTS, entered)
    if count > most:
        raise Malformed(f"got a rehearsal with {count} bots, expected at most {most}")
    return count


def _copy(season: Season, boards: int, *, reported: bool) -> Season:
    """The season that is played in its place."""
    whole = matches.whole_laps(boards, season.table_size, season.passes)
    return Season(
        name=f"{REHEARSAL}{season.name[:30]}-{secrets.token_hex(4)}",
        title=f"Rehearsal of {season.title}",
        rules=season.rules,
        options=season.options,
        table_size=season.table_size,
        boards=min(season.boards, whole),
        passes=season.passes,
        time=season.time,
        in_flight=season.in_flight,
        max_faults=season.max_faults,
        budget={"meetings": meetings_of(season)},
        rehearsal_of_id=season.id,
        reported=reported,
    )


def _matches(season: Season, count: int, samples: list[int]) -> list[store.NewMatch]:
    """The real schedule for `count` strangers, with samples in their seats."""
    entrants = [schedule.Entrant(bot=str(one), owner=str(one)) for one in range(count)]
    planned = schedule.make_schedule(
        entrants,
        season.table_size,
        meetings=meetings_of(season),
        anchors=[f"filler {one}" for one in range(season.table_size)],
        seed=season.id,
    )
    return [
        matches.new_match(
            season,
            MatchKind.REHEARSAL,
            (samples[(place + table.number) % len(samples)] for place in range(len(table.seats))),
            season_id=season.id,
            round_no=table.round_no,
            rated=False,
            in_flight=season.in_flight,
            max_faults=season.max_faults,
        )
        for table in planned.tables
    ]


def rehearsal_is_over(session: Session, rehearsal_id: int) -> bool:
    """Whether nothing is left to play."""
    return store.seasons.progress(session, rehearsal_id).open == 0


def stop_rehearsal(database: Store, season_id: int, actor: Actor) -> None:
    """Remove the running rehearsals of a season; nothing to do where there are none."""
    with database.read() as session:
        on = leftover_rehearsals(session, season_id)
    for one in on:
        remove_rehearsal(database, one.id)
        with database.write() as session:
            store.audit.record(
                session, Action.SEASON_REHEARSE_STOP, "season", season_id, actor=actor
            )


def remove_rehearsal(database: Store, rehearsal_id: int) -> int:
    """Delete a rehearsal with its matches and files; returns how many matches it had."""
    with database.write() as session:
        season = store.locked(session, Season, rehearsal_id)
        if not season.is_rehearsal:
            raise LeagueRefusal(f"season {season.name!r} is not a rehearsal; it stays")
        store.matches.cancel_open(session, rehearsal_id, "the rehearsal is over")
        files = store.results.blobs_of_season(session, rehearsal_id)
        count = store.seasons.remove(session, rehearsal_id)
        left = files - store.results.known_blobs(session)
    for sha256 in left:
        database.blobs.path(sha256).unlink(missing_ok=True)
    return count


def conclude_rehearsals(database: Store, stopping: threading.Event | None = None) -> list[int]:
    """Examine and remove finished rehearsals that no command waits for; returns their seasons.

    What was found is kept with the season until its next rehearsal. Takes as long as playing all
    the games again; `stopping` breaks it off.
    """
    with database.read() as session:
        over = [
            one
            for one in leftover_rehearsals(session)
            if one.reported and rehearsal_is_over(session, one.id)
        ]
    concluded = []
    for one in over:
        try:
            concluded.append(_conclude(database, one, stopping))
        except rehearsal_report.BrokenOff:
            break
        except Exception:
            # The others are not to wait for this one; it is tried again.
            LOG.exception("a rehearsal cannot be concluded", season=one.name)
    return concluded


def _conclude(database: Store, one: Season, stopping: threading.Event | None) -> int:
    found = rehearsal_report.examine_rehearsal(database, one.id, stopping)
    season_id = one.rehearsal_of_id
    assert season_id is not None
    with database.write() as session:
        season = store.locked(session, Season, season_id)
        # It may have been removed meanwhile, and then missing files mean nothing.
        store.locked(session, Season, one.id)
        at = store.utc_now().isoformat()
        season.rehearsed = {**asdict(found), "good": found.good, "at": at}
    remove_rehearsal(database, one.id)
    return season_id


def last_rehearsal_report(session: Session, season_id: int) -> store.JsonDict | None:
    """What the last rehearsal of a season found: `Findings`, whether it is `good`, and `at`."""
    return store.seasons.season(session, season_id).rehearsed


def leftover_rehearsals(session: Session, season_id: int | None = None) -> list[Season]:
    """Rehearsals that were never removed (of one season): their command was interrupted."""
    return store.seasons.rehearsals(session, season_id)
