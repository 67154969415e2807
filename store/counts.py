"""Counts of a season's matches, kept by triggers, so that a page need not count a hundred thousand.

They change in the transaction of the change itself, with the tokens of `store.revisions`, which
makes and removes the triggers. `seasons.kept_progress` reads them.
"""

from typing import Literal

from sqlalchemy.engine import Connection

TABLE = "season_counts"

Act = Literal["INSERT", "UPDATE", "DELETE"]


def recount(connection: Connection) -> None:
    """Count everything from the start; no match may change meanwhile."""
    connection.exec_driver_sql("DELETE FROM season_counts")
    connection.exec_driver_sql(
        "INSERT INTO season_counts (season_id, state, rated, lane, matches)"
        " SELECT season_id, state, rated, 0, count(*) FROM matches"
        " WHERE season_id IS NOT NULL GROUP BY season_id, state, rated"
    )


_STEP = (
    "INSERT INTO season_counts (season_id, state, rated, lane, matches)"
    " SELECT {row}.season_id, {row}.state, {row}.rated, 0, {step} WHERE {row}.season_id IS NOT NULL"
    " ON CONFLICT (season_id, state, rated, lane) DO UPDATE SET matches = matches + {step};"
)


def sqlite_steps(act: Act) -> str:
    """What a trigger does with a match: one writer at a time, so it is written at once."""
    before = "" if act == "INSERT" else _STEP.format(row="OLD", step=-1)
    after = "" if act == "DELETE" else _STEP.format(row="NEW", step=1)
    return f"{before} {after}"


# A planner may put a hundred thousand matches into one transaction: they are added up here, and
# never listed.
POSTGRESQL_NOTE = """
CREATE FUNCTION revision_count(season integer, state text, rated boolean, step integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  noted jsonb := coalesce(nullif(current_setting('bullring.counts', true), ''), '{}')::jsonb;
  key text := season || ':' || state || ':' || rated::integer;
BEGIN
  IF season IS NOT NULL THEN
    noted := noted || jsonb_build_object(key, coalesce((noted ->> key)::integer, 0) + step);
    PERFORM set_config('bullring.counts', noted::text, true);
  END IF;
  RETURN 0;
END $$
"""
POSTGRESQL_WRITE = """
  INSERT INTO season_counts (season_id, state, rated, lane, matches)
    SELECT split_part(key, ':', 1)::integer, split_part(key, ':', 2),
      split_part(key, ':', 3) = '1', mod(pg_backend_pid(), 8), value::integer
    FROM jsonb_each_text(
      coalesce(nullif(current_setting('bullring.counts', true), ''), '{}')::jsonb)
    WHERE value::integer <> 0
    ORDER BY 1, 2, 3
    ON CONFLICT (season_id, state, rated, lane)
      DO UPDATE SET matches = season_counts.matches + excluded.matches;
  PERFORM set_config('bullring.counts', '', true);
"""


def postgresql_steps(act: Act) -> str:
    """The same as a number, always 0, for the condition of a trigger."""
    before = "0" if act == "INSERT" else "revision_count(OLD.season_id, OLD.state, OLD.rated, -1)"
    after = "0" if act == "DELETE" else "revision_count(NEW.season_id, NEW.state, NEW.rated, 1)"
    return f"{before} + {after}"
