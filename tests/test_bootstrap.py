"""The `./bullring` bootstrap: its decisions as plain functions, and one fresh clone."""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from cli.dev import pytest_command, pytest_environment

ROOT = Path(__file__).resolve().parent.parent
NO_INDEX = "http://127.0.0.1:9/"


def load_bootstrap() -> ModuleType:
    loader = SourceFileLoader("bullring_bootstrap", str(ROOT / "bullring"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


bootstrap = load_bootstrap()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "requirements.lock").write_text("rich==15.0.0\n")
    (tmp_path / "requirements-dev.lock").write_text("rich==15.0.0\nruff==1.0.0\n")
    return tmp_path


def finished_venv(folder: Path, stamp: str) -> Path:
    venv = folder / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    (venv / "bullring-stamp").write_text(f"{stamp}\n")
    return venv


def test_uv_comes_first_and_pip_is_the_way_back() -> None:
    ways = bootstrap.installers("python", uv="/bin/uv", ensurepip=True, system_pip=True)
    assert [name for name, _ in ways] == ["uv", "pip", "the system's pip"]
    by_pip = [commands[-1] for name, commands in ways if name != "uv"]
    assert all("--quiet" in command for command in by_pip), "a wall of downloads hides an error"


def test_without_ensurepip_the_systems_pip_fills_the_environment() -> None:
    ways = bootstrap.installers("venv/python", uv=None, ensurepip=False, system_pip=True)
    assert [name for name, _ in ways] == ["the system's pip"]
    (command,) = ways[0][1]
    assert command[command.index("--python") + 1] == "venv/python"


def test_with_no_installer_at_all_it_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(bootstrap, "BASE_PYTHON", str(tmp_path / "no-python"))
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="sudo apt install python3-venv"):
        bootstrap.fill("python")


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.lock"])
def test_the_stamp_changes_with_each_file(checkout: Path, name: str) -> None:
    before = bootstrap.fingerprint(checkout, (3, 11))
    assert before == bootstrap.fingerprint(checkout, (3, 11))
    with (checkout / name).open("a") as file:
        file.write("# more\n")
    assert bootstrap.fingerprint(checkout, (3, 11)) != before


def test_the_stamp_changes_with_the_python_version(checkout: Path) -> None:
    assert bootstrap.fingerprint(checkout, (3, 11)) != bootstrap.fingerprint(checkout, (3, 12))


def test_an_environment_is_current_only_with_its_stamp_and_its_python(tmp_path: Path) -> None:
    venv = finished_venv(tmp_path, "abc")
    assert bootstrap.is_current(venv, "abc")
    assert not bootstrap.is_current(venv, "def")
    (venv / "bin" / "python").unlink()
    assert not bootstrap.is_current(venv, "abc")


def test_a_whole_environment_is_kept_and_a_broken_one_is_not(tmp_path: Path) -> None:
    assert not bootstrap.must_start_over(tmp_path / "absent")
    venv = finished_venv(tmp_path, "abc")
    assert not bootstrap.must_start_over(venv)
    (venv / "bullring-unfinished").touch()
    assert bootstrap.must_start_over(venv)
    (venv / "bullring-unfinished").unlink()
    (venv / "bin" / "python").unlink()
    assert bootstrap.must_start_over(venv)


