"""The deployment for real: `docker compose up`, a season with a submitted bot, a dead worker, a
restarted dashboard, and nothing left at the end."""

import io
import json
import os
import secrets
import signal
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import docker
import httpx2
import pytest

from deploy.standins import make_standin
from nimmt.verify import verify
from tests.deploy.league import ROOT, Deployment, Person, deployed, wait_until
from tests.sandbox.conftest import base_image
from tests.services import missing

__all__ = ["base_image"]

HOUSE = ("house/random", "house/lowest", "house/gap")


@pytest.fixture(scope="module")
def standin(docker_engine: docker.DockerClient) -> str:
    """The stand-in image; .ci/run makes it beforehand, because that takes minutes."""
    if "bridge" not in docker_engine.info()["Plugins"]["Network"]:
        missing("a Docker network", "this engine has no bridge driver")
    try:
        return make_standin()
    except (SystemExit, subprocess.CalledProcessError) as error:
        missing("the stand-in image", f"python -m deploy.standins failed ({error})")


def packed_bot() -> bytes:
    """A sample as an author sends it, but with an image that no other test has."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name in ("bot.py", "Dockerfile"):
            text = (ROOT / "sample_bots" / "gap" / name).read_bytes()
            if name == "bot.py":
                text += f"\n# {secrets.token_hex(8)}\n".encode()
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
    return packed.getvalue()


def submit_bot(league: Deployment, organiser: Person) -> None:
    """Submit a bot and wait until its check is over."""
    fields = {"kind": "build_context", "new_name": "own", "rules-x-nimmt": "1"}
    page = organiser.fill_in("/submit", "/submit", fields, packed_bot())

    def accepted() -> bool:
        found = organiser.get(f"/api/v1{page}").json()
        assert found["state"] != "rejected", found
        return bool(found["state"] == "accepted")

    wait_until(accepted, "the submission is accepted")


def forget_image(league: Deployment) -> str:
    """Remove the accepted image from the engine, as if the workers were on other machines."""
    registry = f"http://127.0.0.1:{league.registry_port}/v2/bullring-bot/tags/list"
    [tag] = httpx2.get(registry).json()["tags"]
    league.engine.images.remove(local_name(league, tag))
    return str(tag)


def local_name(league: Deployment, tag: str) -> str:
    """How the workers' engine calls its own copy of an image that the registry has."""
    names = [name for image in league.engine.images.list() for name in image.tags]
    [found] = [n for n in names if n.startswith("bullring-cached/") and n.endswith(f":{tag}")]
    return str(found)


def begin_season(league: Deployment) -> None:
    league.bullring(
        "season", "create", "spring", "x-nimmt", "--table", "4", "--boards", "8", "--meetings", "4",
        "--move-ms", "2000", "--bank-ms", "20000",
    )  # fmt: skip
    league.bullring("season", "open", "spring")
    league.bullring("season", "enter", "spring", "ada/own", *HOUSE)
    league.bullring("season", "freeze", "spring")
    league.bullring("season", "start", "spring")


def rehearse_restore(league: Deployment) -> None:
    """Back the running league up, and bring the backup into an empty database beside it."""
    league.bullring("backup", "/data/kept.tar")
    league.compose(
        "exec", "-T", "postgres", "createdb", "-U", "postgres", "-O", "bullring", "again"
    )
    said = league.compose(
        "run", "--rm", "-T",
        "-e", "BULLRING_DATABASE_URL=postgresql://bullring@postgres/again",
        "-e", "BULLRING_BLOBS_DIR=/data/again", "setup", "restore", "/data/kept.tar",
    )  # fmt: skip
    assert "4 replay files" in said


def asked(league: Deployment, query: str) -> list[str]:
    """What PostgreSQL's superuser reads, line by line."""
    command = ("psql", "-U", "postgres", "-d", "bullring", "--no-align", "--tuples-only")
    said = league.compose("exec", "-T", "postgres", *command, "--command", query)
    return said.split()


def check_roles(league: Deployment) -> None:
    """The league and its workers are no superusers, and the league owns what it works with."""
    powers = "rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls"
    ours = f"SELECT rolname, {powers} FROM pg_roles WHERE rolname LIKE 'bullring%' ORDER BY 1"
    assert asked(league, ours) == ["bullring|f", "bullring_worker|f"]
    owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
    assert asked(league, owners) == ["bullring"]
    users = "SELECT DISTINCT usename FROM pg_stat_activity WHERE client_addr IS NOT NULL ORDER BY 1"
    assert asked(league, users) == ["bullring", "bullring_worker"]


def check_secrets(league: Deployment) -> None:
    """What the engine tells of a container holds no password, nor does a list of processes."""
    values = {file.read_text().strip() for file in league.secrets.iterdir()}
    assert len(values) == 5
    for one in league.containers():
        told = json.dumps(one.attrs)
        if one.status == "running":
            told += json.dumps(one.top())
        assert not [value for value in values if value in told], one.name


def season(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = person.get("/api/v1/seasons/spring").json()
    return found


@pytest.mark.docker
@pytest.mark.heavy
@pytest.mark.timeout(1800)
def test_a_league_in_containers_survives_what_happens_to_it(
    docker_engine: docker.DockerClient, standin: str, base_image: str, tmp_path: Path
) -> None:
    with deployed(docker_engine, tmp_path / "secrets") as league, Person(league) as organiser:
        link = league.organiser_link()
        fields = {"handle": "ada", "password": "a long enough one"}
        assert organiser.fill_in(link, link, fields) == "/organiser"
        check_roles(league)
        check_secrets(league)
        submit_bot(league, organiser)
        image = forget_image(league)
        begin_season(league)

        # A worker dies in the middle of a match; the engine starts it again by itself.
        wait_until(lambda: season(organiser)["matches"].get("running"), "a match is played")
        [victim, _] = league.containers("worker")
        os.kill(victim.attrs["State"]["Pid"], signal.SIGKILL)
        league.compose("restart", "dashboard")
        wait_until(league.ready, "the dashboard is ready again")
        wait_until(lambda: season(organiser)["state"] == "finished", "the season is over")
        victim.reload()
        assert victim.status == "running"
        assert victim.attrs["RestartCount"] == 1

        # Everything is still there: the session, the table, every replay, true to its rules.
        assert organiser.get("/organiser").status_code == 200
        table = organiser.get("/api/v1/seasons/spring/standings").json()
        assert {row["bot"] for row in table["rows"]} == {"ada/own", *HOUSE}
        played = organiser.get("/api/v1/matches", params={"season": "spring"}).json()["items"]
        assert {match["state"] for match in played} == {"done"}
        for match in played:
            replay = organiser.get(f"/api/v1/matches/{match['id']}/games/0/0/replay").json()
            verify(replay)
        rehearse_restore(league)
        # The workers have fetched it from the registry; nobody else had it.
        league.engine.images.remove(local_name(league, image))
        stored = [line for line in league.events("worker") if line["event"] == "match stored"]
        assert {line["match"] for line in stored} >= {f"m{match['id']}" for match in played}
    assert league.left() == []
