"""The worker's role in PostgreSQL: what it may do to which table, and nothing else.

A worker runs beside strangers' programs. A program that gets hold of its password must not reach
accounts, tokens or the audit log.
"""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.engine import make_engine, normal_url
from store.errors import StoreError
from store.migrate import MIGRATION_LOCK
from store.tables import METADATA

WORKER_ROLE = "bullring_worker"


@dataclass(frozen=True, slots=True)
class Rights:
    """What a role may do to a table."""

    acts: tuple[str, ...] = ()
    """On whole rows: SELECT, INSERT, UPDATE, DELETE."""
    columns: tuple[str, ...] = ()
    """Columns that may be read even where rows may not."""


NOTHING = Rights()
READ = Rights(("SELECT",))
ADD = Rights(("SELECT", "INSERT"))
CHANGE = Rights(("SELECT", "UPDATE"))
ADD_AND_CHANGE = Rights(("SELECT", "INSERT", "UPDATE"))

WORKER_RIGHTS: dict[str, Rights] = {
    # Playing: take a match, renew the lease, store what came of it.
    "matches": CHANGE,
    "attempts": ADD_AND_CHANGE,
    "seats": CHANGE,
    "games": ADD,
    "blocks": ADD,
    "faults": ADD,
    "replay_blobs": ADD,
    # Reviews are asked for by others.
    "reviews": CHANGE,
    # Tables with people: show each seat what it may see, and keep what was decided.
    "sittings": CHANGE,
    "sitting_seats": READ,
    "sitting_frames": ADD,
    "sitting_choices": ADD_AND_CHANGE,
    "sitting_decisions": ADD,
    "workers": ADD_AND_CHANGE,
    # Checking: a submission becomes a version, and its owner is told.
    "submissions": CHANGE,
    "versions": ADD_AND_CHANGE,
    "bots": CHANGE,
    "inbox": Rights(("INSERT",), columns=("id",)),
    "owners": Rights(columns=("id", "handle")),
    # What matches belong to.
    "seasons": READ,
    "entries": READ,
    "scales": READ,
    "ladders": READ,
    "ladder_entries": READ,
    "gates": READ,
    "ratings": READ,
    "rating_points": READ,
    "settings": READ,
    # Nothing that a worker needs.
    "people": NOTHING,
    "sign_ins": NOTHING,
    "seen_addresses": NOTHING,
    "invitations": NOTHING,
    "tokens": NOTHING,
    "audit_log": NOTHING,
    "friendlies": NOTHING,
    # Triggers write these with the rights of the owner of the tables.
    "changes": NOTHING,
    "revisions": NOTHING,
    "season_counts": NOTHING,
}
"""Every table is listed here; one that is not is closed to workers."""


_WHO = "SELECT rolname, rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user"


def grant_worker(url: str, password: str, role: str = WORKER_ROLE) -> None:
    """Make the role, or bring it to what stands above; safe to run again and by two at once."""
    address = normal_url(url)
    if not address.startswith("postgresql"):
        raise StoreError("roles exist in PostgreSQL only; an embedded league has one user")
    engine = make_engine(address, pool_size=1)
    try:
        with engine.begin() as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            _log_in(connection, role, password)
            _grant(connection, role)
    finally:
        engine.dispose()


def _log_in(connection: Connection, role: str, password: str) -> None:
    """The role with its password, which travels and is logged as a hash."""
    from psycopg import sql

    driver = connection.connection.driver_connection
    assert driver is not None
    ours = connection.execute(sa.text(_WHO)).one()
    known = sa.text("SELECT 1 FROM pg_roles WHERE rolname = :name")
    exists = connection.execute(known, {"name": role}).first() is not None
    if not (ours.rolsuper or ours.rolcreaterole):
        if exists:
            # Somebody with more rights made it and gave it its password; its tables are ours.
            return
        raise StoreError(
            f"got the database user {ours.rolname}, who may not make roles; let one who may run:"
            f" CREATE ROLE {role} LOGIN PASSWORD '…' (the one of BULLRING_WORKER_PASSWORD), then"
            " run this again"
        )
    if not exists:
        driver.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(role)))
    secret = driver.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256")
    # Only a superuser may mention some attributes, even to say that a role does not have them.
    lesser = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION " if ours.rolsuper else ""
    change = sql.SQL("ALTER ROLE {} LOGIN " + lesser + "PASSWORD {}")
    driver.execute(change.format(sql.Identifier(role), sql.Literal(secret.decode())))


def _grant(connection: Connection, role: str) -> None:
    quote = connection.dialect.identifier_preparer.quote
    name = quote(role)
    database = quote(str(connection.engine.url.database))
    statements = [
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {name}",
        f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {name}",
        f"GRANT CONNECT ON DATABASE {database} TO {name}",
        f"GRANT USAGE ON SCHEMA public TO {name}",
        f"GRANT SELECT ON alembic_version TO {name}",
    ]
    for table in METADATA.sorted_tables:
        rights = WORKER_RIGHTS.get(table.name, NOTHING)
        there = quote(table.name)
        if rights.acts:
            statements.append(f"GRANT {', '.join(rights.acts)} ON {there} TO {name}")
        if rights.columns:
            statements.append(f"GRANT SELECT ({', '.join(rights.columns)}) ON {there} TO {name}")
        if "INSERT" in rights.acts and "id" in table.columns:
            statements.append(f"GRANT USAGE ON SEQUENCE {quote(table.name + '_id_seq')} TO {name}")
    for statement in statements:
        connection.execute(sa.text(statement))