def test_an_interrupted_install_leaves_a_mark_that_the_next_start_finds(
    monkeypatch: pytest.MonkeyPatch, checkout: Path
) -> None:
    def interrupted(python: str, lock: str) -> None:
        raise KeyboardInterrupt

    venv = checkout / ".venv"
    monkeypatch.setattr(bootstrap, "ROOT", checkout)
    monkeypatch.setattr(bootstrap, "VENV", venv)
    monkeypatch.setattr(bootstrap, "fill", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bootstrap.make_environment("abc")
    assert not bootstrap.is_current(venv, "abc")
    assert bootstrap.must_start_over(venv)
    monkeypatch.setattr(bootstrap, "fill", lambda python, lock: None)
    bootstrap.make_environment("abc")
    assert bootstrap.is_current(venv, "abc")


def test_the_checkout_is_linked_again_after_it_has_moved(tmp_path: Path) -> None:
    site = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    for root in (Path("/old place"), Path("/new place")):
        bootstrap.link_checkout(tmp_path / "venv", root)
        assert (site / "bullring-checkout.pth").read_text() == f"{root}\n"


def test_the_core_is_built_again_for_other_sources_or_another_compiler(tmp_path: Path) -> None:
    folder = tmp_path / "nimmt" / "core"
    folder.mkdir(parents=True)
    (folder / "six.c").write_text("int six;\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    environ = {"PATH": str(programs)}
    without = bootstrap.core_stamp(tmp_path, environ)
    (programs / "gcc").touch(mode=0o755)
    stamp = bootstrap.core_stamp(tmp_path, environ)
    assert without != stamp == bootstrap.core_stamp(tmp_path, environ)
    (folder / "six.c").write_text("int seven;\n")
    assert bootstrap.core_stamp(tmp_path, environ) != stamp
    venv = finished_venv(tmp_path, "abc")
    assert not bootstrap.core_is_current(venv, stamp)


def test_without_a_compiler_the_start_says_so_once_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    venv = finished_venv(tmp_path, "abc")
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    bootstrap.build_core(venv, ROOT, "stamp")
    told = capsys.readouterr().err
    assert "no C compiler was found" in told
    assert "pure Python" in told
    assert bootstrap.core_is_current(venv, "stamp")
    assert not bootstrap.core_is_current(venv, "another")


def test_caches_are_off_only_where_they_cannot_be_written(tmp_path: Path) -> None:
    assert bootstrap.cache_settings({"HOME": str(tmp_path)}) == {}
    assert bootstrap.cache_settings({"HOME": "/proc"}) == {
        "UV_NO_CACHE": "1",
        "PIP_NO_CACHE_DIR": "1",
    }


def test_a_newer_python_is_found_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for minor in (9, 11, 13):
        program = tmp_path / f"python3.{minor}"
        program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bootstrap.newer_python() == str(tmp_path / "python3.13")


LINT_TOOLS = {"mypy", "ruff", "codespell", "pytest", "playwright", "hatchling"}


def pins(name: str) -> dict[str, str]:
    """The packages of a lock with their versions."""
    lock = (ROOT / name).read_text()
    assert "://" not in lock
    found = re.findall(r"^([a-z0-9.-]+)(?:\[[a-z,]+\])?==([^ ]+)", lock, re.MULTILINE)
    assert lock.count("==") - lock.count("_version ==") >= len(found) > 50
    # Every package has the hash of at least one file.
    assert len(re.findall(r"^\S[^\n]*==[^\n]* \\\n    --hash=sha256:", lock, re.MULTILINE)) == len(
        found
    )
    return dict(found)


def wanted(extras: set[str]) -> set[str]:
    """What pyproject.toml asks for, with the extras of these names; ours is not fetched."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    chosen = [group for name, group in project["optional-dependencies"].items() if name in extras]
    lines = [line for group in (project["dependencies"], *chosen) for line in group]
    names = {re.split(r"[\[<>=;]", line)[0].replace(".", "-") for line in lines}
    return names - {"bullring", "bullring-botkit"}


def test_the_common_lock_holds_what_a_league_needs_and_no_tools() -> None:
    locked = pins("requirements.lock")
    assert wanted({"docker", "server", "postgres"}) <= set(locked)
    assert {"grpcio", "protobuf"} <= set(locked)
    assert not LINT_TOOLS & set(locked)


def test_the_other_lock_holds_that_and_all_the_rest_in_the_same_versions() -> None:
    locked = pins("requirements-dev.lock")
    assert wanted({"test", "e2e", "dev"}) | LINT_TOOLS <= set(locked)
    assert pins("requirements.lock").items() <= locked.items()


@pytest.mark.parametrize(
    ("arguments", "lock"),
    [
        (["demo"], "requirements.lock"),
        ([], "requirements.lock"),
        (["play", "test"], "requirements.lock"),
        (["test", "tests/nimmt"], "requirements-dev.lock"),
        (["lint"], "requirements-dev.lock"),
    ],
)
def test_only_tests_and_checks_install_their_tools(arguments: list[str], lock: str) -> None:
    assert bootstrap.lock_for(arguments) == lock
    ways = bootstrap.installers("python", "/bin/uv", True, True, bootstrap.lock_for(arguments))
    assert all(str(ROOT / lock) in commands[-1] for _, commands in ways)


def test_whoever_has_the_tools_has_the_rest_and_installs_nothing_more(
    monkeypatch: pytest.MonkeyPatch, checkout: Path
) -> None:
    installed: list[str] = []
    venv = checkout / ".venv"
    monkeypatch.setattr(bootstrap, "ROOT", checkout)
    monkeypatch.setattr(bootstrap, "VENV", venv)
    monkeypatch.setattr(bootstrap, "fill", lambda python, lock: installed.append(lock))
    monkeypatch.setattr(bootstrap, "build_core", lambda *given: None)
    monkeypatch.setattr(bootstrap.os, "execv", lambda *given: None)
    bootstrap.main(["demo"])
    bootstrap.main(["demo"])
    assert installed == ["requirements.lock"]
    bootstrap.main(["test"])
    bootstrap.main(["lint"])
    bootstrap.main(["demo"])
    assert installed == ["requirements.lock", "requirements-dev.lock"]
    with (checkout / "requirements-dev.lock").open("a") as file:
        file.write("mypy==9.9\n")
    bootstrap.main(["demo"])
    assert len(installed) == 2
    bootstrap.main(["lint"])
    assert len(installed) == 3


@pytest.mark.parametrize(
    ("arguments", "spread"),
    [([], True), (["tests/nimmt", "-k", "deal"], True), (["-n0"], False), (["--pdb"], False)],
)
def test_tests_run_on_all_cores_unless_told_otherwise(arguments: list[str], spread: bool) -> None:
    command = pytest_command(arguments)
    assert ("-n" in command[: len(command) - len(arguments)]) is spread
    assert command[len(command) - len(arguments) :] == arguments


@pytest.mark.long
def test_a_fresh_clone_starts_and_starts_again_without_network(tmp_path: Path) -> None:
    clone = tmp_path / "a fresh clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "cli").mkdir(parents=True)
    first = start(clone, elsewhere, {})
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("bullring ")
    offline = {"UV_INDEX_URL": NO_INDEX, "PIP_INDEX_URL": NO_INDEX, "HOME": "/proc"}
    second = start(clone, elsewhere, offline)
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")


def start(clone: Path, cwd: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Start a clone with a relative name, from a folder that has a `cli` of its own."""
    return subprocess.run(
        [os.path.relpath(clone / "bullring", cwd), "--version"],
        cwd=cwd,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
    )


def test_processes_of_tests_keep_what_python_compiled() -> None:
    given = {"PYTHONDONTWRITEBYTECODE": "1", "PATH": "/bin"}
    assert pytest_environment(given) == {"PATH": "/bin"}
