"""Revisions: tokens by topic that change with the data, whoever writes it and from which process.

A page that was made from a topic is still right while the topic's token is the same. Triggers of
the database keep the tokens, in the transaction of the change itself, so no writer can forget
them. `WATCHED` is the one list of what they look at; a change of it needs a migration, which
makes them again.
"""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlmodel import Session, col

from api_models.states import WorkerState
from store import counts
from store.columns import db_time
from store.tables import Revision, Worker

SEASONS = "seasons"
"""Any season."""
MATCHES = "matches"
"""Any match, with its seats and replays."""
NAMES = "names"
"""What a bot that sits somewhere is called."""
LADDERS = "ladders"
"""Any ladder, with its standings."""
MADE = "made"
"""The triggers themselves: an upgrade of the database changes what no trigger saw."""
SLOTS = "slots"
"""Not a topic of the triggers: the slots of all workers that are alive, counted when asked."""
SILENT_SECONDS = 60.0
"""As in `store.workers`."""

_PREFIX = "revision_"

Act = Literal["INSERT", "UPDATE", "DELETE"]
Tokens = tuple[tuple[str, int, int], ...]
"""Topic, lane and token, sorted; two that are equal were read from equal data."""


def season_topic(season_id: int) -> str:
    """The topic of one season: its row with the published standings, and its entries."""
    return f"season:{season_id}"


def season_matches(season_id: int) -> str:
    """The topic of all matches of a season, with their seats."""
    return f"season:{season_id}:matches"


def season_past(season_id: int) -> str:
    """The topic of seats that had results already: new results leave it as it is."""
    return f"season:{season_id}:past"


def season_history(season_id: int) -> str:
    """The topic of the rating history of a season."""
    return f"season:{season_id}:history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A table, the columns of it that pages show, and the topics that a row belongs to."""

    table: str
    topics: tuple[str, ...]
    """Expressions of SQL over `{row}`; one that is NULL names no topic."""
    columns: tuple[str, ...] = ()
    """Updates of others are ignored; none: all columns are shown."""
    acts: tuple[Act, ...] = ("INSERT", "UPDATE", "DELETE")
    was: str = "true"
    """Updates of rows that were not like this are ignored."""
    name: str = ""
    """Of its triggers, where a table is watched twice."""


_OWN_SEASON = "'season:' || {row}.season_id"
_SEASON_OF_MATCH = (
    "(SELECT 'season:' || matches.season_id FROM matches WHERE matches.id = {row}.match_id)"
)
_HISTORY_OF_SCALE = (
    "(SELECT 'season:' || scales.season_id FROM scales WHERE scales.id = {row}.scale_id)"
    " || ':history'"
)
_MATCHES_OF_SEASON = _OWN_SEASON + " || ':matches'"
_MATCHES_OF_MATCH = _SEASON_OF_MATCH + " || ':matches'"
_PAST_OF_MATCH = _SEASON_OF_MATCH + " || ':past'"

WATCHED: tuple[Watched, ...] = (
    Watched(table="seasons", topics=("'seasons'", "'season:' || {row}.id")),
    Watched(table="entries", topics=(_OWN_SEASON,)),
    Watched(
        table="matches",
        topics=("'matches'", _MATCHES_OF_SEASON),
        # Not the lease, which every running match renews several times a minute.
        columns=(
            *("kind", "state", "season_id", "scale_id", "round_no", "rules", "options"),
            *("table_size", "passes", "rated", "rated_why", "attempts", "finished_at", "seconds"),
        ),
    ),
    Watched(
        table="seats",
        topics=("'matches'", _MATCHES_OF_MATCH),
        columns=("number", "bot_id", "version_id", "substitute", "games", "points", "places"),
    ),
    Watched(
        name="past_seats",
        table="seats",
        topics=(_PAST_OF_MATCH,),
        columns=("number", "bot_id", "version_id", "substitute", "games", "points", "places"),
        was="OLD.games > 0",
    ),
    Watched(table="replay_blobs", topics=("'matches'",)),
    Watched(table="rating_points", topics=(_HISTORY_OF_SCALE,)),
    Watched(
        table="scales",
        topics=("CASE WHEN {row}.season_id IS NULL THEN 'ladders' END",),
        columns=("standings", "season_id"),
    ),
    Watched(table="ladders", topics=("'ladders'",)),
    # A bot that nobody has seen anywhere changes no page, so new rows do not count here.
    Watched(table="owners", topics=("'names'",), columns=("handle",), acts=("UPDATE",)),
    Watched(
        table="bots",
        topics=("'names'",),
        columns=("name", "owner_id", "is_anchor"),
        acts=("UPDATE",),
    ),
    Watched(table="versions", topics=("'names'",), columns=("number", "bot_id"), acts=("UPDATE",)),
)


