"""The shape of the tree: who may import whom, who builds the parts, how large a module may be."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from cli.dev import existing_packages
from league.faces import names_in

ROOT = Path(__file__).resolve().parent.parent

# docs/architecture.md draws this. A package may import itself, what stands here, and nothing
# else of ours.
ALLOWED: dict[str, set[str]] = {
    "nimmt": set(),
    "wire": {"nimmt"},
    "botkit": {"nimmt", "wire"},
    "sample_bots": {"botkit", "nimmt", "wire"},
    "referee": {"nimmt", "wire"},
    "sandbox": {"nimmt"},
    # The states, the API's models and their words: below everything that shows or keeps them.
    "api_models": set(),
    "store": {"api_models", "nimmt"},
    "review": {"nimmt"},
    "league": {"api_models", "nimmt", "referee", "review", "sandbox", "store"},
    "dashboard": {"api_models", "league", "nimmt", "referee", "review", "sandbox", "store"},
    "cli": {"api_models", "dashboard", "league", "nimmt", "referee", "review", "sandbox", "store"},
    # The images of the kits stand on the base image of Python bots.
    "kits": {"sandbox"},
    # Training needs the rules, and bots as opponents; nothing that plays needs it.
    "train": {"botkit", "nimmt"},
    "arena": {"botkit", "dashboard", "league", "nimmt", "referee"},
}
# What strangers install (packaging/botkit) needs grpcio and protobuf alone, the rules nothing.
FOREIGN: dict[str, set[str]] = {
    "nimmt": set(),
    # grpc_tools writes the generated code again; no author needs it.
    "wire": {"google", "grpc", "grpc_tools"},
    "botkit": {"google", "grpc"},
    # Pure, so that a review can run wherever the rules do.
    "review": set(),
    # Whoever only talks to a league installs no server.
    "api_models": {"pydantic"},
    "train": {"gymnasium", "numpy", "pettingzoo"},
}
# The rooms of a package in their order, a row a layer: a room imports its own modules and the
# rooms of rows above its own, never one beside it. `core` is every module outside the rooms.
ROOMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "league": (
        ("core",),
        ("schedule", "ratings", "bots", "live", "notices"),
        ("matches",),
        ("reviews", "people"),
        ("seasons", "ladder"),
        ("gate",),
        ("authors", "friendlies"),
        ("submissions",),
        ("worker",),
        ("wiring", "services"),
        ("local",),
    ),
    "dashboard": (
        ("core",),
        ("render",),
        # Every request finds the site, and the site is made of these; they know one another.
        ("site", "http", "live", "viewer"),
        ("reads",),
        ("archive", "references"),
        ("pages", "api"),
        ("app",),
    ),
    "cli": (("core",), ("local",), ("author", "organise", "operate"), ("main",), ("__main__",)),
}
TOGETHER = {"dashboard": {"site", "http", "live", "viewer"}, "league": {"wiring", "services"}}
"""Rooms of one row that may import each other."""
WITH_FACES = {*ROOMS, "store"}
"""`store` is one package of named modules; the few that are folders have faces like rooms."""
MODULE_CEILING = 600
# A migration is one long list that is never edited again.
WITHOUT_CEILING = Path("store/migrations/versions")
# Only the wiring builds a part of these packages that does something. Parts are named after what
# they do; records (Limits, MatchPlan) are not, and anybody may make them.
PART_NAME = r"(Sandbox|Runner|Builder|Engine|Server|Supervisor|Referee)$"
BUILT_BY_WIRING = {"referee", "sandbox"}
WIRING = Path("league/wiring")
# Rows are made, changed in bulk and removed in `store` alone; the league reads with queries of its
# own, and sets the fields of rows that it was given.
WRITES = {
    "session": {"add", "add_all", "delete", "merge"},
    "sa": {"insert", "update", "delete"},
}
# Split in two, so that this file does not find itself.
FORBIDDEN = re.compile(
    "|".join(
        (
            r"\bTO" + r"DO\b",
            r"\bFIX" + r"ME\b",
            r"\bXX" + r"X\b",
            r"(?<![\w.])/" + "root/",
            r"(?<![\w.])/" + "work/",
            "/tmp/" + "team",
            r"pypi\." + "org",
            "python" + "hosted",
        )
    )
)


@cache
def packages() -> list[str]:
    return existing_packages(ROOT)


@cache
def modules() -> list[Path]:
    found = [path.relative_to(ROOT) for name in packages() for path in (ROOT / name).rglob("*.py")]
    return sorted(path for path in found if not path.is_relative_to("wire/v1"))


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("needs a git checkout to know which files are ours")
    return [ROOT / name for name in listing.stdout.split("\0") if name]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def imported_names(source: str) -> Iterator[str]:
    """Every absolute import, wherever it stands, type checking blocks included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def forbidden_imports(package: str, source: str) -> set[str]:
    """The top-level names that this package may not import."""
    tops = {name.split(".")[0] for name in imported_names(source)} - {package}
    wrong = {top for top in tops if top in ALLOWED and top not in ALLOWED[package]}
    if package in FOREIGN:
        wrong |= tops - set(sys.stdlib_module_names) - ALLOWED[package] - FOREIGN[package]
    return wrong


