"""Alembic's entry: runs on the connection that `store.migrate` hands over."""

from typing import Any, Literal

import sqlalchemy as sa
from alembic import context

from store.columns import Json, UtcTime
from store.tables import METADATA


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Write column types plainly: a migration must not change when an enum grows."""
    if kind != "type":
        return False
    if isinstance(item, (Json, UtcTime)):
        return f"columns.{type(item).__name__}()"
    if isinstance(item, sa.Enum) or type(item).__name__ == "AutoString":
        return "sa.String()" if item.length is None else f"sa.String(length={item.length})"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    render_item=render_item,
)
context.run_migrations()
