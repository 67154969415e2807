"""A bot's own output in a match: complete for its owner, out of reach for everyone else."""

import html
import json

import pytest
from sqlmodel import Session

from dashboard.pages.match import NOTES_SHOWN
from store import Seat, Store, match_lists
from tests.dashboard.conftest import Browser, api_token
from tests.dashboard.seed import Seeded, play_faulty


@pytest.fixture
def faulty(store: Store) -> int:
    """A match in which otter's bot made a fault."""
    return play_faulty(store)


def seat_of(session: Session, match_id: int, bot: str) -> Seat:
    return next(
        one.seat for one in match_lists.seated(session, [match_id])[match_id] if one.bot == bot
    )


@pytest.mark.parametrize(("who", "status"), [(None, 401), ("heron", 403), ("otter", 200)])
@pytest.mark.parametrize("path", ["/output?bot=otter/stumble", "/output/{seat}/moves"])
def test_only_the_owner_reads_the_output_of_a_bot(
    spectator: Browser, store: Store, faulty: int, path: str, who: str | None, status: int
) -> None:
    headers = api_token(store, who, "read") if who else {}
    with store.read() as session:
        number = seat_of(session, faulty, "otter/stumble").number
    address = f"/api/v1/matches/{faulty}{path.format(seat=number)}"
    answer = spectator.get(address, headers=headers)
    assert answer.status_code == status
    assert ("stumble ready" in answer.text) == (status == 200 and "bot=" in path)
    if status != 200:
        assert "note" not in answer.text
        assert "log" not in answer.json()


def test_a_token_without_the_scope_read_gets_no_output(
    spectator: Browser, store: Store, faulty: int
) -> None:
    headers = api_token(store, "otter", "submit")
    answer = spectator.get(f"/api/v1/matches/{faulty}/output", headers=headers)
    assert answer.status_code == 403
    assert "'read'" in answer.json()["detail"]


def test_a_match_that_is_not_done_gives_no_output(boss: Browser, seeded: Seeded) -> None:
    for number in (seeded.waiting, seeded.running):
        answer = boss.get(f"/api/v1/matches/{number}/output")
        assert answer.status_code == 404
        assert "when it is done" in answer.json()["detail"]


def test_a_fault_comes_with_the_ask_that_caused_it(otter: Browser, faulty: int) -> None:
    (own,) = otter.get(f"/api/v1/matches/{faulty}/output?bot=otter/stumble").json()
    assert own["log"].startswith("otter/stumble ready")
    assert own["decisions"] > 0
    assert own["worst_ms"] >= own["median_ms"]
    assert own["faults"]
    for fault in own["faults"]:
        ask = fault["ask"]
        place = ("pass_no", "game_no", "round_no", "decision")
        assert [ask["move"][name] for name in place] == [fault[name] for name in place]
        assert ask["move"]["sent"] == 999
        assert ask["move"]["by"] == "house"
        assert ask["move"]["choice"] in ask["legal"]
        assert ask["view"]["seat"] == ask["move"]["seat"]
        if ask["move"]["kind"] == "card":
            assert ask["legal"] == ask["view"]["hand"]
        # The replay says the same of that decision.
        replay = otter.get(
            f"/api/v1/matches/{faulty}/games/{fault['pass_no']}/{fault['game_no']}/replay"
        ).json()
        entry = replay["rounds"][fault["round_no"]]["decisions"][fault["decision"]]
        assert (entry["fault"]["kind"], entry["choice"]) == (fault["kind"], ask["move"]["choice"])
        assert "it sent 999" in ask["words"]


def test_faults_are_filtered_by_kind_and_unknown_kinds_are_refused(
    otter: Browser, faulty: int
) -> None:
    address = f"/api/v1/matches/{faulty}/output?bot=otter/stumble&fault="
    assert otter.get(address + "illegal_choice").json()[0]["faults"]
    assert otter.get(address + "timeout").json()[0]["faults"] == []
    refused = otter.get(address + "sulking")
    assert refused.status_code == 422
    assert "illegal_choice" in refused.text


