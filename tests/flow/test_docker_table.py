"""A person against a bot that somebody submitted, which plays in its container."""

import json
import time
from pathlib import Path
from typing import Any

import docker
import pytest

import store
from league import people, wiring
from league.settings import LeagueSettings
from nimmt.verify import verify
from sandbox import owner
from sandbox.owner import SITE_LABEL, Owner
from store import Store, SubmissionState
from tests.flow.contained import PATIENCE_SECONDS, submit
from tests.league.world import wait_for

pytestmark = [pytest.mark.docker, pytest.mark.heavy, pytest.mark.timeout(1500)]


def accepted(database: Store, submission_id: int) -> bool:
    with database.read() as session:
        found = store.bots.submission(session, submission_id)
    assert found.state is not SubmissionState.REJECTED, found.log
    return found.state is SubmissionState.ACCEPTED


def is_frozen(container: Any) -> bool:
    """Whether the kernel, or the engine, has stopped all processes of a container."""
    container.reload()
    if container.attrs["State"]["Paused"]:
        return True
    pid = container.attrs["State"]["Pid"]
    for line in Path(f"/proc/{pid}/cgroup").read_text(encoding="ascii").splitlines():
        _, kind, path = line.split(":", 2)
        if kind == "" and (at := Path(f"/sys/fs/cgroup{path}/cgroup.events")).exists():
            return "frozen 1" in at.read_text(encoding="ascii")
        if kind == "freezer":
            at = Path(f"/sys/fs/cgroup/freezer{path}/freezer.state")
            return at.read_text(encoding="ascii").strip() == "FROZEN"
    return False


def test_a_submitted_bot_sits_at_a_table_and_is_frozen_while_the_person_thinks(
    tmp_path: Path,
    state: Path,
    docker_engine: docker.DockerClient,
    base_image: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, "default_state_dir", lambda: state)
    settings = LeagueSettings(
        data_dir=tmp_path, sandbox="docker", tick_seconds=0.2, start_seconds=120, fair_host=False
    )
    database = wiring.open_store(settings)
    sent = submit(database, settings, "ada/gap", "six-nimmt")
    mine = Owner(host=docker_engine.info()["Name"])
    label: dict[str, Any] = {"label": f"{SITE_LABEL}={mine.site}"}
    worker = wiring.make_worker(settings, database)
    worker.start()
    try:
        wait_for(lambda: accepted(database, sent), PATIENCE_SECONDS)
        with database.write() as session:
            asker = people.Asker(person=store.sittings.add_person(session), address_hash="")
            wanted = people.TableRequest(seats=3, opponents=("ada/gap",), one_round=True)
            sitting, _ = people.open_table(session, settings, asker, wanted, contained=True)
            match_id, own = sitting.match_id, asker.person.id
        frozen = play(database, match_id, own, docker_engine, label)
    finally:
        worker.stop()
    assert frozen, "the bot ran on while the person was thinking"
    with database.read() as session:
        sha256, line = store.results.replay_line(session, match_id, 0, 0)
    document = json.loads(database.blobs.line(sha256, line))
    verify(document)
    images = {one["bot"]: one["image"] for one in document["players"]}
    assert images["ada/gap"].startswith("sha256:")
    assert all(one["out"] is None for one in document["players"])
    assert docker_engine.containers.list(all=True, filters=label) == []
    mine.close()


def play(
    database: Store,
    match_id: int,
    person_id: str,
    engine: docker.DockerClient,
    label: dict[str, Any],
) -> bool:
    """Play to the end; says whether the container stood still at the first ask."""
    seen, frozen, deadline = 0, False, time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with database.read() as session:
            seat = store.sittings.seat_of(session, match_id, person_id)
            assert seat is not None
            frames = store.sittings.frames(session, match_id, seat.seat, seen)
        for number, frame in frames:
            seen = number
            assert frame["type"] != "closed", frame
            if frame["type"] == "over":
                return frozen
            if frame["type"] == "ask":
                if not frozen:
                    [container] = engine.containers.list(filters=label)
                    wait_for(lambda: is_frozen(container), 60)  # noqa: B023
                    frozen = True
                choose(database, match_id, person_id, frame)
        time.sleep(0.05)
    raise AssertionError("the game did not end")


def choose(database: Store, match_id: int, person_id: str, frame: dict[str, Any]) -> None:
    with database.write() as session:
        sitting = store.present(session, store.Sitting, match_id)
        seat = store.sittings.seat_of(session, match_id, person_id)
        assert seat is not None
        people.choose(session, sitting, seat, frame["ask"], frame["legal"][0])
    people.BELL.ring((people.CHOICES, match_id))
