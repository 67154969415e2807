"""Reviews of replays that belong to no match, named by the file that holds them.

Revision 0010, follows 0009.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    with op.batch_alter_table("reviews") as reviews:
        reviews.add_column(sa.Column("replay", sa.String(length=64), nullable=True))
        reviews.alter_column("match_id", existing_type=sa.Integer(), nullable=True)
    op.create_index(op.f("ix_reviews_replay"), "reviews", ["replay"], unique=True)


def downgrade() -> None:
    """Undo it."""
    op.execute("DELETE FROM reviews WHERE match_id IS NULL")
    op.drop_index(op.f("ix_reviews_replay"), table_name="reviews")
    with op.batch_alter_table("reviews") as reviews:
        reviews.alter_column("match_id", existing_type=sa.Integer(), nullable=False)
        reviews.drop_column("replay")
