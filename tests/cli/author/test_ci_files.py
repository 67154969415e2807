"""The files that authors copy into their repositories: their commands run against a league."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.summary import section
from store import Store, bots
from tests.cli.author.test_author_commands import BAD, League, home, league, secret_of, site
from tests.dashboard.conftest import plain_logs, quick_passwords, seeded, seeded_folder, settings
from tests.dashboard.conftest import store as store_fixture

yaml = pytest.importorskip("yaml", reason="PyYAML has no wheel for this Python yet")

__all__ = [
    "home", "league", "plain_logs", "quick_passwords", "seeded", "seeded_folder", "settings",
    "site",
]  # fmt: skip

store = store_fixture
ROOT = Path(__file__).resolve().parents[3]
FILES = ROOT / "docs" / "ci"
TAG = "v2"
INSTALL = "pip install bullring"
QUICK = {"BOT": "close", "GATE_BLOCKS": "200"}


@dataclass(frozen=True)
class Step:
    """A command of a job, and what stands beside it in the environment."""

    run: str
    env: Mapping[str, str]
    on_tags_only: bool


def github() -> list[Step]:
    """The steps of the GitHub file that run a command, with its variables filled in."""
    whole = yaml.safe_load((FILES / "github-actions.yml").read_text(encoding="utf-8"))
    # YAML 1.1 reads the bare word "on" as true; GitHub does not.
    assert whole.get("on", whole.get(True)) == ["push"]
    assert whole["permissions"] == {"contents": "read"}
    steps = []
    for step in whole["jobs"]["bot"]["steps"]:
        if "run" in step:
            for name, value in step.get("env", {}).items():
                assert value in (f"${{{{ vars.{name} }}}}", f"${{{{ secrets.{name} }}}}")
            condition = step.get("if")
            assert condition in (None, "startsWith(github.ref, 'refs/tags/v')")
            env = {**whole["env"], "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_REF_NAME": TAG}
            steps.append(Step(step["run"], env, condition is not None))
    return steps


def gitlab() -> list[Step]:
    """The commands of the GitLab file, job by job in the order of its stages."""
    whole = yaml.safe_load((FILES / "gitlab-ci.yml").read_text(encoding="utf-8"))
    env = {**whole["variables"], "CI_COMMIT_TAG": TAG}
    steps = [Step(run, env, False) for run in whole["default"]["before_script"]]
    for stage in whole["stages"]:
        (job,) = [
            one for one in whole.values() if isinstance(one, dict) and one.get("stage") == stage
        ]
        tagged = job.get("rules") == [{"if": "$CI_COMMIT_TAG =~ /^v/"}]
        assert tagged == (stage == "release")
        steps += [Step(run, env, tagged) for run in job["script"]]
    return steps


JOBS = {"github": github, "gitlab": gitlab}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A bot with two tags: v1 plays the lowest card, v2 is the sample `gap`."""
    made = tmp_path / "work" / "bot"
    made.mkdir(parents=True)
    _git(made, "init", "-q", "-b", "main")
    for tag, sample in (("v1", "lowest"), (TAG, "gap")):
        for file in ("bot.py", "Dockerfile"):
            shutil.copy(ROOT / "sample_bots" / sample / file, made / file)
        _git(made, "add", "-A")
        _git(made, "commit", "-qm", tag)
        _git(made, "tag", tag)
    return made


def _git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def run_job(
    steps: list[Step], repository: Path, env: Mapping[str, str], *, tagged: bool = True
) -> tuple[int, str]:
    """Run the commands one after another as a runner does: in bash, until one fails."""
    tools = repository.parent / "tools"
    tools.mkdir(exist_ok=True)
    shim = tools / "bullring"
    shim.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m cli "$@"\n')
    shim.chmod(0o755)
    said = ""
    for step in steps:
        if step.run == INSTALL or (step.on_tags_only and not tagged):
            continue
        whole = {**os.environ, **step.env, **QUICK, **env, "PATH": f"{tools}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step.run],
            cwd=repository, env=whole, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        said += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, said
    return 0, said


def access(site: str, store: Store) -> dict[str, str]:
    """What the docs say that the job needs, and no more."""
    return {
        "BULLRING_SERVER": site,
        "BULLRING_API_TOKEN": secret_of(store, "heron", "read", "submit"),
    }


def versions_of(store: Store, bot: str) -> int:
    with store.read() as session:
        found = bots.find_bot(session, bot)
        assert found is not None
        return len(bots.versions(session, found.id))


@pytest.mark.heavy
@pytest.mark.parametrize("host", ["github", pytest.param("gitlab", marks=pytest.mark.heavy)])
def test_a_tag_is_checked_compared_and_submitted(
    host: str, repository: Path, site: str, store: Store
) -> None:
    assert JOBS[host]()[0].run == INSTALL
    code, said = run_job(JOBS[host](), repository, access(site, store))
    assert code == 0, said
    assert versions_of(store, "heron/close") == 2
    summary = (repository / "summary.md").read_text(encoding="utf-8")
    assert [line for line in summary.splitlines() if line.startswith("###")] == [
        f"### Bullring: {what}" for what in ("check", "gate", "submission")
    ]
    assert summary.count("✅") == 3
    assert "heron/close: accepted as version 2" in summary


@pytest.mark.heavy
@pytest.mark.parametrize("host", JOBS)
def test_a_push_without_a_tag_is_checked_and_compared_and_submits_nothing(
    host: str, repository: Path, site: str, store: Store
) -> None:
    code, said = run_job(JOBS[host](), repository, access(site, store), tagged=False)
    assert code == 0, said
    assert versions_of(store, "heron/close") == 1


@pytest.mark.heavy
def test_a_version_that_is_worse_ends_the_job_before_it_is_submitted(
    repository: Path, site: str, store: Store
) -> None:
    shutil.copy(ROOT / "sample_bots" / "lowest" / "bot.py", repository / "bot.py")
    _git(repository, "commit", "-qam", "worse")
    code, said = run_job(github(), repository, access(site, store))
    assert code == 1, said
    assert versions_of(store, "heron/close") == 1
    assert "❌" in (repository / "summary.md").read_text(encoding="utf-8")


def test_a_refused_submission_fails_the_job_and_its_report_is_in_the_summary(
    repository: Path, site: str, store: Store, league: League
) -> None:
    league.workshop.report = BAD
    (submit,) = [step for step in github() if "bullring submit" in step.run]
    code, said = run_job([submit], repository, access(site, store))
    assert code == 1, said
    assert "it never came; see its output" in (repository / "summary.md").read_text("utf-8")


def test_the_devcontainer_has_a_python_that_is_new_enough_and_installs_the_tool() -> None:
    found: dict[str, Any] = json.loads((FILES / "devcontainer.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert found["postCreateCommand"] == f"pip install {project['name']}"
    image, _, version = found["image"].partition(":")
    number = version.partition("-")[0]
    wanted = project["requires-python"].removeprefix(">=")
    assert image == "python"
    assert [int(part) for part in number.split(".")] >= [int(part) for part in wanted.split(".")]


def test_nothing_in_a_report_can_leave_its_place_in_the_summary() -> None:
    nasty = "```\n# forged\n````\x1b[2J"
    made = section("check", "fine** [x](http://y)\n# forged", nasty, good=False)
    fence = "`" * 5
    head, body, rest = made.split(fence)
    assert rest.strip() == ""
    assert "# forged" in body
    assert all(not line.startswith("# ") for line in head.splitlines())
    assert "[" not in head.replace("\\[", "")
    assert "\x1b" not in made
