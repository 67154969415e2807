"""Reviews of games: wanted, being made, or there to read.

Revision 0008, follows 0007.
"""

import sqlalchemy as sa
from alembic import op

from store import columns

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "reviews",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("pass_no", sa.Integer(), nullable=False),
        sa.Column("game_no", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(length=100), nullable=True),
        sa.Column("lease_until", columns.UtcTime(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(), nullable=False),
        sa.Column("summary", columns.Json(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", columns.UtcTime(), nullable=False),
        sa.Column("finished_at", columns.UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_reviews_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviews")),
        sa.UniqueConstraint(
            *("match_id", "attempt", "pass_no", "game_no"),
            name=op.f("uq_reviews_match_id_attempt_pass_no_game_no"),
        ),
    )
    op.create_index("ix_reviews_state_turn_id", "reviews", ["state", "turn", "id"])


def downgrade() -> None:
    """Undo it."""
    op.drop_index("ix_reviews_state_turn_id", table_name="reviews")
    op.drop_table("reviews")