def tokens(session: Session, topics: Iterable[str], *, slots: bool = False) -> Tokens:
    """The tokens of these topics, in one query; `slots` adds the slots of the workers alive.

    Read them before the data: what changes in between then makes the tokens old, never the data.
    """
    found = session.execute(_query(slots), {"topics": [MADE, *topics]})
    return tuple(sorted((topic, lane, int(token)) for topic, lane, token in found))


@cache
def _query(slots: bool) -> sa.Executable:
    """Put together once: that takes longer than to run it."""
    query = sa.select(col(Revision.topic), col(Revision.lane), col(Revision.token)).where(
        col(Revision.topic).in_(sa.bindparam("topics", expanding=True))
    )
    if not slots:
        return query
    counted = sa.select(
        sa.literal(SLOTS), sa.literal(0), sa.func.coalesce(sa.func.sum(col(Worker.slots)), 0)
    ).where(
        col(Worker.state) != WorkerState.GONE,
        col(Worker.heartbeat_at) >= db_time(-SILENT_SECONDS),
    )
    return query.union_all(counted)


def install(connection: Connection) -> None:
    """Make the triggers, and give everything a new token."""
    remove(connection)
    is_postgresql = connection.dialect.name == "postgresql"
    # Older databases, on their way to the newest revision, have no counts.
    counting = sa.inspect(connection).has_table(counts.TABLE)
    for statement in _for_postgresql(counting) if is_postgresql else _for_sqlite(counting):
        connection.exec_driver_sql(statement)
    if counting:
        counts.recount(connection)
    made_now = {"topic": MADE, "lane": 0, "token": secrets.randbits(62)}
    connection.execute(sa.delete(Revision).where(col(Revision.topic) == MADE))
    connection.execute(sa.insert(Revision), made_now)


