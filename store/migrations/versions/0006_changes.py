"""A log of changes, written by triggers: what ladders are drawn from can be kept in memory.

Revision 0006, follows 0005.
"""

import sqlalchemy as sa
from alembic import op

from store import columns

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

FLYING = "('planned', 'queued', 'running')"
LADDERS = "{row}.scale_id IS NOT NULL AND {row}.season_id IS NULL"
"""Only matches of ladders have a scale and no season."""
MATCH_CHANGED = (
    LADDERS.format(row="NEW")
    + " AND (OLD.state <> NEW.state OR OLD.finished_at {differs} NEW.finished_at)"
    + f" AND NOT (OLD.state IN {FLYING} AND NEW.state IN {FLYING})"
)
"""Claims and leases change nothing for the field; in flight is in flight."""
MATCH_TOPIC = (
    "CASE WHEN OLD.state = 'done' THEN 'undone' WHEN NEW.state = 'done' THEN 'done' ELSE 'match'"
    " END"
)
SEAT_TOPIC = "CASE WHEN m.state = 'done' THEN 'undone' ELSE 'match' END"

# Name, table, when, condition, what is written: topic, key, ladder.
TRIGGERS = [
    ("bot_new", "bots", "INSERT", "", ("'bot'", "NEW.id", "NULL")),
    ("bot_gone", "bots", "DELETE", "", ("'bot'", "OLD.id", "NULL")),
    (
        "bot_changed",
        "bots",
        "UPDATE OF owner_id, name, rules, is_anchor, current_version, suspended_at, suspended_why",
        "",
        ("'bot'", "NEW.id", "NULL"),
    ),
    (
        "anchor_changed",
        "bots",
        "UPDATE OF is_anchor",
        "OLD.is_anchor <> NEW.is_anchor",
        # How long anchor bots think is summed up for them alone; there is no match 0.
        ("'undone'", "0", "NULL"),
    ),
    ("version_new", "versions", "INSERT", "", ("'bot'", "NEW.bot_id", "NULL")),
    ("version_gone", "versions", "DELETE", "", ("'bot'", "OLD.bot_id", "NULL")),
    (
        "version_changed",
        "versions",
        "UPDATE OF number, state, fingerprint, created_at, accepted_at",
        "",
        ("'bot'", "NEW.bot_id", "NULL"),
    ),
    ("submission_new", "submissions", "INSERT", "", ("'bot'", "NEW.bot_id", "NULL")),
    ("submission_gone", "submissions", "DELETE", "", ("'bot'", "OLD.bot_id", "NULL")),
    (
        "submission_changed",
        "submissions",
        "UPDATE OF state",
        "OLD.state <> NEW.state",
        ("'bot'", "NEW.bot_id", "NULL"),
    ),
    ("entry_new", "ladder_entries", "INSERT", "", ("'bot'", "NEW.bot_id", "NEW.ladder_id")),
    ("entry_gone", "ladder_entries", "DELETE", "", ("'bot'", "OLD.bot_id", "OLD.ladder_id")),
    ("entry_changed", "ladder_entries", "UPDATE", "", ("'bot'", "NEW.bot_id", "NEW.ladder_id")),
    ("owner_changed", "owners", "UPDATE OF handle, disabled_at", "", ("'owner'", "NEW.id", "NULL")),
    (
        "match_new",
        "matches",
        "INSERT",
        LADDERS.format(row="NEW"),
        ("CASE WHEN NEW.state = 'done' THEN 'done' ELSE 'match' END", "NEW.id", "NEW.scale_id"),
    ),
    (
        "match_gone",
        "matches",
        "DELETE",
        LADDERS.format(row="OLD"),
        ("'undone'", "OLD.id", "OLD.scale_id"),
    ),
    (
        "match_changed",
        "matches",
        "UPDATE OF state, finished_at",
        MATCH_CHANGED,
        (MATCH_TOPIC, "NEW.id", "NEW.scale_id"),
    ),
]


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "changes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("topic", sa.String(length=10), nullable=False),
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("scale_id", sa.Integer(), nullable=True),
        sa.Column("txid", sa.BigInteger(), nullable=False),
        sa.Column("at", columns.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_changes")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_changes_txid"), "changes", ["txid"])
    write = _postgresql if op.get_bind().dialect.name == "postgresql" else _sqlite
    for name, table, when, condition, found in TRIGGERS:
        write(name, table, when, condition, ", ".join(found), "")
    # A platform bot stands in for another in a match that is on its way.
    match = f"FROM matches m WHERE m.id = NEW.match_id AND {LADDERS.format(row='m')}"
    values = ", ".join((SEAT_TOPIC, "m.id", "m.scale_id"))
    write("seat_changed", "seats", "UPDATE OF version_id, bot_id", "", values, match)


def _sqlite(name: str, table: str, when: str, condition: str, values: str, source: str) -> None:
    only = f"WHEN {condition.format(differs='IS NOT')}" if condition else ""
    op.execute(
        f"CREATE TRIGGER note_{name} AFTER {when} ON {table} {only} BEGIN"
        " INSERT INTO changes (topic, key, scale_id, txid, at)"
        f" SELECT {values}, 0, strftime('%Y-%m-%d %H:%M:%f000', 'now') {source}; END"
    )


def _postgresql(name: str, table: str, when: str, condition: str, values: str, source: str) -> None:
    only = f"WHEN ({condition.format(differs='IS DISTINCT FROM')})" if condition else ""
    # With the rights of the tables' owner: whoever may change a row need not be able to reach the
    # log. The path is fixed, so that no temporary table can take its place.
    schema = op.get_bind().execute(sa.text("SELECT quote_ident(current_schema())")).scalar_one()
    op.execute(
        f"CREATE FUNCTION note_{name}() RETURNS trigger LANGUAGE plpgsql"
        f" SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$ BEGIN"
        " INSERT INTO changes (topic, key, scale_id, txid, at)"
        f" SELECT {values}, pg_current_xact_id()::text::bigint, clock_timestamp() {source};"
        " RETURN NULL; END $$"
    )
    op.execute(
        f"CREATE TRIGGER note_{name} AFTER {when} ON {table} FOR EACH ROW {only}"
        f" EXECUTE FUNCTION note_{name}()"
    )


def downgrade() -> None:
    """Undo it."""
    for name in (*(name for name, *_ in TRIGGERS), "seat_changed"):
        if op.get_bind().dialect.name == "postgresql":
            op.execute(f"DROP FUNCTION note_{name}() CASCADE")
        else:
            op.execute(f"DROP TRIGGER note_{name}")
    op.drop_index(op.f("ix_changes_txid"), table_name="changes")
    op.drop_table("changes")
