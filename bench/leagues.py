"""Leagues to measure on: running seasons, crowds of bots, results that were never played."""

import secrets
from collections.abc import Sequence

import numpy as np
import sqlalchemy as sa

import store
from league import seasons
from league.seasons import SeasonPlan
from store import MatchKind, Store

OWNER = "the benchmark"
BLOCKS_OF_A_MATCH = 25


def season(database: Store, plan: SeasonPlan, bots: Sequence[str]) -> int:
    """A running season."""
    with database.write() as session:
        made = seasons.create(session, plan, OWNER)
        for bot in bots:
            seasons.enter(session, made.id, bot, OWNER)
        for step in (seasons.open_entries, seasons.freeze_season, seasons.start):
            step(session, made.id, OWNER)
    return made.id


def crowd(database: Store, count: int) -> list[str]:
    """Make `count` bots, each with an owner of its own; returns their names."""
    with database.write() as session:
        owners = [store.Owner(handle=f"owner{number}") for number in range(count)]
        session.add_all(owners)
        session.flush()
        bots = [
            store.Bot(owner_id=owner.id, name="bot", rules=["six-nimmt"], current_version=1)
            for owner in owners
        ]
        session.add_all(bots)
        session.flush()
        session.add_all(
            store.Version(
                bot_id=bot.id,
                number=1,
                program=["sample:random"],
                fingerprint=f"f{bot.id}",
                state=store.VersionState.ACCEPTED,
                accepted_at=store.utc_now(),
            )
            for bot in bots
        )
        return [f"{owner.handle}/bot" for owner in owners]


def fill_blocks(
    database: Store, season_id: int, ladder_id: int, versions: list[int], blocks: int
) -> None:
    """Done matches of 25 blocks each, with random results."""
    rng = np.random.default_rng(1)
    new = [
        _match(season_id, ladder_id, rng.choice(versions, 4, replace=False).tolist())
        for _ in range(blocks // BLOCKS_OF_A_MATCH)
    ]
    with database.write() as session:
        ids = store.matches.plan(session, new)
        now = store.database_time(session)
        done = sa.update(store.Match).values(state=store.MatchState.DONE, finished_at=now)
        session.execute(done)
        for match_id, one in zip(ids, new, strict=True):
            rows = [
                {
                    "match_id": match_id,
                    "number": number,
                    "ladder_id": ladder_id,
                    "versions": list(one.versions),
                    "games": _games(rng),
                    "at": now,
                }
                for number in range(BLOCKS_OF_A_MATCH)
            ]
            session.execute(sa.insert(store.Block), rows)


def _match(season_id: int, ladder_id: int, versions: list[int]) -> store.NewMatch:
    return store.NewMatch(
        kind=MatchKind.SEASON,
        rules="six-nimmt",
        options={},
        versions=tuple(versions),
        boards=100,
        passes=1,
        key=secrets.token_bytes(32),
        time={},
        season_id=season_id,
        scale_id=ladder_id,
        round_no=0,
    )


def _games(rng: np.random.Generator) -> list[list[object]]:
    """The four games of a block, as the store keeps them."""
    points = rng.integers(0, 30, (4, 4))
    places = points.argsort(axis=1).argsort(axis=1) + 1
    return [[p.tolist(), q.tolist(), [], 1] for p, q in zip(places, points, strict=True)]
