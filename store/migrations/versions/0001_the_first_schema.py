"""The first schema.

Revision 0001, follows nothing.
"""

import sqlalchemy as sa
from alembic import op

from store import columns

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "owners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("handle", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("is_house", sa.Boolean(), nullable=False),
        sa.Column("webhook", sa.String(), nullable=True),
        sa.Column("disabled_at", columns.UtcTime(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owners")),
        sa.UniqueConstraint("handle", name=op.f("uq_owners_handle")),
    )
    op.create_table(
        "settings",
        sa.Column("key", sa.String(length=60), nullable=False),
        sa.Column("value", columns.Json(), nullable=False),
        sa.Column("changed_at", columns.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_settings")),
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=True),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("busy", sa.Integer(), nullable=False),
        sa.Column("queues", columns.Json(), nullable=False),
        sa.Column("detail", columns.Json(), nullable=False),
        sa.Column("started_at", columns.UtcTime(), nullable=False),
        sa.Column("heartbeat_at", columns.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )
    with op.batch_alter_table("workers", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_workers_heartbeat_at"), ["heartbeat_at"], unique=False)

    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", columns.UtcTime(), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("subject", sa.String(length=40), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("detail", columns.Json(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["owners.id"], name=op.f("fk_audit_log_actor_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    with op.batch_alter_table("audit_log", schema=None) as batch_op:
        batch_op.create_index(
            "ix_audit_log_subject_id", ["subject", "subject_id", "id"], unique=False
        )

    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("rules", columns.Json(), nullable=False),
        sa.Column("is_anchor", sa.Boolean(), nullable=False),
        sa.Column("current_version", sa.Integer(), nullable=True),
        sa.Column("suspended_at", columns.UtcTime(), nullable=True),
        sa.Column("suspended_why", sa.String(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_bots_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("owner_id", "name", name=op.f("uq_bots_owner_id_name")),
    )
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bots_is_anchor"), ["is_anchor"], unique=False)

    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("link", sa.String(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("read_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_inbox_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
    )
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.create_index("ix_inbox_owner_id_id", ["owner_id", "id"], unique=False)

    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("invited_by_id", sa.Integer(), nullable=True),
        sa.Column("used_by_id", sa.Integer(), nullable=True),
        sa.Column("used_at", columns.UtcTime(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("expires_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["invited_by_id"], ["owners.id"], name=op.f("fk_invitations_invited_by_id")
        ),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_invitations_owner_id")),
        sa.ForeignKeyConstraint(
            ["used_by_id"], ["owners.id"], name=op.f("fk_invitations_used_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_invitations_secret_hash")),
    )
    with op.batch_alter_table("invitations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invitations_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "seasons",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("rules", sa.String(length=40), nullable=False),
        sa.Column("options", columns.Json(), nullable=False),
        sa.Column("table_size", sa.Integer(), nullable=False),
        sa.Column("boards", sa.Integer(), nullable=False),
        sa.Column("passes", sa.Integer(), nullable=False),
        sa.Column("time", columns.Json(), nullable=False),
        sa.Column("in_flight", sa.Integer(), nullable=True),
        sa.Column("max_faults", sa.Integer(), nullable=False),
        sa.Column("budget", columns.Json(), nullable=False),
        sa.Column("opens_at", columns.UtcTime(), nullable=True),
        sa.Column("freezes_at", columns.UtcTime(), nullable=True),
        sa.Column("starts_at", columns.UtcTime(), nullable=True),
        sa.Column("ends_at", columns.UtcTime(), nullable=True),
        sa.Column("frozen_at", columns.UtcTime(), nullable=True),
        sa.Column("started_at", columns.UtcTime(), nullable=True),
        sa.Column("finished_at", columns.UtcTime(), nullable=True),
        sa.Column("commitment", sa.String(), nullable=True),
        sa.Column("balance", columns.Json(), nullable=True),
        sa.Column("standings", columns.Json(), nullable=True),
        sa.Column("standings_at", columns.UtcTime(), nullable=True),
        sa.Column("created_by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["owners.id"], name=op.f("fk_seasons_created_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seasons")),
        sa.UniqueConstraint("name", name=op.f("uq_seasons_name")),
    )
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("seen_at", columns.UtcTime(), nullable=False),
        sa.Column("expires_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_sign_ins_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_ins")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_sign_ins_secret_hash")),
    )
    with op.batch_alter_table("sign_ins", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sign_ins_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("prefix", sa.String(length=12), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("scopes", columns.Json(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("last_used_at", columns.UtcTime(), nullable=True),
        sa.Column("expires_at", columns.UtcTime(), nullable=True),
        sa.Column("revoked_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_tokens_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_tokens_secret_hash")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tokens_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "ladders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=True),
        sa.Column("rules", sa.String(length=40), nullable=False),
        sa.Column("options", columns.Json(), nullable=False),
        sa.Column("table_size", sa.Integer(), nullable=False),
        sa.Column("boards", sa.Integer(), nullable=False),
        sa.Column("passes", sa.Integer(), nullable=False),
        sa.Column("time", columns.Json(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("progress", columns.Json(), nullable=False),
        sa.Column("standings", columns.Json(), nullable=True),
        sa.Column("standings_at", columns.UtcTime(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name=op.f("fk_ladders_season_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ladders")),
        sa.UniqueConstraint("key", name=op.f("uq_ladders_key")),
        sa.UniqueConstraint("season_id", name=op.f("uq_ladders_season_id")),
    )
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("image", sa.String(), nullable=True),
        sa.Column("program", columns.Json(), nullable=True),
        sa.Column("fingerprint", sa.String(), nullable=True),
        sa.Column("report", columns.Json(), nullable=True),
        sa.Column("log", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("accepted_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_versions_bot_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_versions_bot_id_number")),
    )
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_versions_fingerprint"), ["fingerprint"], unique=False)

    op.create_table(
        "entries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("is_anchor", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("left_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_entries_bot_id")),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name=op.f("fk_entries_season_id")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_entries_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
        sa.UniqueConstraint("season_id", "bot_id", name=op.f("uq_entries_season_id_bot_id")),
    )
    with op.batch_alter_table("entries", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_entries_bot_id"), ["bot_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_entries_version_id"), ["version_id"], unique=False)

    op.create_table(
        "gates",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("new_version_id", sa.Integer(), nullable=False),
        sa.Column("old_version_id", sa.Integer(), nullable=False),
        sa.Column("rules", sa.String(length=40), nullable=False),
        sa.Column("options", columns.Json(), nullable=False),
        sa.Column("table_size", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("settings", columns.Json(), nullable=False),
        sa.Column("report", columns.Json(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("finished_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["new_version_id"], ["versions.id"], name=op.f("fk_gates_new_version_id")
        ),
        sa.ForeignKeyConstraint(
            ["old_version_id"], ["versions.id"], name=op.f("fk_gates_old_version_id")
        ),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_gates_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gates")),
    )
    with op.batch_alter_table("gates", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_gates_new_version_id"), ["new_version_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_gates_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "ratings",
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("live", sa.Float(), nullable=False),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("provisional", sa.Boolean(), nullable=False),
        sa.Column("official", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.Column("stats", columns.Json(), nullable=False),
        sa.Column("changed_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladders.id"], name=op.f("fk_ratings_ladder_id")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_ratings_version_id")
        ),
        sa.PrimaryKeyConstraint("ladder_id", "version_id", name=op.f("pk_ratings")),
    )
    with op.batch_alter_table("ratings", schema=None) as batch_op:
        batch_op.create_index(
            "ix_ratings_ladder_id_official", ["ladder_id", "official"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_ratings_version_id"), ["version_id"], unique=False)

    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("detail", columns.Json(), nullable=False),
        sa.Column("report", columns.Json(), nullable=True),
        sa.Column("log", sa.String(), nullable=False),
        sa.Column("idempotency_key", sa.String(length=100), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(), nullable=True),
        sa.Column("token", sa.String(length=40), nullable=True),
        sa.Column("lease_until", columns.UtcTime(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("finished_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_submissions_bot_id")),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_submissions_owner_id")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_submissions_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint(
            "owner_id", "idempotency_key", name=op.f("uq_submissions_owner_id_idempotency_key")
        ),
    )
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_submissions_bot_id"), ["bot_id"], unique=False)
        batch_op.create_index("ix_submissions_owner_id_id", ["owner_id", "id"], unique=False)
        batch_op.create_index("ix_submissions_state_id", ["state", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_submissions_version_id"), ["version_id"], unique=False)

    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=True),
        sa.Column("ladder_id", sa.Integer(), nullable=True),
        sa.Column("gate_id", sa.Integer(), nullable=True),
        sa.Column("round_no", sa.Integer(), nullable=True),
        sa.Column("rules", sa.String(length=40), nullable=False),
        sa.Column("options", columns.Json(), nullable=False),
        sa.Column("table_size", sa.Integer(), nullable=False),
        sa.Column("boards", sa.Integer(), nullable=False),
        sa.Column("passes", sa.Integer(), nullable=False),
        sa.Column("time", columns.Json(), nullable=False),
        sa.Column("in_flight", sa.Integer(), nullable=True),
        sa.Column("max_faults", sa.Integer(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("rated_why", sa.String(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sa.String(length=80), nullable=False),
        sa.Column("queue", sa.String(length=20), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("due_at", columns.UtcTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=40), nullable=True),
        sa.Column("worker", sa.String(length=100), nullable=True),
        sa.Column("lease_until", columns.UtcTime(), nullable=True),
        sa.Column("published_at", columns.UtcTime(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("started_at", columns.UtcTime(), nullable=True),
        sa.Column("finished_at", columns.UtcTime(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("runner", sa.String(length=20), nullable=True),
        sa.ForeignKeyConstraint(["gate_id"], ["gates.id"], name=op.f("fk_matches_gate_id")),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladders.id"], name=op.f("fk_matches_ladder_id")),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name=op.f("fk_matches_season_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("token", name=op.f("uq_matches_token")),
    )
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_matches_gate_id"), ["gate_id"], unique=False)
        batch_op.create_index("ix_matches_ladder_id_id", ["ladder_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_matches_lease_until"), ["lease_until"], unique=False)
        batch_op.create_index("ix_matches_season_id_id", ["season_id", "id"], unique=False)
        batch_op.create_index(
            "ix_matches_season_id_state_id", ["season_id", "state", "id"], unique=False
        )
        batch_op.create_index(
            "ix_matches_state_finished_at", ["state", "finished_at"], unique=False
        )
        batch_op.create_index(
            "ix_matches_state_priority_id", ["state", "priority", "id"], unique=False
        )

    op.create_table(
        "attempts",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("worker", sa.String(length=100), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("charged", sa.Boolean(), nullable=False),
        sa.Column("evidence", columns.Json(), nullable=True),
        sa.Column("started_at", columns.UtcTime(), nullable=False),
        sa.Column("heartbeat_at", columns.UtcTime(), nullable=False),
        sa.Column("finished_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_attempts_match_id")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_attempts")),
        sa.UniqueConstraint("token", name=op.f("uq_attempts_token")),
    )
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.create_index("ix_attempts_worker_state", ["worker", "state"], unique=False)
        batch_op.create_index(
            "uq_attempts_running",
            ["match_id"],
            unique=True,
            sqlite_where=sa.text("state = 'running'"),
            postgresql_where=sa.text("state = 'running'"),
        )

    op.create_table(
        "blocks",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("ladder_id", sa.Integer(), nullable=True),
        sa.Column("versions", columns.Json(), nullable=False),
        sa.Column("games", columns.Json(), nullable=False),
        sa.Column("live_no", sa.Integer(), nullable=True),
        sa.Column("at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladders.id"], name=op.f("fk_blocks_ladder_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_blocks_match_id")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_blocks")),
    )
    with op.batch_alter_table("blocks", schema=None) as batch_op:
        batch_op.create_index(
            "ix_blocks_ladder_id", ["ladder_id", "match_id", "number"], unique=False
        )

    op.create_table(
        "faults",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("pass_no", sa.Integer(), nullable=True),
        sa.Column("game_no", sa.Integer(), nullable=True),
        sa.Column("round_no", sa.Integer(), nullable=True),
        sa.Column("decision", sa.Integer(), nullable=True),
        sa.Column("detail", columns.Json(), nullable=True),
        sa.Column("at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_faults_match_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_faults_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_faults")),
    )
    with op.batch_alter_table("faults", schema=None) as batch_op:
        batch_op.create_index("ix_faults_match_id_attempt", ["match_id", "attempt"], unique=False)
        batch_op.create_index("ix_faults_version_id_id", ["version_id", "id"], unique=False)

    op.create_table(
        "games",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("pass_no", sa.Integer(), nullable=False),
        sa.Column("game_no", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("seats", columns.Json(), nullable=False),
        sa.Column("points", columns.Json(), nullable=False),
        sa.Column("places", columns.Json(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("out", columns.Json(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_games_match_id")),
        sa.PrimaryKeyConstraint("match_id", "pass_no", "game_no", name=op.f("pk_games")),
    )
    op.create_table(
        "rating_points",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.Column("at", columns.UtcTime(), nullable=False),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.Column("live", sa.Float(), nullable=True),
        sa.Column("official", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["ladder_id"], ["ladders.id"], name=op.f("fk_rating_points_ladder_id")
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_rating_points_match_id")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_rating_points_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_points")),
    )
    with op.batch_alter_table("rating_points", schema=None) as batch_op:
        batch_op.create_index(
            "ix_rating_points_ladder_id_version_id_id",
            ["ladder_id", "version_id", "id"],
            unique=False,
        )

    op.create_table(
        "replay_blobs",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_replay_blobs_match_id")
        ),
        sa.PrimaryKeyConstraint("match_id", "attempt", "kind", name=op.f("pk_replay_blobs")),
    )
    with op.batch_alter_table("replay_blobs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_replay_blobs_sha256"), ["sha256"], unique=False)

    op.create_table(
        "seats",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("places", sa.Float(), nullable=False),
        sa.Column("wins", sa.Float(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("out_games", sa.Integer(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("think_ms", sa.Float(), nullable=False),
        sa.Column("stats", columns.Json(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_seats_bot_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seats_match_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_seats_version_id")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_seats")),
    )
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index("ix_seats_bot_id_match_id", ["bot_id", "match_id"], unique=False)
        batch_op.create_index(
            "ix_seats_version_id_match_id", ["version_id", "match_id"], unique=False
        )


def downgrade() -> None:
    """Undo the change."""
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.drop_index("ix_seats_version_id_match_id")
        batch_op.drop_index("ix_seats_bot_id_match_id")

    op.drop_table("seats")
    with op.batch_alter_table("replay_blobs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_replay_blobs_sha256"))

    op.drop_table("replay_blobs")
    with op.batch_alter_table("rating_points", schema=None) as batch_op:
        batch_op.drop_index("ix_rating_points_ladder_id_version_id_id")

    op.drop_table("rating_points")
    op.drop_table("games")
    with op.batch_alter_table("faults", schema=None) as batch_op:
        batch_op.drop_index("ix_faults_version_id_id")
        batch_op.drop_index("ix_faults_match_id_attempt")

    op.drop_table("faults")
    with op.batch_alter_table("blocks", schema=None) as batch_op:
        batch_op.drop_index("ix_blocks_ladder_id")

    op.drop_table("blocks")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_attempts_running",
            sqlite_where=sa.text("state = 'running'"),
            postgresql_where=sa.text("state = 'running'"),
        )
        batch_op.drop_index("ix_attempts_worker_state")

    op.drop_table("attempts")
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_index("ix_matches_state_priority_id")
        batch_op.drop_index("ix_matches_state_finished_at")
        batch_op.drop_index("ix_matches_season_id_state_id")
        batch_op.drop_index("ix_matches_season_id_id")
        batch_op.drop_index(batch_op.f("ix_matches_lease_until"))
        batch_op.drop_index("ix_matches_ladder_id_id")
        batch_op.drop_index(batch_op.f("ix_matches_gate_id"))

    op.drop_table("matches")
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_submissions_version_id"))
        batch_op.drop_index("ix_submissions_state_id")
        batch_op.drop_index("ix_submissions_owner_id_id")
        batch_op.drop_index(batch_op.f("ix_submissions_bot_id"))

    op.drop_table("submissions")
    with op.batch_alter_table("ratings", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_ratings_version_id"))
        batch_op.drop_index("ix_ratings_ladder_id_official")

    op.drop_table("ratings")
    with op.batch_alter_table("gates", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_gates_owner_id"))
        batch_op.drop_index(batch_op.f("ix_gates_new_version_id"))

    op.drop_table("gates")
    with op.batch_alter_table("entries", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_entries_version_id"))
        batch_op.drop_index(batch_op.f("ix_entries_bot_id"))

    op.drop_table("entries")
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_versions_fingerprint"))

    op.drop_table("versions")
    op.drop_table("ladders")
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tokens_owner_id"))

    op.drop_table("tokens")
    with op.batch_alter_table("sign_ins", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_ins_owner_id"))

    op.drop_table("sign_ins")
    op.drop_table("seasons")
    with op.batch_alter_table("invitations", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_invitations_owner_id"))

    op.drop_table("invitations")
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_index("ix_inbox_owner_id_id")

    op.drop_table("inbox")
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bots_is_anchor"))

    op.drop_table("bots")
    with op.batch_alter_table("audit_log", schema=None) as batch_op:
        batch_op.drop_index("ix_audit_log_subject_id")

    op.drop_table("audit_log")
    with op.batch_alter_table("workers", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_workers_heartbeat_at"))

    op.drop_table("workers")
    op.drop_table("settings")
    op.drop_table("owners")
