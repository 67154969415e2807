"""`bullring logs BOT` and what `watch` waits for, against a real server on the loopback."""

import json
import re
from pathlib import Path

import pytest
from sqlmodel import select

from store import Fault, Store
from tests.cli.author.test_author_commands import bullring, home, league, secret_of, site
from tests.cli.test_terminal import POISON, STEERS
from tests.dashboard.api.test_output import seat_of
from tests.dashboard.conftest import plain_logs, quick_passwords, seeded, seeded_folder, settings
from tests.dashboard.conftest import store as store_fixture
from tests.dashboard.seed import play_faulty

__all__ = [
    "home", "league", "plain_logs", "quick_passwords", "seeded", "seeded_folder", "settings",
    "site",
]  # fmt: skip

store = store_fixture


@pytest.fixture
def otter(site: str, store: Store) -> str:
    bullring("login", site, typed=f"{secret_of(store, 'otter', 'read')}\n")
    return site


@pytest.fixture
def faulty(store: Store) -> int:
    return play_faulty(store)


def test_logs_of_a_match_show_output_times_and_faults_with_their_asks(
    otter: str, faulty: int
) -> None:
    said = bullring("logs", "stumble", "--match", faulty)
    assert f"otter/stumble version 1 in match {faulty}" in said
    assert re.search(r"decisions in \d+ games, mean [\d.]+ ms, median", said)
    assert "illegal_choice in pass 1, game" in said
    assert "it sent 999" in said
    assert "  otter/stumble ready" in said
    assert "had no doubt" not in said


def test_moves_carry_notes_and_can_be_filtered_and_saved(
    otter: str, faulty: int, tmp_path: Path
) -> None:
    said = bullring("logs", "stumble", "--match", faulty, "--moves")
    assert "stumble had no doubt" in said
    file = tmp_path / "moves.jsonl"
    bullring("logs", "stumble", "--match", faulty, "--to", file)
    moves = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(moves) == said.count(" by ")
    assert "already exists" in bullring("logs", "stumble", "--match", faulty, "--to", file, code=2)
    gone = tmp_path / "nowhere" / "moves.jsonl"
    assert "cannot be written" in bullring("logs", "stumble", "--to", gone, code=2)
    only = bullring("logs", "stumble", "--match", faulty, "--moves", "--json", "--fault", "timeout")
    assert only == ""
    assert "0 faults of kind timeout" in bullring(
        "logs", "stumble", "--match", faulty, "--fault", "timeout"
    )


def test_without_a_match_the_latest_is_shown_and_json_is_complete(otter: str) -> None:
    found = json.loads(bullring("logs", "stumble", "--json"))
    assert found["bot"] == "otter/stumble"
    assert found["log"].startswith("otter/stumble ready\n")


def test_another_authors_output_is_refused(otter: str, faulty: int) -> None:
    said = bullring("logs", "heron/close", "--match", faulty, code=2)
    assert "ready" not in said


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("stumble", "--fault", "sulking"), "expected one of: timeout"),
        (("stumble", "--follow"), "bullring watch BOT"),
        (("1", "--match", "1"), "expected one of your bots"),
        (("--moves",), "expected one of your bots"),
        (("stumble", "--match", "99999"), "match 99999"),
        (("nobot",), "nobot"),
    ],
)
def test_wrong_wishes_say_what_was_expected(otter: str, given: tuple[str, ...], says: str) -> None:
    assert says in bullring("logs", *given, code=2)


def test_a_bots_output_cannot_steer_the_terminal(otter: str, store: Store, faulty: int) -> None:
    with store.write() as session:
        seat = seat_of(session, faulty, "otter/stumble")
        seat.stats = {**seat.stats, "log": POISON}
        session.add(seat)
        for fault in session.exec(select(Fault).where(Fault.match_id == faulty)):
            fault.cause = POISON
            session.add(fault)
    said = bullring("logs", "stumble", "--match", faulty, "--moves")
    assert not STEERS.search(said)
    # Its lines are indented, so that none looks like ours.
    assert all(line.startswith("  ") for line in said.splitlines() if "disqualify" in line)


def test_watch_says_what_it_waits_for(otter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(range(2))

    def look(_: float) -> None:
        if next(looks, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr("cli.author.status.time.sleep", look)
    said = bullring("watch", "stumble", "closer")
    for name in ("otter/stumble", "otter/closer"):
        lines = [line for line in said.splitlines() if line.startswith(f"{name}: ")]
        assert len(lines) == 1, "said once, as long as nothing changes"
        assert "waiting for the end of a match" in lines[0] or "no match is planned" in lines[0]
