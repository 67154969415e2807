"""Facts get columns: ladders and their scales, entries of ladders, gates that are due, rehearsals.

Revision 0003, follows 0002. It changes tables that workers write to, so it refuses to run while a
match is being played. There is no way back but the backup.
"""

import json
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

from store import columns
from store.errors import StillPlaying, StoreError

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

RUNNING = "running attempts"
"""The option of `store.migrate`: refuse, keep (nobody can be playing) or end them."""


def upgrade() -> None:
    """Make the change."""
    _see_to_running_attempts()
    _make_scales()
    _point_to_scales()
    _make_ladders()
    _add_entries_of_ladders()
    _add_gates_that_are_due()
    _add_rehearsals()
    _add_ladders_of_gates()


def downgrade() -> None:
    """There is none: what was written since would not fit."""
    raise StoreError(
        "revision 0003 cannot be undone; restore the backup from before the upgrade into an empty"
        " database, with the release that wrote it"
    )


def _see_to_running_attempts() -> None:
    config = op.get_context().config
    wish = "refuse" if config is None else config.attributes.get(RUNNING, "refuse")
    attempts, matches = (
        sa.table(name, *map(sa.column, ("state", "worker", "reason", "charged", "finished_at",
                                        "token", "lease_until", "published_at")))
        for name in ("attempts", "matches")
    )  # fmt: skip
    if op.get_bind().dialect.name == "postgresql":
        # From now on nobody can claim a match (SQLite lets one transaction write at a time).
        op.execute("LOCK TABLE matches, attempts IN ACCESS EXCLUSIVE MODE")
    held = sa.select(attempts.c.worker).where(attempts.c.state == "running")
    workers = sorted(op.get_bind().execute(held).scalars())
    if not workers or wish == "keep":
        return
    if wish != "end":
        count = f"{len(workers)} match{'es' if len(workers) > 1 else ''}"
        raise StillPlaying(
            f"got a database with {count} being played (by {', '.join(sorted(set(workers)))}),"
            " expected none: stop the workers and the clock with the release they run (what they"
            " play ends first, or goes back to the queue), then upgrade again. If those workers"
            " are gone for good: bullring db upgrade --end-running"
        )
    now = sa.literal(datetime.now(UTC), columns.UtcTime())
    op.execute(
        matches.update()
        .where(matches.c.state == "running")
        .values(state="queued", token=None, worker=None, lease_until=None, published_at=now)
    )
    op.execute(
        attempts.update()
        .where(attempts.c.state == "running")
        .values(state="lost", reason="the league was upgraded", charged=False, finished_at=now)
    )


def _make_scales() -> None:
    """The scales are what the ladders were, without what only a competition has."""
    op.create_table(
        "scales",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=True),
        sa.Column("rules", sa.String(length=40), nullable=False),
        sa.Column("options", columns.Json(), nullable=False),
        sa.Column("table_size", sa.Integer(), nullable=False),
        sa.Column("progress", columns.Json(), nullable=False),
        sa.Column("standings", columns.Json(), nullable=True),
        sa.Column("standings_at", columns.UtcTime(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name=op.f("fk_scales_season_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scales")),
        sa.UniqueConstraint("key", name=op.f("uq_scales_key")),
        sa.UniqueConstraint("season_id", name=op.f("uq_scales_season_id")),
    )
    kept = "id, key, season_id, rules, options, table_size, progress, standings, standings_at"
    op.execute(
        f"INSERT INTO scales ({kept}, created_at) SELECT {kept}, created_at FROM ladders"  # noqa: S608 - constants
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "SELECT setval(pg_get_serial_sequence('scales', 'id'), max(id)) FROM scales"
            " HAVING max(id) IS NOT NULL"
        )


def _point_to_scales() -> None:
    indexes = {
        "matches": ("ix_matches_ladder_id_id", "ix_matches_scale_id_id", ["id"]),
        "blocks": ("ix_blocks_ladder_id", "ix_blocks_scale_id", ["match_id", "number"]),
        "ratings": ("ix_ratings_ladder_id_official", "ix_ratings_scale_id_official", ["official"]),
        "rating_points": (
            "ix_rating_points_ladder_id_version_id_id",
            "ix_rating_points_scale_id_version_id_id",
            ["version_id", "id"],
        ),
    }
    op.drop_index("ix_matches_state_priority_id", "matches")
    for table, (old, new, rest) in indexes.items():
        op.drop_index(old, table)
        with op.batch_alter_table(table) as batch:
            batch.drop_constraint(op.f(f"fk_{table}_ladder_id"), type_="foreignkey")
            batch.alter_column("ladder_id", new_column_name="scale_id")
            if table == "matches":
                batch.drop_column("priority")
                batch.drop_column("due_at")
        # A batch of its own: on SQLite one that renames a column forgets a new key on it.
        with op.batch_alter_table(table) as batch:
            batch.create_foreign_key(op.f(f"fk_{table}_scale_id"), "scales", ["scale_id"], ["id"])
        op.create_index(new, table, ["scale_id", *rest])
    op.create_index("ix_matches_state_id", "matches", ["state", "id"])


