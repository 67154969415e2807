"""Seats say when a platform bot stands in; sign-ins leave a keyed hash of their address.

Revision 0004, follows 0003.
"""

import sqlalchemy as sa
from alembic import op

from store import columns

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    # Added with a default, so that no row has to be rewritten and workers may go on playing.
    op.add_column(
        "seats", sa.Column("substitute", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.create_table(
        "seen_addresses",
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("address_mac", sa.String(length=64), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("first_at", columns.UtcTime(), nullable=False),
        sa.Column("last_at", columns.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["owners.id"], name=op.f("fk_seen_addresses_owner_id")
        ),
        sa.PrimaryKeyConstraint("owner_id", "address_mac", name=op.f("pk_seen_addresses")),
    )
    op.create_index(op.f("ix_seen_addresses_address_mac"), "seen_addresses", ["address_mac"])


def downgrade() -> None:
    """Undo it."""
    op.drop_index(op.f("ix_seen_addresses_address_mac"), table_name="seen_addresses")
    op.drop_table("seen_addresses")
    with op.batch_alter_table("seats") as seats:
        seats.drop_column("substitute")
