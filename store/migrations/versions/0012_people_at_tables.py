"""People at tables: who they are, where they sit, what they saw and what they chose.

Revision 0012, follows 0011.
"""

import sqlalchemy as sa
from alembic import op

from store import columns

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "people",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("name_shown", sa.Boolean(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_people_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("owner_id", name=op.f("uq_people_owner_id")),
    )
    op.create_table(
        "sittings",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("creator_id", sa.String(length=40), nullable=False),
        sa.Column("address_hash", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("one_round", sa.Boolean(), nullable=False),
        sa.Column("assisted", sa.Boolean(), nullable=False),
        sa.Column("ratable", sa.Boolean(), nullable=False),
        sa.Column("source", columns.Json(), nullable=True),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("move_ms", sa.Integer(), nullable=False),
        sa.Column("memory", sa.BigInteger(), nullable=True),
        sa.Column("closed_why", sa.String(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("finished_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_sittings_match_id")),
        sa.ForeignKeyConstraint(["creator_id"], ["people.id"], name=op.f("fk_sittings_creator_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_sittings")),
        sa.UniqueConstraint("code", name=op.f("uq_sittings_code")),
    )
    op.create_index("ix_sittings_creator_id_state", "sittings", ["creator_id", "state"])
    op.create_index("ix_sittings_state_address_hash", "sittings", ["state", "address_hash"])
    _create_parts()


def _create_parts() -> None:
    op.create_table(
        "sitting_seats",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("for_person", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("name_shown", sa.Boolean(), nullable=False),
        sa.Column("seen_at", columns.UtcTime(), nullable=True),
        sa.Column("left_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_sitting_seats_match_id")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_sitting_seats_person_id")
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_sitting_seats")),
    )
    op.create_index("ix_sitting_seats_person_id", "sitting_seats", ["person_id"])
    op.create_table(
        "sitting_frames",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("data", columns.Json(), nullable=False),
        sa.Column("at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_sitting_frames_match_id")
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", "number", name=op.f("pk_sitting_frames")),
    )
    op.create_table(
        "sitting_choices",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("ask_no", sa.Integer(), nullable=False),
        sa.Column("choice", columns.Json(), nullable=False),
        sa.Column("by", sa.String(length=20), nullable=False),
        sa.Column("at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_sitting_choices_match_id")
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", "ask_no", name=op.f("pk_sitting_choices")),
    )
    op.create_table(
        "sitting_decisions",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("data", columns.Json(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_sitting_decisions_match_id")
        ),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_sitting_decisions")),
    )


def downgrade() -> None:
    """Undo it."""
    for table in ("sitting_decisions", "sitting_choices", "sitting_frames"):
        op.drop_table(table)
    op.drop_index("ix_sitting_seats_person_id", table_name="sitting_seats")
    op.drop_table("sitting_seats")
    op.drop_index("ix_sittings_state_address_hash", table_name="sittings")
    op.drop_index("ix_sittings_creator_id_state", table_name="sittings")
    op.drop_table("sittings")
    op.drop_table("people")
