"""A league as large as bench.dashboard wants it: few matches are played, the rest are like them."""

from random import Random
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, select

from dashboard.http import hash_password
from nimmt.keys import commitment
from store import (
    Block,
    Bot,
    Match,
    MatchState,
    Owner,
    RatingPoint,
    Seat,
    Store,
    Version,
    VersionState,
    match_lists,
    revisions,
    scales,
    seasons,
)
from tests.dashboard.seed import seed_league

AT_ONCE = 5000
"""Matches that go into the store together."""


def fill(store: Store, bots: int, matches: int) -> None:
    """A real small league, then rows like it until the sizes are reached."""
    seed_league(store, hash_password("correct horse battery"), boards=8, meetings=4)
    # Made again at the end, with the counts: row by row they take longer than all the rest.
    with store.engine.begin() as connection:
        revisions.remove(connection)
    with store.write() as session:
        spring = seasons.by_name(session, "spring")
        assert spring is not None
        ladder = scales.of_season(session, spring.id)
        versions = _add_bots(session, bots)
        _add_matches(session, matches, versions)
        points = [
            {"scale_id": ladder.id, "version_id": versions[0][1], "live": 1500.0 + n % 40}
            for n in range(min(matches, 2000))
        ]
        session.exec(sa.insert(RatingPoint), params=points)
    with store.engine.begin() as connection:
        revisions.install(connection)
    with store.engine.connect() as connection:
        connection.execute(sa.text("ANALYZE"))
        connection.commit()


def _add_bots(session: Session, count: int) -> list[tuple[int, int]]:
    pairs = [(bot, version) for bot, version in session.exec(select(Version.bot_id, Version.id))]
    owner = Owner(handle="crowd")
    session.add(owner)
    session.flush()
    for number in range(count - len(pairs)):
        bot = Bot(owner_id=owner.id, name=f"bot-{number}", rules=["six-nimmt"], current_version=1)
        session.add(bot)
        session.flush()
        version = Version(bot_id=bot.id, number=1, state=VersionState.ACCEPTED, program=["x"])
        session.add(version)
        session.flush()
        pairs.append((bot.id, version.id))
    return pairs


def _add_matches(session: Session, count: int, versions: list[tuple[int, int]]) -> None:
    """Copies of the first match, each at a table drawn from all bots."""
    rng = Random(1)
    pattern = session.get_one(Match, 1)
    block = session.get_one(Block, (1, 0))
    seats = list(session.exec(select(Seat).where(Seat.match_id == 1)))
    first = 1 + max(session.exec(select(Match.id)))
    for start in range(first, first + count, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, first + count))
        session.exec(sa.insert(Match), params=[_match(pattern, number) for number in numbers])
        placed, blocks = [], []
        for number in numbers:
            table = rng.sample(versions, 4)
            placed += [_seat(seat, number, pair) for seat, pair in zip(seats, table, strict=True)]
            blocks.append(_block(block, number, [version for _, version in table]))
        session.exec(sa.insert(Seat), params=placed)
        session.exec(sa.insert(Block), params=blocks)


def _match(pattern: Match, number: int) -> dict[str, Any]:
    key = number.to_bytes(32, "big")
    fields = pattern.model_dump()
    return fields | {"id": number, "key": key, "commitment": commitment(key)}


def _seat(pattern: Seat, match_id: int, pair: tuple[int, int]) -> dict[str, Any]:
    return pattern.model_dump() | {"match_id": match_id, "bot_id": pair[0], "version_id": pair[1]}


def _block(pattern: Block, match_id: int, versions: list[int]) -> dict[str, Any]:
    return pattern.model_dump() | {"match_id": match_id, "versions": versions}


def running_match(store: Store) -> int:
    """The match of the seeded league that an attempt holds."""
    with store.read() as session:
        [found] = match_lists.matches(session, states=[MatchState.RUNNING], limit=1)
        return found.id
