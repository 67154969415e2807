"""The common base of all tables: one metadata with names for every constraint."""

from typing import ClassVar

import sqlalchemy as sa
from sqlmodel import SQLModel

# Alembic can only change a constraint on SQLite when it has a name.
NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class Row(SQLModel):
    """A row of a table of the store."""

    metadata: ClassVar[sa.MetaData] = sa.MetaData(naming_convention=NAMING)
