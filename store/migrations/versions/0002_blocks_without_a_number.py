"""Blocks lose the number of their live update: the order follows from the matches alone.

Revision 0002, follows 0001.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    with op.batch_alter_table("blocks") as blocks:
        blocks.drop_column("live_no")


def downgrade() -> None:
    """Undo it."""
    with op.batch_alter_table("blocks") as blocks:
        blocks.add_column(sa.Column("live_no", sa.Integer(), nullable=True))
