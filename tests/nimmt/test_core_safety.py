"""The core reads and writes nothing but what it was given: fuzzed, and under sanitizers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nimmt.core.build import (
    SOURCES,
    compile_library,
    find_compiler,
    fingerprint,
    library_name,
    source_files,
)
from tests import services

DRIVER = Path(__file__).with_name("core_fuzz.c")
ROOT = Path(__file__).resolve().parents[2]
SANITIZERS = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# clang is an extra: .ci/run does not install it, so there it is no case at all, rather than a skip.
COMPILERS = ["gcc", *(["clang"] if shutil.which("clang") else [])]
OF_THE_CORE = (
    *(f"nimmt/test_core_{name}.py" for name in ("games", "rollouts", "environment", "generator")),
    *(f"nimmt/test_{name}.py" for name in ("core_nulls", "field", "search", "timed")),
    "train/test_layouts.py",
)
"""The tests that run the core within their own process."""
pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")


def fuzz(folder: Path, compiler: list[str], flags: list[str], seed: int, rounds: int) -> list[int]:
    """Build the driver, run it, and return how much it tried, what was accepted, and searches."""
    program = folder / "core_fuzz"
    files = [str(path) for path in source_files() if path.suffix == ".c"]
    command = [*compiler, "-std=c11", *flags, f"-I{SOURCES}", "-o", str(program), str(DRIVER)]
    subprocess.run([*command, *files], check=True, capture_output=True, text=True)
    done = subprocess.run(
        [str(program), str(seed), str(rounds)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [int(number) for number in done.stdout.split()]


def need_sanitizers(compiler: str, folder: Path) -> None:
    """Skip, or fail where everything is required, if this compiler cannot link them here."""
    source = folder / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    command = [compiler, *SANITIZERS, "-o", str(folder / "empty"), str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        services.missing(compiler, str(error))
    if done.returncode != 0:
        services.missing(f"{compiler} with its sanitizers", done.stderr.strip()[-300:])


def test_damaged_tables_are_refused_or_played_and_nothing_breaks(tmp_path: Path) -> None:
    tried, accepted, searched = fuzz(tmp_path, find_compiler() or [], ["-O1"], 1, 30)
    # Some damage must get through, or the rules behind the checks were never reached.
    assert tried > accepted // 4 > tried // 50
    assert searched > 100


@pytest.mark.heavy
@pytest.mark.timeout(600)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_sanitizers_find_nothing(compiler: str, tmp_path: Path) -> None:
    need_sanitizers(compiler, tmp_path)
    for seed in range(3):
        tried, _, searched = fuzz(tmp_path, [compiler], SANITIZERS, seed, 400)
        assert tried > 50_000
        assert searched > 10_000


@pytest.mark.heavy
@pytest.mark.timeout(600)
def test_the_tests_of_the_core_pass_under_the_sanitizers(tmp_path: Path) -> None:
    need_sanitizers("gcc", tmp_path)
    printed = fingerprint() or ""
    compile_library(tmp_path / library_name(printed), ["gcc"], printed, SANITIZERS)
    asked = ["gcc", "-print-file-name=libasan.so"]
    runtime = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    environ = {
        **os.environ,
        "NIMMT_CORE_FOLDER": str(tmp_path),
        "LD_PRELOAD": runtime,
        # Python frees nothing at its end, and its own memory is not what is examined.
        "ASAN_OPTIONS": "detect_leaks=0",
    }
    which = "from nimmt.core import engine; print(engine().path)"
    asked = [sys.executable, "-c", which]
    loaded = subprocess.run(asked, cwd=ROOT, env=environ, capture_output=True, text=True)
    assert loaded.stdout.strip() == str(tmp_path / library_name(printed)), loaded.stderr
    files = [str(ROOT / "tests" / name) for name in OF_THE_CORE]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files]
    environ.pop("BULLRING_LONG", None)
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert " passed" in done.stdout


@pytest.mark.heavy
def test_the_driver_would_notice(tmp_path: Path) -> None:
    """A core without its checks reads where it must not, and the sanitizers say so."""
    need_sanitizers("gcc", tmp_path)
    broken = tmp_path / "broken"
    broken.mkdir()
    for path in source_files():
        text = path.read_text(encoding="utf-8")
        if path.name == "check.c":
            text = text.replace("if (length > room) return 0;", "")
            text = text.replace("if (length < 1 || length > row_holds(t, row)) return 0;", "")
        (broken / path.name).write_text(text, encoding="utf-8")
    files = [str(path) for path in source_files(broken) if path.suffix == ".c"]
    program = tmp_path / "core_fuzz"
    command = ["gcc", "-std=c11", *SANITIZERS, f"-I{broken}", "-o", str(program), str(DRIVER)]
    subprocess.run([*command, *files], check=True, capture_output=True)
    done = subprocess.run([str(program), "1", "200"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "runtime error" in done.stderr or "AddressSanitizer" in done.stderr