def built_parts(source: str) -> set[str]:
    """Names from referee or sandbox that are called, and are parts by their name.

    However they come here: by `from sandbox import X`, `import sandbox.x` or `… as other`.
    """
    tree = ast.parse(source)
    imported: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if (node.module or "").split(".")[0] in BUILT_BY_WIRING:
                imported |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                if top in BUILT_BY_WIRING:
                    imported[alias.asname or top] = top
    called = {
        imported[first] if first == last else last
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for first, last in [ends_of(ast.unparse(node.func))]
        if first in imported
    }
    return {name for name in called if re.search(PART_NAME, name)}


def ends_of(dotted: str) -> tuple[str, str]:
    """The first and the last name of a dotted one: `sandbox` and `Engine` of `sandbox.x.Engine`."""
    parts = dotted.split(".")
    return parts[0], parts[-1]


def written_rows(source: str) -> set[str]:
    """Calls that write rows, by the usual names of sessions and of SQLAlchemy."""
    return {
        f"{node.func.value.id}.{node.func.attr}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.attr in WRITES.get(node.func.value.id, ())
    }


def room_of(package: str, module: str) -> str:
    """The room that a module of this package belongs to, or `core`.

    Modules that put a package together (`league.wiring`) are rooms of their own.
    """
    part = f"{module}.".split(".")[1]
    return part if any(part in row for row in ROOMS[package]) else "core"


