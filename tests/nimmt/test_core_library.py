"""The library: built from the sources, checked when loaded, and not needed by anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nimmt.core.build import (
    SOURCES,
    BuildError,
    build,
    compile_library,
    find_compiler,
    fingerprint,
    library_name,
    source_files,
)
from nimmt.core.library import CoreError, check, engine, open_library
from tests.nimmt.core_support import needs_core
from tests.services import missing

ROOT = Path(__file__).resolve().parents[2]
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")
# What a machine without a compiler and without a library does: all of search, batches and games.
WITHOUT = """
import sys
sys.prefix = {nowhere!r}
sys.path[:0] = [{root!r}]
import nimmt
from nimmt.core import Environment, engine, play_many
from nimmt.search import Memory
rules = nimmt.get("six-nimmt", {{"rounds": 1}})
state = rules.start(3, nimmt.KeyedBoard(nimmt.key_from_seed(1)))
memory = Memory(rules, 3, 0)
for event in state.opening:
    memory.see(event)
found = memory.rollouts("card", state.legal(0), 100, 1)
scores = [score.points for score in play_many(rules, ["random"] * 3, range(5), seed=1)]
shown = bytes(Environment(rules, 3, 2, 1).obs)
print(engine().name, engine().get, sep="|")
print(found.sums, scores, shown.hex())
"""


def run_without(environ: dict[str, str], nowhere: Path) -> list[str]:
    """Both lines of the script above, in a process of its own."""
    script = WITHOUT.format(nowhere=str(nowhere), root=str(ROOT))
    command = [sys.executable, "-I", "-S", "-c", script]
    done = subprocess.run(command, env=environ, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_everything_works_where_no_compiler_can_be_found(tmp_path: Path) -> None:
    hidden = run_without({"PATH": str(tmp_path)}, tmp_path)
    assert hidden[0] == "pure|install a C compiler (Debian: apt install gcc) and try again"
    if find_compiler() is not None:
        library = tmp_path / "lib" / "nimmt-core" / library_name(fingerprint() or "")
        library.parent.mkdir(parents=True)
        compile_library(library, find_compiler() or [], fingerprint() or "", ["-O0"])
        compiled = run_without({"PATH": str(tmp_path)}, tmp_path)
        assert compiled[0].startswith("compiled|")
        assert compiled[1] == hidden[1]


def test_a_build_without_a_compiler_says_what_to_do(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nimmt.core", str(tmp_path / "out")]
    environ = {"PATH": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert done.returncode == 1
    assert "no C compiler was found: install a C compiler" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_core_is_here_wherever_everything_is_required() -> None:
    """The other tests of the core are skipped without it; in `.ci/run` that must not pass."""
    if not engine().compiled:
        missing("the compiled core", engine().about)


@needs_core
def test_pure_python_can_be_asked_for() -> None:
    command = [sys.executable, "-c", "from nimmt.core import engine; print(engine().about)"]
    environ = {**os.environ, "NIMMT_PURE": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environ, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("pure Python, as NIMMT_PURE is set; for the compiled core: unset")


@pytest.mark.heavy
@needs_compiler
def test_the_library_is_built_once_and_older_ones_go(tmp_path: Path) -> None:
    old = tmp_path / library_name("0" * 24)
    old.touch()
    path = build(tmp_path)
    assert path.name == library_name(fingerprint() or "")
    assert list(tmp_path.iterdir()) == [path]
    made = path.stat().st_mtime_ns
    assert build(tmp_path) == path
    assert path.stat().st_mtime_ns == made


@needs_compiler
def test_a_library_of_other_sources_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / library_name("1" * 24)
    compile_library(path, find_compiler() or [], "2" * 24, ["-O0"])
    with pytest.raises(CoreError, match="built from other sources"):
        open_library(path, "1" * 24)


def test_what_is_no_library_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / library_name("1" * 24)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(CoreError, match="cannot be loaded"):
        open_library(path, "1" * 24)


@needs_compiler
def test_a_compiler_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="no-such-option"):
        compile_library(tmp_path / "x.so", find_compiler() or [], "x", ["--no-such-option"])


@pytest.mark.heavy
@needs_compiler
def test_the_sources_compile_without_a_warning(tmp_path: Path) -> None:
    strict = ["-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Werror", "-pedantic"]
    compile_library(tmp_path / "x.so", find_compiler() or [], "x", strict)


def test_the_fingerprint_changes_with_every_source(tmp_path: Path) -> None:
    for path in source_files():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert fingerprint(tmp_path) == fingerprint(SOURCES)
    for path in source_files(tmp_path):
        before = fingerprint(tmp_path)
        path.write_bytes(path.read_bytes() + b"\n")
        assert fingerprint(tmp_path) != before


def test_the_compiler_is_what_cc_says(tmp_path: Path) -> None:
    for name in ("cc", "tcc"):
        (tmp_path / name).touch(mode=0o755)
    path = {"PATH": str(tmp_path)}
    assert find_compiler(path) == ["cc"]
    assert find_compiler({**path, "CC": "tcc -m64"}) == ["tcc", "-m64"]
    assert find_compiler({**path, "CC": "missing"}) is None


def test_no_library_lies_in_the_source_tree() -> None:
    listed = subprocess.run(["git", "ls-files", "nimmt"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("needs a git checkout to know which files are ours")
    assert "nimmt/core/core.h" in listed.stdout
    assert ".so" not in listed.stdout
    assert engine().path is None or not engine().path.is_relative_to(SOURCES)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("answer", "words"), [(-1, "a table that"), (-3, "a policy"), (-18, "seat 2 made another")]
)
def test_what_the_core_answers_is_told(answer: int, words: str) -> None:
    with pytest.raises(CoreError, match=f"a step was refused; expected .*{words}"):
        check(answer, "a step")
