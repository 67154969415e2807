"""Counts of a season's matches, which triggers keep, so that pages need not count.

Revision 0009, follows 0008.
"""

import sqlalchemy as sa
from alembic import op

from store import revisions

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change; `store.migrate` makes the triggers and counts when all have run."""
    op.create_table(
        "season_counts",
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("lane", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint(
            "season_id", "state", "rated", "lane", name=op.f("pk_season_counts")
        ),
    )


def downgrade() -> None:
    """Undo it."""
    revisions.remove(op.get_bind())
    op.drop_table("season_counts")
