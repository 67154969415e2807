"""The deployment files: valid for the Compose that is here, and true to what they promise."""

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from docker.utils.build import exclude_paths

from cli.dev import existing_packages
from dashboard.http import FilesMetrics, Metrics
from dashboard.settings import Settings
from deploy.passwords import NAMES, make_passwords
from league.settings import LeagueSettings
from league.worker import WorkerMetrics
from tests.deploy.league import FILES, ROOT, compose_command

yaml = pytest.importorskip("yaml", reason="PyYAML has no wheel for this Python yet")

ELSEWHERE = {
    "BULLRING_LEAGUE": "10.0.0.1",
    "BULLRING_PRIVATE_ADDRESS": "10.0.0.1",
    "BULLRING_DOMAIN": "league.example.org",
}
OURS = ("setup", "dashboard", "clock", "files", "worker")
PARTS = (*OURS, "postgres", "redis", "registry")


def read(*files: str, **given: str) -> subprocess.CompletedProcess[str]:
    """What Compose makes of some files, with these settings and no others."""
    named = [part for name in files for part in ("-f", str(ROOT / name))]
    env = {"PATH": os.environ["PATH"], **given}
    command = [*compose_command(), *named, "config"]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@cache
def services() -> dict[str, Any]:
    """docker-compose.yml as Compose understands it."""
    found: dict[str, Any] = whole("docker-compose.yml")["services"]
    return found


def whole(*files: str, **given: str) -> dict[str, Any]:
    done = read(*files, **given)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = yaml.safe_load(done.stdout)
    return found


def test_every_secret_is_a_file_that_one_command_makes(tmp_path: Path) -> None:
    assert make_passwords(tmp_path / "secrets") == list(NAMES)
    known = whole("docker-compose.yml", BULLRING_SECRETS=str(tmp_path / "secrets"))["secrets"]
    files = {Path(one["file"]) for one in known.values()}
    assert files == set((tmp_path / "secrets").iterdir())
    assert len({file.read_text() for file in files}) == len(NAMES)
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700


def test_passwords_that_are_there_stay(tmp_path: Path) -> None:
    (tmp_path / NAMES[0]).write_text("mine\n")
    assert make_passwords(tmp_path) == list(NAMES[1:])
    assert make_passwords(tmp_path) == []
    assert (tmp_path / NAMES[0]).read_text() == "mine\n"


GIVEN = {
    "postgres": {"postgres_password", "league_password", "worker_password"},
    "redis": {"redis_password"},
    "registry": set(),
    "setup": {"league_password", "worker_password", "redis_password"},
    "dashboard": {"league_password", "redis_password"},
    "clock": {"league_password", "redis_password"},
    "files": {"files_password"},
    "worker": {"worker_password", "redis_password", "files_password"},
}
"""Who knows what."""


def named(given: Any) -> set[str]:
    """The names of a service's secrets, however Compose writes them."""
    return {one if isinstance(one, str) else one["source"] for one in given}


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_given_the_passwords_it_reads_and_no_other(name: str) -> None:
    part = services()[name]
    assert named(part.get("secrets", [])) == GIVEN[name]
    read_here = set(re.findall(r"/run/secrets/(\w+)", str(part)))
    if name == "postgres":
        read_here |= set(
            re.findall(r"/run/secrets/(\w+)", (ROOT / "deploy/database.sh").read_text())
        )
    assert read_here == GIVEN[name]


@pytest.mark.parametrize(
    "files",
    [
        FILES,
        ("docker-compose.yml", "deploy/share.yml"),
        ("docker-compose.yml", "deploy/tls.yml"),
        ("deploy/worker.yml",),
    ],
    ids=lambda files: files[-1],
)
def test_the_other_files_are_valid(files: tuple[str, ...]) -> None:
    done = read(*files, **ELSEWHERE)
    assert done.returncode == 0, done.stderr


def test_a_worker_elsewhere_needs_one_setting_and_three_files() -> None:
    found = whole("deploy/worker.yml", BULLRING_LEAGUE="10.0.0.1")
    assert set(found["secrets"]) == named(found["services"]["worker"]["secrets"]) == GIVEN["worker"]
    assert {Path(one["file"]).parent for one in found["secrets"].values()} == {ROOT / "secrets"}
    assert "set it to" in read("deploy/worker.yml").stderr


def test_only_the_worker_reaches_docker() -> None:
    reach = [name for name, one in services().items() if "docker.sock" in str(one)]
    assert reach == ["worker"]


def test_only_the_dashboard_is_reached_from_outside() -> None:
    ports = {name: str(one["ports"]) for name, one in services().items() if "ports" in one}
    assert set(ports) == {"dashboard", "registry"}
    assert "127.0.0.1" in ports["registry"]


def test_a_worker_has_neither_the_league_s_password_nor_its_data_folder() -> None:
    worker = services()["worker"]
    assert worker["environment"]["BULLRING_DATABASE_URL"].startswith(
        "postgresql://bullring_worker@"
    )
    assert "league_password" not in str(worker)
    mounted = str(worker["volumes"])
    assert "data" not in re.findall(r"\b(data|database|images|bells)\b", mounted)


