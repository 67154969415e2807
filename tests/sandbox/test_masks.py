"""What a bot can read of the host: the page, the masks and the probe's lists say the same."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.config import MASKED

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "sandbox.md"
HEADING = "### What a bot can read of the host\n"
RUNTIMES = {"runc": "possible.txt", "runsc": "possible-runsc.txt"}
"""The columns of the table, and the golden lists that they repeat."""


@dataclass(frozen=True)
class Row:
    """Some paths, and which of them can be read under a runtime."""

    what: str
    paths: frozenset[str]
    readable: dict[str, frozenset[str]]


def paths_in(cell: str) -> frozenset[str]:
    return frozenset(path for path in re.findall(r"`([^`]+)`", cell) if path.startswith("/"))


def rows() -> Iterator[Row]:
    text = PAGE.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n### ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    columns = [cell.strip() for cell in lines[0].strip("|").split("|")][2:]
    assert columns == list(RUNTIMES)
    for line in lines[2:]:
        what, named, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        paths = paths_in(named)
        said = {
            runtime: paths if cell == "all" else paths_in(cell)
            for runtime, cell in zip(columns, cells, strict=True)
        }
        yield Row(what, paths, said)


def probed() -> dict[str, str]:
    """What the probe reads and lists, by the names of its answers."""
    tree = ast.parse((HERE / "inside" / "probe.py").read_text(encoding="utf-8"))
    tables = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("READS", "LISTS")
    }
    return {
        **{f"read {name}": path for name, path in tables["READS"].items()},
        **{f"list {name}": path for name, path in tables["LISTS"].items()},
        **{f"see {path}": path for path in MASKED},
    }


def test_the_page_names_exactly_what_is_masked() -> None:
    masked = [row for row in rows() if not row.what.startswith("not masked")]
    named = [path for row in masked for path in row.paths]
    assert sorted(named) == sorted(MASKED)
    assert all(row.readable["runc"] == frozenset() for row in masked)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_page_says_what_the_probe_could_read(runtime: str) -> None:
    golden = (HERE / "golden" / RUNTIMES[runtime]).read_text().splitlines()
    attempts = probed()
    read = {attempts[name] for name in golden if name.startswith(("read ", "list ", "see "))}
    assert {path for row in rows() for path in row.readable[runtime]} == read
    assert {path for row in rows() for path in row.paths} <= set(attempts.values())
