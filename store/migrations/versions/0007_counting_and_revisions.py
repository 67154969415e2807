"""An index that counts the matches of a season by itself, and tokens of what pages show.

Revision 0007, follows 0006.
"""

import sqlalchemy as sa
from alembic import op

from store import revisions

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change; `store.migrate` makes the triggers when all migrations have run."""
    op.create_index("ix_matches_season_id_state_rated", "matches", ["season_id", "state", "rated"])
    op.create_table(
        "revisions",
        sa.Column("topic", sa.String(length=40), nullable=False),
        sa.Column("lane", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("topic", "lane", name=op.f("pk_revisions")),
    )


def downgrade() -> None:
    """Undo it."""
    revisions.remove(op.get_bind())
    op.drop_table("revisions")
    op.drop_index("ix_matches_season_id_state_rated", table_name="matches")
