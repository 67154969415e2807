"""Friendly matches: who asked for one and whether it is shared; which bots take part.

Revision 0011, follows 0010.
"""

import sqlalchemy as sa
from alembic import op

from store import columns

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "friendlies",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_friendlies_match_id")),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_friendlies_owner_id")),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_friendlies_bot_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_friendlies")),
    )
    op.create_index("ix_friendlies_owner_id_match_id", "friendlies", ["owner_id", "match_id"])
    # Added with a default, so that no row has to be rewritten and workers may go on playing.
    op.add_column(
        "bots", sa.Column("friendlies", sa.Boolean(), server_default=sa.true(), nullable=False)
    )


def downgrade() -> None:
    """Undo it."""
    with op.batch_alter_table("bots") as bots:
        bots.drop_column("friendlies")
    op.drop_index("ix_friendlies_owner_id_match_id", table_name="friendlies")
    op.drop_table("friendlies")