def test_the_moves_of_a_seat_are_its_decisions_in_every_replay_with_its_own_notes(
    otter: Browser, store: Store, faulty: int
) -> None:
    with store.read() as session:
        seat = seat_of(session, faulty, "otter/stumble")
    address = f"/api/v1/matches/{faulty}/output/{seat.number}/moves"
    answer = otter.get(address)
    assert "attachment" in answer.headers["content-disposition"]
    moves = [json.loads(line) for line in answer.text.splitlines()]
    games = otter.get(f"/api/v1/matches/{faulty}/games").json()
    expected = []
    for game in games:
        replay = otter.get(game["replay"]).json()
        at = game["seats"].index(seat.number)
        expected += [
            (game["game_no"], entry["kind"], entry["choice"], entry["ms"])
            for part in replay["rounds"]
            for entry in part["decisions"]
            if entry["seat"] == at
        ]
    assert [(m["game_no"], m["kind"], m["choice"], m["ms"]) for m in moves] == expected
    noted = [move for move in moves if move["note"]]
    assert {move["note"] for move in noted} == {"stumble had no doubt"}
    only = otter.get(address + "?noted=true").text.splitlines()
    assert [json.loads(line) for line in only] == noted
    faults = [
        json.loads(line) for line in otter.get(address + "?fault=illegal_choice").text.splitlines()
    ]
    assert faults == [move for move in moves if move["fault"]]
    assert len(faults) == seat.faults


def test_the_page_shows_the_same_to_the_owner_and_asks_others_to_leave(
    spectator: Browser, heron: Browser, otter: Browser, faulty: int
) -> None:
    address = f"/matches/{faulty}/output?bot=otter/stumble"
    page = otter.get(address).text
    assert "otter/stumble ready" in page
    assert "It sent card 999" in page or "It sent row 1000" in page
    assert f"/api/v1/matches/{faulty}/output/" in page
    assert "It sent" not in otter.get(address + "&fault=timeout").text
    refused = heron.get(address)
    assert refused.status_code == 403
    assert "stumble ready" not in refused.text
    away = spectator.get(address, follow_redirects=False)
    assert (away.status_code, away.headers["location"][:8]) == (303, "/sign-in")


def test_the_page_says_choices_in_words_and_counts_from_1(otter: Browser, faulty: int) -> None:
    address = f"/matches/{faulty}/output?bot=otter/stumble"
    page = html.unescape(otter.get(address).text)
    (own,) = otter.get(f"/api/v1{address}").json()
    moves = otter.get(f"/api/v1/matches/{faulty}/output/{own['seat']}/moves?noted=true").text
    noted = [json.loads(line) for line in moves.splitlines()]
    assert {move["kind"] for move in noted} == {"card", "row"}
    for move in noted[:NOTES_SHOWN]:
        place = f"round {move['round_no'] + 1}, decision {move['decision'] + 1}"
        number = move["choice"] + (move["kind"] == "row")
        assert f"{place}: <b>{move['kind']} {number}</b>" in page
    rows = ["Row 1: "] + [f", row {at}: " for at in (2, 3, 4)]
    for fault in own["faults"]:
        view, legal = fault["ask"]["view"], fault["ask"]["legal"]
        told = "".join(
            f"{head}{' '.join(map(str, row))}" for head, row in zip(rows, view["rows"], strict=True)
        )
        assert told in page
        if fault["ask"]["move"]["kind"] == "card" and len(legal) > 1:
            first, last = ", ".join(map(str, legal[:-1])), legal[-1]
            assert f"It could choose card {first} or {last}. It sent card 999" in page


def test_output_on_the_page_cannot_write_the_page(
    otter: Browser, store: Store, faulty: int
) -> None:
    with store.write() as session:
        seat = seat_of(session, faulty, "otter/stumble")
        seat.stats = {**seat.stats, "log": "<script>alert(1)</script>\x1b[2J\u202e"}
        session.add(seat)
    page = otter.get(f"/matches/{faulty}/output?bot=otter/stumble").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