FIXED = {
    *("data_dir", "database_url", "redis_url", "blobs_dir", "sandbox", "referee_uid", "slots"),
    *("image_registry", "files_url", "worker_password", "base_url", "docs_dir"),
    *("metrics_port", "metrics_host", "files_password", "files_password_file"),
    *("worker_password_file", "database_password_file", "redis_password_file"),
}
"""Settings that follow from how the league is laid out, or have a name of their own in .env."""


@pytest.mark.parametrize(
    ("file", "part", "settings"),
    [
        ("docker-compose.yml", "dashboard", Settings),
        ("docker-compose.yml", "clock", LeagueSettings),
        ("docker-compose.yml", "worker", LeagueSettings),
        ("deploy/worker.yml", "worker", LeagueSettings),
    ],
)
def test_every_setting_can_be_chosen_in_the_env_file(
    file: str, part: str, settings: type[LeagueSettings]
) -> None:
    chosen = {f"BULLRING_{name.upper()}" for name in settings.model_fields if name not in FIXED}
    assert chosen <= set(whole(file, **ELSEWHERE)["services"][part]["environment"])
    given = whole(file, **ELSEWHERE, **dict.fromkeys(chosen, "chosen"))
    environment = given["services"][part]["environment"]
    assert {environment[name] for name in chosen} == {"chosen"}


@pytest.mark.parametrize("part", ["dashboard", "clock", "worker"])
def test_whoever_needs_the_database_is_stopped_before_it(part: str) -> None:
    assert {"postgres", "files", "redis"} <= set(services()[part]["depends_on"])


def test_neither_secrets_nor_backups_nor_bots_come_into_the_image(tmp_path: Path) -> None:
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in rules if line and not line.startswith("#")]
    for name in (".env", "nightly.tar", "my-bot/bot.py", ".bullring/secret", "deploy/.env.old",
        "secrets/league_password"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for name in ("pyproject.toml", "deploy/standins.py", "cli/main.py", "docs/deploy.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    taken = {name for name in exclude_paths(str(tmp_path), patterns) if (tmp_path / name).is_file()}
    assert taken == {"pyproject.toml", "deploy/standins.py", "cli/main.py", "docs/deploy.md"}


def test_the_image_holds_every_package(tmp_path: Path) -> None:
    kept = set((ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines())
    assert {f"!{package}" for package in existing_packages()} <= kept


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_limited_and_starts_again(name: str) -> None:
    part = services()[name]
    assert part["restart"] == ("no" if name == "setup" else "unless-stopped")
    assert part["security_opt"] == ["no-new-privileges:true"]
    assert part["cap_drop"] == ["ALL"]
    assert part["read_only"] is True
    assert part["mem_limit"]
    assert part["pids_limit"]
    assert part["cpus"]
    assert part["init"] is True
    assert name == "setup" or part["healthcheck"]["test"]
    assert part["logging"]["options"]["max-size"]


def test_networks_keep_apart_what_need_not_meet() -> None:
    networks = {name: set(one["networks"]) for name, one in services().items()}
    assert [name for name, found in networks.items() if "public" in found] == ["dashboard"]
    assert networks["registry"] == {"engine"}
    inner = {name for name, found in networks.items() if "inner" in found}
    assert inner == set(PARTS) - {"registry"}


@pytest.mark.parametrize("name", ["clock", "files", "worker"])
def test_the_numbers_of_a_process_are_on_no_public_port(name: str) -> None:
    part = services()[name]
    assert part["environment"]["BULLRING_METRICS_PORT"] == "9100"
    assert "ports" not in part


@pytest.mark.parametrize("name", OURS)
def test_every_service_runs_a_command_that_exists(name: str) -> None:
    from cli.main import build_app

    app = build_app()
    known = {one.name or getattr(one.callback, "__name__", "") for one in app.registered_commands}
    known |= {str(group.name) for group in app.registered_groups}
    assert services()[name]["command"][0] in known


def known_numbers() -> set[str]:
    """The names of all metrics, as families and as samples."""
    registries = (Metrics().registry, WorkerMetrics().registry, FilesMetrics(ROOT).registry)
    families = [family for registry in registries for family in registry.collect()]
    known = {sample.name for family in families for sample in family.samples}
    return known | {family.name for family in families}


def test_the_board_shows_numbers_that_exist() -> None:
    board = json.loads((ROOT / "deploy/grafana.json").read_text(encoding="utf-8"))
    used = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\bbullring_\w+", target["expr"])
    }
    assert len(used) > 10
    assert {re.sub(r"_(total|bucket)$", "", name) for name in used} <= known_numbers()


def test_every_alert_uses_numbers_that_exist_and_has_its_page_in_the_runbook() -> None:
    rules = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text(encoding="utf-8"))
    runbook = (ROOT / "docs/runbook.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", runbook, re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}
    known = known_numbers()
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert len(alerts) >= 5
    for alert in alerts:
        used = re.findall(r"\bbullring_\w+", alert["expr"])
        assert used or alert["expr"].startswith("up{"), alert["alert"]
        assert {name.removesuffix("_total") for name in used} <= known, alert["alert"]
        page, _, anchor = alert["annotations"]["runbook"].partition("#")
        assert page == "docs/runbook.md"
        assert anchor in anchors, alert["alert"]