def _make_ladders() -> None:
    """The endless competitions alone, each with the id of its scale."""
    old = sa.table(
        "ladders",
        *(sa.column(name) for name in ("id", "rules", "table_size", "boards", "passes")),
        *(sa.column(name, columns.Json()) for name in ("options", "time")),
        sa.column("is_open", sa.Boolean()),
        sa.column("season_id"),
        sa.column("created_at", columns.UtcTime()),
    )
    found = op.get_bind().execute(sa.select(old).where(old.c.season_id.is_(None))).mappings()
    rows = [_ladder(dict(row)) for row in found.all()]
    op.drop_table("ladders")
    made = op.create_table(
        "ladders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("rules", sa.String(length=40), nullable=False),
        sa.Column("options", columns.Json(), nullable=False),
        sa.Column("table_size", sa.Integer(), nullable=False),
        sa.Column("boards", sa.Integer(), nullable=False),
        sa.Column("passes", sa.Integer(), nullable=False),
        sa.Column("time", columns.Json(), nullable=False),
        sa.Column("longest_wait", sa.Float(), nullable=True),
        sa.Column("cap", sa.Integer(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["id"], ["scales.id"], name=op.f("fk_ladders_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ladders")),
    )
    op.bulk_insert(made, rows)


def _ladder(row: dict[str, Any]) -> dict[str, Any]:
    chosen = _setting(f"ladder.{row['id']}") or {}
    paused = "paused" if chosen.get("paused") else "closed"
    return {
        **{name: row[name] for name in ("id", "rules", "options", "table_size", "boards")},
        **{name: row[name] for name in ("passes", "time", "created_at")},
        "state": "open" if row["is_open"] else paused,
        "longest_wait": chosen.get("longest_wait"),
        "cap": int(chosen.get("cap", 2)),
    }


_SETTINGS = sa.table("settings", sa.column("key"), sa.column("value", columns.Json()))


def _setting(key: str) -> dict[str, Any] | None:
    """A document in which facts were kept: all about a ladder, or about a season's rehearsal."""
    query = sa.select(_SETTINGS.c.value).where(_SETTINGS.c.key == key)
    found: dict[str, Any] | None = op.get_bind().execute(query).scalar()
    return found


def _add_entries_of_ladders() -> None:
    made = op.create_table(
        "ladder_entries",
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("is_anchor", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("left_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_ladder_entries_bot_id")),
        sa.ForeignKeyConstraint(
            ["ladder_id"], ["ladders.id"], name=op.f("fk_ladder_entries_ladder_id")
        ),
        sa.PrimaryKeyConstraint("ladder_id", "bot_id", name=op.f("pk_ladder_entries")),
    )
    op.create_index(op.f("ix_ladder_entries_bot_id"), "ladder_entries", ["bot_id"])
    bind = op.get_bind()
    anchors = set(bind.execute(sa.text("SELECT id FROM bots WHERE is_anchor")).scalars())
    known = set(bind.execute(sa.text("SELECT id FROM bots")).scalars())
    for ladder_id in bind.execute(sa.text("SELECT id FROM ladders")).scalars().all():
        rows = [row for row in _entries(ladder_id, anchors) if row["bot_id"] in known]
        op.bulk_insert(made, rows)
        op.execute(_SETTINGS.delete().where(_SETTINGS.c.key == f"ladder.{ladder_id}"))


def _entries(ladder_id: int, anchors: set[int]) -> list[dict[str, Any]]:
    """One for each bot that somebody decided on; disqualified outweighs withdrawn, as it did."""
    chosen, now = _setting(f"ladder.{ladder_id}") or {}, datetime.now(UTC)
    entered = {int(bot) for bot in chosen.get("entered", ())}
    found: dict[int, tuple[str, str]] = dict.fromkeys(entered, ("entered", ""))
    for state in ("withdrawn", "disqualified"):
        found |= {int(bot): (state, why) for bot, why in chosen.get(state, {}).items()}
    return [
        {
            "ladder_id": ladder_id,
            "bot_id": bot,
            "state": state,
            "is_anchor": bot in anchors and bot not in entered,
            "reason": why,
            "created_at": now,
            "left_at": None if state == "entered" else now,
        }
        for bot, (state, why) in sorted(found.items())
    ]


def _add_gates_that_are_due() -> None:
    with op.batch_alter_table("versions") as batch:
        batch.add_column(
            sa.Column("gate_due", sa.Boolean(), nullable=False, server_default=sa.false())
        )
        batch.add_column(sa.Column("gate_wait", sa.String(), nullable=False, server_default=""))
    with op.batch_alter_table("versions") as batch:
        batch.alter_column("gate_due", server_default=None)
        batch.alter_column("gate_wait", server_default=None)
    op.create_index(op.f("ix_versions_gate_due"), "versions", ["gate_due"])
    versions = sa.table(
        "versions",
        sa.column("id"),
        sa.column("state"),
        sa.column("report", columns.Json()),
        sa.column("gate_due"),
        sa.column("gate_wait"),
    )
    like = sa.cast(versions.c.report, sa.String).like("%gate_due%")
    query = sa.select(versions.c.id, versions.c.report).where(like)
    for version_id, report in op.get_bind().execute(query).all():
        due = report.pop("gate_due", False)
        why = due if isinstance(due, str) else ""
        op.execute(
            versions.update()
            .where(versions.c.id == version_id)
            .values(report=report, gate_due=bool(due), gate_wait=why)
        )
    # No release ever retired a version, but the word was there.
    op.execute(versions.update().where(versions.c.state == "retired").values(state="rejected"))


def _add_rehearsals() -> None:
    with op.batch_alter_table("seasons") as batch:
        batch.add_column(sa.Column("rehearsal_of_id", sa.Integer(), nullable=True))
        batch.add_column(
            sa.Column("reported", sa.Boolean(), nullable=False, server_default=sa.false())
        )
        batch.add_column(sa.Column("verdict", columns.Json(), nullable=True))
        batch.add_column(sa.Column("rehearsed", columns.Json(), nullable=True))
    with op.batch_alter_table("seasons") as batch:
        batch.alter_column("reported", server_default=None)
        batch.create_foreign_key(
            op.f("fk_seasons_rehearsal_of_id"), "seasons", ["rehearsal_of_id"], ["id"]
        )
    op.create_index(op.f("ix_seasons_rehearsal_of_id"), "seasons", ["rehearsal_of_id"])
    seasons = sa.table(
        "seasons",
        *map(sa.column, ("id", "rehearsal_of_id", "reported")),
        *(sa.column(name, columns.Json()) for name in ("budget", "verdict", "rehearsed")),
    )
    rows = op.get_bind().execute(sa.select(seasons.c.id, seasons.c.budget)).all()
    known = {season_id for season_id, _ in rows}
    for season_id, budget in rows:
        of = budget.pop("rehearsal", None)
        reported, verdict = budget.pop("reported", False), budget.pop("verdict", None)
        op.execute(
            seasons.update()
            .where(seasons.c.id == season_id)
            .values(
                budget=budget,
                rehearsal_of_id=None if of is None else int(of) if int(of) in known else season_id,
                reported=bool(reported),
                verdict=verdict,
                rehearsed=_setting(f"rehearsal.{season_id}"),
            )
        )
    op.execute(_SETTINGS.delete().where(_SETTINGS.c.key.like("rehearsal.%")))


def _add_ladders_of_gates() -> None:
    with op.batch_alter_table("gates") as batch:
        batch.add_column(sa.Column("ladder_id", sa.Integer(), nullable=True))
    gates = sa.table(
        "gates", sa.column("id"), sa.column("ladder_id"), sa.column("settings", columns.Json())
    )
    known = set(op.get_bind().execute(sa.text("SELECT id FROM ladders")).scalars())
    for gate_id, chosen in op.get_bind().execute(sa.select(gates.c.id, gates.c.settings)).all():
        ladder_id = chosen.pop("ladder_id", None)
        if ladder_id not in known:
            raise StoreError(
                f"got gate {gate_id} on ladder {json.dumps(ladder_id)}, expected one of"
                f" {sorted(known)}; nothing was changed: report this with a backup"
            )
        op.execute(
            gates.update().where(gates.c.id == gate_id).values(ladder_id=ladder_id, settings=chosen)
        )
    with op.batch_alter_table("gates") as batch:
        batch.alter_column("ladder_id", nullable=False)
        batch.create_foreign_key(op.f("fk_gates_ladder_id"), "ladders", ["ladder_id"], ["id"])
    op.create_index(op.f("ix_gates_ladder_id"), "gates", ["ladder_id"])