def taken_modules(tree: ast.Module) -> Iterator[str]:
    """Every module that is imported, in either form, the one that a name is when it is a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if is_module(inner) else node.module


@cache
def imports_of(path: Path) -> frozenset[str]:
    return frozenset(taken_modules(tree_of(path)))


@cache
def is_module(dotted: str) -> bool:
    path = ROOT / dotted.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@cache
def face_of(dotted: str) -> str | None:
    """The face in front of a module: `league.gate` of `league.gate.due`; None outside rooms."""
    parts = dotted.split(".")
    is_room = len(parts) > 1 and (ROOT / parts[0] / parts[1] / "__init__.py").exists()
    return ".".join(parts[:2]) if parts[0] in WITH_FACES and is_room else None


def dotted_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def listed(face: str, tree: ast.Module) -> dict[str, str]:
    """The names in `__all__` of a face that imports them at once, as those of `store` do."""
    imported = {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    return {
        name: imported.get(name, face)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for name in ast.literal_eval(node.value)
    }


@cache
def faces() -> dict[str, dict[str, str]]:
    """Every room with the names its face lists, and the module that each comes from."""
    found = {
        face: names_in((ROOT / path).read_text(encoding="utf-8")) or listed(face, tree_of(path))
        for path in modules()
        if path.parts[0] in WITH_FACES
        and path.name == "__init__.py"
        and (face := face_of(dotted_name(path))) == dotted_name(path)
    }
    assert len(found) > 20
    return found


def wrong_way(package: str, path: Path) -> set[str]:
    """The rooms that this module imports and may not."""
    order = {room: row for row, rooms in enumerate(ROOMS[package]) for room in rooms}
    own = room_of(package, dotted_name(path))
    wrong = set()
    for taken in imports_of(path):
        if taken.split(".")[0] != package:
            continue
        room = room_of(package, taken)
        allowed = order[room] < order[own] or room == own
        if not allowed and not {room, own} <= TOGETHER.get(package, set()):
            wrong.add(f"{path}: {own} imports {room} ({taken})")
    return wrong


@pytest.mark.parametrize("package", ROOMS)
def test_a_room_imports_only_rooms_before_it(package: str) -> None:
    own = [path for path in modules() if path.parts[0] == package]
    assert not {line for path in own for line in wrong_way(package, path)}


@pytest.mark.parametrize("package", ROOMS)
def test_every_room_has_its_place_in_the_order(package: str) -> None:
    folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    assert folders <= {room for row in ROOMS[package] for room in row}


def test_a_room_is_entered_by_its_face() -> None:
    """From outside nobody imports a module of a room; tests and benches may look inside."""
    wrong = {
        f"{path}: {line}"
        for path in modules()
        for line in past_faces(dotted_name(path), imports_of(path))
    }
    assert not wrong


def past_faces(module: str, taken: Iterable[str]) -> Iterator[str]:
    """What a module takes from behind a face that is not its own."""
    own = face_of(module)
    for one in taken:
        face = face_of(one)
        if face is not None and face not in (own, one):
            yield f"{one}, not {face}"


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("league.worker.tick", "from league.gate import open_gate", []),
        ("league.worker.tick", "import league.gate.due", ["league.gate.due, not league.gate"]),
        ("league.gate.life", "import league.gate.due", []),
        ("league.people", "from store.tables import Match", []),
        ("store.matches", "import store.tables.bots", ["store.tables.bots, not store.tables"]),
        (
            "cli.main",
            "from store.archive.form import MAGIC",
            ["store.archive.form, not store.archive"],
        ),
    ],
)
def test_the_check_of_faces_finds_what_it_should(
    module: str, source: str, expected: list[str]
) -> None:
    assert list(past_faces(module, taken_modules(ast.parse(source)))) == expected


@pytest.mark.parametrize("room", sorted(faces()))
def test_a_face_shows_names_that_exist_and_hide_no_module(room: str) -> None:
    for name, module in faces()[room].items():
        assert f"{module}.".startswith(f"{room}."), f"{name} comes from {module}"
        assert not is_module(f"{room}.{name}"), f"{name} is a module of {room} too"
        assert getattr(import_module(room), name) is getattr(import_module(module), name)


def test_the_faces_of_the_store_are_looked_at_too() -> None:
    assert {"store.archive", "store.sittings", "store.tables"} <= set(faces())
    assert faces()["store.tables"]["Match"] == "store.tables.matches"
    assert faces()["store.archive"]["Archive"] == "store.archive"


def test_a_face_refuses_what_it_does_not_list() -> None:
    with pytest.raises(AttributeError, match=r"league.seasons has no public name 'no_such_step'"):
        import_module("league.seasons").no_such_step  # noqa: B018 - the look is the test


LIGHT = {
    "the command line": "import cli.main; cli.main.build_app()",
    "a match at home": "import cli.local.play, league.local.match, league.matches.summary",
    "a gate at home": "import league.local.gate; from league.gate import gate_report",
    "a tournament at home": (
        "import cli.local.tournament; from league.local import ResultsFile, run_tournament, judge"
    ),
    "packing a bot": "import cli.author.submit, cli.author.remote.parcel, sandbox.packing",
    "talking to a league": (
        "import cli.author.remote.client, cli.author.remote.following, api_models.words,"
        " api_models.models, api_models.organiser, api_models.output, api_models.reviews,"
        " api_models.seasons, cli.author.bot_review, cli.author.logs"
    ),
    "the referee": "import referee.__main__",
    "the arena": "import bullring",
}
HEAVY = ("sqlalchemy", "celery", "fastapi", "docker", "redis", "structlog", "jinja2")


@pytest.mark.parametrize("what", LIGHT)
def test_playing_at_home_needs_no_server(what: str) -> None:
    code = f"{LIGHT[what]}\nimport sys\nprint(*sorted(set(sys.modules) & set({HEAVY!r})))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_every_package_has_its_row_in_the_table() -> None:
    assert set(packages()) <= set(ALLOWED)


@pytest.mark.parametrize("package", packages())
def test_imports_go_one_way(package: str) -> None:
    wrong = {
        f"{path}: {name}"
        for path in modules()
        if path.parts[0] == package
        for name in forbidden_imports(package, (ROOT / path).read_text(encoding="utf-8"))
    }
    assert not wrong


@pytest.mark.parametrize(
    ("package", "source", "expected"),
    [
        ("nimmt", "import json\nfrom nimmt.cards import bulls", set()),
        ("nimmt", "def f():\n    import numpy", {"numpy"}),
        ("wire", "import grpc, nimmt\nfrom google.protobuf import message", set()),
        ("botkit", "import rich", {"rich"}),
        ("referee", "from sandbox.api import Limits", {"sandbox"}),
        ("store", "import league", {"league"}),
        ("league", "import store.tables, sandbox", set()),
        ("sandbox", "from . import api", set()),
        ("train", "import numpy, gymnasium, torch\nfrom league import wiring", {"league", "torch"}),
    ],
)
def test_the_import_check_finds_what_it_should(
    package: str, source: str, expected: set[str]
) -> None:
    assert forbidden_imports(package, source) == expected


def test_only_the_wiring_builds_runners() -> None:
    wrong = {
        f"{path}: {name}"
        for path in modules()
        if path.parts[0] in {"league", "dashboard"} and not path.is_relative_to(WIRING)
        for name in built_parts((ROOT / path).read_text(encoding="utf-8"))
    }
    assert not wrong


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from sandbox import DockerSandbox, Limits\nDockerSandbox(Limits())", {"DockerSandbox"}),
        ("from sandbox import DockerSandbox as Box\nBox()", {"DockerSandbox"}),
        ("import sandbox.engine\nsandbox.engine.Engine()", {"Engine"}),
        ("import sandbox.engine as box\nbox.Engine()", {"Engine"}),
        ("from referee import match\nmatch.MatchReferee()", {"MatchReferee"}),
        ("import sandbox.api\nsandbox.api.Limits()\nother.Engine()", set()),
    ],
)
def test_the_wiring_check_finds_what_it_should(source: str, expected: set[str]) -> None:
    assert built_parts(source) == expected


def test_only_the_store_writes_rows() -> None:
    wrong = {
        f"{path}: {call}"
        for path in modules()
        if path.parts[0] != "store"
        for call in written_rows((ROOT / path).read_text(encoding="utf-8"))
    }
    assert not wrong


def test_the_check_of_writing_finds_what_it_should() -> None:
    source = "session.add(gate)\nsession.exec(sa.update(Match))\nsa.select(Match)\nseen.add(1)"
    assert written_rows(source) == {"session.add", "sa.update"}


@pytest.mark.parametrize("path", modules(), ids=str)
def test_a_module_says_what_it_holds_and_stays_readable(path: Path) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    if source.strip():
        assert ast.get_docstring(ast.parse(source)), f"{path} has no docstring"
    lines = 0 if path.is_relative_to(WITHOUT_CEILING) else source.count("\n")
    assert lines <= MODULE_CEILING, f"{path} has {lines} lines; split it by what it does"


def test_no_notes_to_self_and_no_machine_paths() -> None:
    wrong = []
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if FORBIDDEN.search(line):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert not wrong
