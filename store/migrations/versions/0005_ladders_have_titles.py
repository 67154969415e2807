"""A ladder may have a title, which pages show instead of its rules and table size.

Revision 0005, follows 0004.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    # Added with a default, so that no row has to be rewritten and workers may go on playing.
    op.add_column(
        "ladders", sa.Column("title", sa.String(length=100), server_default="", nullable=False)
    )


def downgrade() -> None:
    """Undo it."""
    with op.batch_alter_table("ladders") as ladders:
        ladders.drop_column("title")
