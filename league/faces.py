"""Lazy faces: a room's `__init__` lists its public names once, for the type checker to read.

Here that list is read again at run time, and a name brings its module along only when it is used:
whoever plays at home imports no database, broker or Docker.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def names_in(source: str) -> dict[str, str]:
    """The names that a face lists under `if TYPE_CHECKING:`, each with its module.

    >>> names_in("if TYPE_CHECKING:\\n    from league.gate.due import open_due as open_due")
    {'open_due': 'league.gate.due'}
    """
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
            for line in node.body:
                if isinstance(line, ast.ImportFrom) and line.module is not None:
                    found |= {alias.asname or alias.name: line.module for alias in line.names}
    return found


def lazy(room: str, file: str) -> tuple[Callable[[str], object], list[str]]:
    """`__getattr__` and `__all__` of a room."""
    homes = names_in(Path(file).read_text(encoding="utf-8"))

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"{room} has no public name {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[room], name, value)
        return value

    return get, sorted(homes)
