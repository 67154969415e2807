"""Makers of test data: a migrated store, owners with bots, platform bots."""

from collections.abc import Sequence

import store
from league.settings import LeagueSettings
from store import Store
from tests.migrated import empty_sqlite

BOTS = ("highest", "house", "random", "greedy", "taker")


def open_store(chosen: LeagueSettings) -> Store:
    """The store of these settings with the newest schema and no rows."""
    if chosen.database_url is None:
        chosen.data_dir.mkdir(parents=True, exist_ok=True)
        (chosen.data_dir / "bullring.db").write_bytes(empty_sqlite())
        return Store(chosen.database, chosen.blobs)
    database = Store(chosen.database, chosen.blobs)
    database.migrate()
    return database


def add_bots(
    database: Store, names: Sequence[str] = BOTS, rules: Sequence[str] = ("six-nimmt", "x-nimmt")
) -> list[str]:
    """One owner a bot, so that all may meet; returns full names."""
    made = []
    with database.write() as session:
        for name in names:
            owner = store.accounts.add_owner(session, f"owner-of-{name}")
            bot = store.bots.add_bot(session, owner.id, name, rules)
            version = store.bots.add_version(session, bot.id, program=[name.split("-")[0]])
            store.bots.accept_version(session, version.id)
            made.append(f"owner-of-{name}/{name}")
    return made


def add_platform_bots(
    database: Store, names: Sequence[str], rules: Sequence[str] = ("six-nimmt",)
) -> list[str]:
    """Bots of the house, which fill tables; returns full names."""
    with database.write() as session:
        house = store.accounts.add_owner(session, "house", is_house=True)
        for name in names:
            bot = store.bots.add_bot(session, house.id, name, rules, is_anchor=True)
            version = store.bots.add_version(session, bot.id, program=[name])
            store.bots.accept_version(session, version.id)
    return [f"house/{name}" for name in names]
