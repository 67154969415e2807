"""How this command was installed, from a checkout or as a wheel, and so what to type here."""

import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IS_CHECKOUT = (ROOT / "bullring").is_file()
COMMAND = "./bullring" if IS_CHECKOUT else "bullring"
PYTHON = ".venv/bin/python" if IS_CHECKOUT else shlex.quote(sys.executable)
"""A Python that has what this command has."""
UPDATE = "git pull" if IS_CHECKOUT else "pip install --upgrade bullring"
SERVER = frozenset(
    {
        "alembic", "argon2", "celery", "fastapi", "jinja2", "kombu", "limits", "markdown_it",
        "markupsafe", "prometheus_client", "python_multipart", "redis",
        "sqlalchemy", "sqlmodel", "starlette", "structlog", "uvicorn",
    }
)  # fmt: skip
"""What only a league imports; everything else of a plain install is the author's."""
OTHER_EXTRAS = {"docker": "docker", "psycopg": "postgres"}


def lacking(error: ModuleNotFoundError) -> str | None:
    """What to install for a command that stopped at this import; None: an error of ours.

    >>> lacking(ModuleNotFoundError(name="fastapi.routing"))
    "this command needs fastapi, which is not installed; type: pip install 'bullring[server]'"
    """
    module = (error.name or "").partition(".")[0]
    extra = "server" if module in SERVER else OTHER_EXTRAS.get(module)
    if extra is None:
        return None
    return (
        f"this command needs {module}, which is not installed;"
        f" type: pip install 'bullring[{extra}]'"
    )
