"""${message}

Revision ${up_revision}, follows ${down_revision | comma,n}.
"""

import sqlalchemy as sa
from alembic import op

from store import columns
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Undo the change."""
    ${downgrades if downgrades else "pass"}
