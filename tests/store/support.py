"""Small makers of rows and outcomes for the tests of the store."""

import json
from typing import Any

from sqlmodel import Session

from store import (
    Attempt,
    Blob,
    BlockGame,
    BlockResult,
    FaultRecord,
    Finish,
    GameResult,
    Match,
    MatchKind,
    MatchOutcome,
    NewMatch,
    Season,
    SeatStats,
    Store,
    accounts,
    attempts,
    bots,
    matches,
    present,
    seasons,
)

OPTIONS: dict[str, object] = {"rounds": 1, "advanced": False, "opening_picks": 0}


def add_versions(session: Session, count: int = 4, handle: str = "ada") -> list[int]:
    """One owner with `count` bots, an accepted version each; returns the versions' ids."""
    owner = accounts.add_owner(session, handle)
    found = []
    for number in range(count):
        bot = bots.add_bot(session, owner.id, f"bot-{number}", ["six-nimmt"])
        version = bots.add_version(session, bot.id, program=["true"], fingerprint=f"f{number}")
        bots.accept_version(session, version.id)
        found.append(version.id)
    return found


def add_season(session: Session, name: str = "autumn") -> Season:
    """A season in draft."""
    return seasons.add_season(
        session,
        Season(name=name, rules="six-nimmt", options=OPTIONS, table_size=4, boards=4),
    )


def new_match(versions: list[int], number: int = 0, **changes: Any) -> NewMatch:
    """A season match with a key of its own."""
    values: dict[str, Any] = {
        "kind": MatchKind.SEASON,
        "rules": "six-nimmt",
        "options": OPTIONS,
        "versions": tuple(versions),
        "boards": 4,
        "key": number.to_bytes(32, "big"),
    }
    return NewMatch(**(values | changes))


def queued_matches(store: Store, count: int = 1, **changes: object) -> list[int]:
    """Matches that wait for a worker."""
    with store.write() as session:
        versions = add_versions(session)
        ids = matches.plan(session, [new_match(versions, n, **changes) for n in range(count)])
        matches.publish(session, ids)
    return ids


def outcome(games: int = 4, seats: int = 4, replay: Blob | None = None) -> MatchOutcome:
    """A result as the league would deliver it: seat 0 of the table wins every game."""
    order = tuple(range(seats))
    points = tuple(10 * seat for seat in order)
    places = tuple(seat + 1 for seat in order)
    return MatchOutcome(
        games=tuple(
            GameResult(
                pass_no=0,
                game_no=number,
                board=number,
                seats=order[number % seats :] + order[: number % seats],
                points=points,
                places=places,
            )
            for number in range(games)
        ),
        blocks=(BlockResult(number=0, games=(BlockGame(places=places, points=points),) * games),),
        seats=tuple(
            SeatStats(
                seat=seat,
                games=games,
                rounds=games,
                points=points[seat] * games,
                places=places[seat] * games,
                wins=games if seat == 0 else 0,
                decisions=10 * games,
                think_ms=1.5 * games,
            )
            for seat in order
        ),
        faults=(FaultRecord(seat=1, kind="timeout", cause="too slow", game_no=2, pass_no=0),),
        replay=replay,
        seconds=1.25,
        runner="process",
    )


def replay_lines(games: int = 4) -> list[bytes]:
    """Stand-ins for replays: the store does not look inside."""
    return [json.dumps({"game_no": number, "text": "x" * 500}).encode() for number in range(games)]


def start(store: Store, match_id: int, worker: str = "w1", lease: float = 60) -> Attempt:
    with store.write() as session:
        attempt = attempts.claim(session, match_id, worker, lease)
    assert attempt is not None
    return attempt


def finish(store: Store, token: str, result: MatchOutcome | None = None) -> Finish:
    with store.write() as session:
        return attempts.finish(session, token, result or outcome())


def match_of(store: Store, match_id: int) -> Match:
    with store.read() as session:
        return present(session, Match, match_id)
