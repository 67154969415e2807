"""The samples in other languages: real matches beside Python bots, the check, and in containers."""

import json
import os
import subprocess
from pathlib import Path

import docker
import pytest

import nimmt
from kits.images import LANGUAGES as WITH_IMAGES
from league import wiring
from league.bots import find_bot, sample_names
from league.local import LocalMatch, play_local
from league.submissions import check_bot
from nimmt.verify import verify
from referee.plan import TimeControl
from referee.result import MatchResult
from tests.kits.toolchains import LANGUAGES, NEEDS, PROBES, ROOT, Kit, base_of, environment

# A busy machine is not what these tests are about.
PATIENT = TimeControl(move_ms=2000, bank_ms=60000)


@pytest.mark.heavy
@pytest.mark.anyio
@pytest.mark.parametrize("rules", nimmt.GAMES)
async def test_a_sample_plays_beside_python_bots_without_a_fault(kit: Kit, rules: str) -> None:
    bots = tuple(find_bot(text) for text in (str(kit.sample), "gap", "random"))
    match = LocalMatch(rules=rules, bots=bots, boards=4, seed=5, time=PATIENT, duplicate=False)
    result = None
    async for news in play_local(match):
        if isinstance(news, MatchResult):
            result = news
    assert result is not None
    assert result.complete
    assert len(result.games) == 4
    for game in result.games:
        verify(game.document)
    assert [bot.faults for bot in result.bots] == [(), (), ()], result.bots[0].log


@pytest.mark.heavy
@pytest.mark.anyio
async def test_a_sample_passes_the_check_in_all_rules(kit: Kit) -> None:
    program = find_bot(str(kit.sample)).program
    report = await check_bot(program, wiring.process_sandbox(), boards=5, time=PATIENT)
    assert report.ok, report.words()
    assert set(report.rules) == set(nimmt.GAMES)
    said = {step.name: step.says for step in report.steps}
    assert said["ends on Goodbye"] == "it left by itself"
    # Several asks in one message were met.
    assert "up to 1 asks" not in said["stays up"]


@pytest.mark.heavy
def test_a_probe_that_fails_is_found_by_the_check(kit: Kit) -> None:
    # The other side of the check above: what must not pass does not.
    assert (PROBES / kit.language).is_dir()
    style = f"{' '.join(kit.command)} throws"
    command = f"env {' '.join(f'{k}={v}' for k, v in kit.env.items())} {style}"
    done = bullring("check", command, "--rules", "six-nimmt", "--boards", "2", "--json")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert "no idea" in json.dumps(report["faults"])


@pytest.mark.heavy
def test_a_sample_passes_its_own_tests(kit: Kit) -> None:
    if kit.language == "python":
        pytest.skip("the tests of the Python samples are not in their folders")
    command = ["make", "-C", str(kit.sample), "test"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def bullring(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The command line as a user types it."""
    command = [str(ROOT / "bullring"), *arguments]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=600
    )


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "python"])
def test_a_launcher_says_what_is_missing(language: str, tmp_path: Path) -> None:
    # Alone in a folder, without the kit above it and without any program of the language.
    launcher = tmp_path / "bot"
    launcher.write_bytes((ROOT / "sample_bots" / language / "bot").read_bytes())
    launcher.chmod(0o755)
    done = subprocess.run([launcher], capture_output=True, text=True, env=environment())
    assert done.returncode == 2
    assert done.stderr.startswith("bot: ")
    assert "kit" in done.stderr or "make" in done.stderr


def test_the_house_does_not_play_samples_that_must_be_built() -> None:
    assert not set(LANGUAGES) & set(sample_names())
    assert all(
        os.access(ROOT / "sample_bots" / each / "bot", os.X_OK)
        for each in NEEDS
        if each != "python"
    )


@pytest.mark.docker
@pytest.mark.long
@pytest.mark.parametrize("language", WITH_IMAGES)
def test_a_sample_passes_the_check_in_its_container(
    docker_engine: docker.DockerClient, language: str
) -> None:
    base_of(language)
    folder = str(ROOT / "sample_bots" / language)
    patient = ("--move-ms", "2000", "--bank-ms", "60000", "--start-ms", "120000", "--boards", "3")
    done = bullring("check", folder, "--sandbox", "docker", *patient, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["runner"] == "docker"
    assert set(report["rules"]) == set(nimmt.GAMES)