def remove(connection: Connection) -> None:
    """Take the triggers away, so that tables can be changed."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("DROP FUNCTION IF EXISTS revision_write() CASCADE")
        connection.exec_driver_sql("DROP FUNCTION IF EXISTS revision_note(text[]) CASCADE")
        connection.exec_driver_sql(
            "DROP FUNCTION IF EXISTS revision_count(integer, text, boolean, integer) CASCADE"
        )
        for helper in ("match", "scale"):
            connection.exec_driver_sql(
                f"DROP FUNCTION IF EXISTS revision_season_of_{helper}(integer) CASCADE"
            )
        return
    query = sa.text("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE :like")
    names = connection.execute(query, {"like": f"{_PREFIX}%"}).scalars().all()
    for name in names:
        connection.exec_driver_sql(f"DROP TRIGGER {name}")


def _event(watched: Watched, act: Act) -> str:
    listed = act == "UPDATE" and watched.columns
    return f"{act} OF {', '.join(watched.columns)}" if listed else act


def _trigger(watched: Watched, act: Act) -> str:
    return f"{_PREFIX}{watched.name or watched.table}_{act.lower()}"


_RENEW = (
    "INSERT INTO revisions (topic, lane, token)"
    " SELECT topic, 0, random() FROM (SELECT {topic} AS topic) WHERE topic IS NOT NULL"
    " ON CONFLICT (topic, lane) DO UPDATE SET token = excluded.token;"
)


def _for_sqlite(counting: bool) -> Iterator[str]:
    """One writer at a time: each row that changes renews its tokens at once."""
    for watched in WATCHED:
        for act in watched.acts:
            row = "OLD" if act == "DELETE" else "NEW"
            body = " ".join(_RENEW.format(topic=one.format(row=row)) for one in watched.topics)
            if counting and watched.table == "matches":
                body += counts.sqlite_steps(act)
            was = watched.was if act == "UPDATE" else "true"
            yield (
                f"CREATE TRIGGER {_trigger(watched, act)} AFTER {_event(watched, act)}"
                f" ON {watched.table} FOR EACH ROW WHEN {was} BEGIN {body} END"
            )


_NOTE = """
CREATE FUNCTION revision_note(topics text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  before text := coalesce(current_setting('bullring.topics', true), '');
  noted text := before;
  topic text;
BEGIN
  FOREACH topic IN ARRAY topics LOOP
    IF topic IS NOT NULL AND strpos(noted, ',' || topic || ',') = 0 THEN
      noted := CASE WHEN noted = '' THEN ',' ELSE noted END || topic || ',';
    END IF;
  END LOOP;
  IF noted <> before THEN
    PERFORM set_config('bullring.topics', noted, true);
  END IF;
  RETURN before = '' AND noted <> '';
END $$
"""
# As the owner of the tables: a worker's role may change matches, and must not write tokens.
_WRITE = """
CREATE FUNCTION revision_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO revisions (topic, lane, token)
    SELECT topic, mod(pg_backend_pid(), 8), (random() * 9e15)::bigint
    FROM unnest(string_to_array(trim(',' from current_setting('bullring.topics')), ',')) AS topic
    ORDER BY topic
    ON CONFLICT (topic, lane) DO UPDATE SET token = excluded.token;
  PERFORM set_config('bullring.topics', '', true);
  {counts}
  RETURN NULL;
END $$
"""


_SEASON_OF = (
    "CREATE FUNCTION revision_season_of_{name}(integer) RETURNS text LANGUAGE sql AS $$"
    " SELECT 'season:' || season_id FROM {table} WHERE id = $1 $$"
)


def _for_postgresql(counting: bool) -> Iterator[str]:
    """Topics are noted as rows change, and written in order when the transaction commits.

    So a token's row is locked for the length of a commit, and two writers cannot wait for each
    other in a circle. Only the first note of a transaction puts the trigger in the queue; the
    counts of matches, which never change without a topic, are written by the same one.
    """
    yield _NOTE
    yield counts.POSTGRESQL_NOTE
    yield _WRITE.replace("{counts}", counts.POSTGRESQL_WRITE if counting else "")
    yield _SEASON_OF.format(name="match", table="matches")
    yield _SEASON_OF.format(name="scale", table="scales")
    # A condition of a trigger may call functions, and hold no query of its own.
    season_of_match = "revision_season_of_match({row}.match_id)"
    helpers = {
        _MATCHES_OF_MATCH: season_of_match + " || ':matches'",
        _PAST_OF_MATCH: season_of_match + " || ':past'",
        _HISTORY_OF_SCALE: "revision_season_of_scale({row}.scale_id) || ':history'",
    }
    for watched in WATCHED:
        for act in watched.acts:
            row = "OLD" if act == "DELETE" else "NEW"
            topics = ", ".join(
                f"({helpers.get(topic, topic).format(row=row)})::text" for topic in watched.topics
            )
            was = watched.was if act == "UPDATE" else "true"
            note = f"CASE WHEN {was} THEN revision_note(ARRAY[{topics}]) ELSE false END"
            if counting and watched.table == "matches":
                # A sum: of two conditions one alone may be looked at.
                note = f"(({note})::integer + {counts.postgresql_steps(act)}) > 0"
            yield (
                f"CREATE CONSTRAINT TRIGGER {_trigger(watched, act)} AFTER"
                f" {_event(watched, act)} ON {watched.table} DEFERRABLE INITIALLY DEFERRED"
                f" FOR EACH ROW WHEN ({note}) EXECUTE FUNCTION revision_write()"
            )
