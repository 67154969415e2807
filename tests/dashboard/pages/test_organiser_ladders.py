"""The organiser's desk: a ladder opened, run, set and corrected by forms alone."""

import re

import pytest

from dashboard.pages.organiser.ladder_form import DEFAULTS
from dashboard.pages.season import LADDER_PAGE
from league import gate as gates
from league import ladder as ladders
from store import (
    Ladder,
    LadderState,
    MatchKind,
    NewMatch,
    Store,
    audit,
    bots,
    matches,
    present,
    scales,
)
from store import ladders as data_ladders
from tests.dashboard.conftest import Browser
from tests.dashboard.pages.test_organiser import follow
from tests.dashboard.seed import Seeded

FORM = {**DEFAULTS, "length": "rounds", "boards": "6"}


def opened(boss: Browser) -> str:
    """Open a ladder by its form; the address of its desk."""
    answer = boss.submit("/organiser/ladders/open", FORM)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def ladder_at(store: Store, desk: str) -> tuple[Ladder, LadderState]:
    with store.read() as session:
        found = present(session, Ladder, int(desk.rpartition("/")[2]))
        return found, found.state


def suspend(store: Store, name: str, why: str) -> None:
    with store.write() as session:
        bot = bots.find_bot(session, name)
        assert bot is not None
        bots.suspend(session, bot.id, why)


def test_a_ladder_is_opened_paused_resumed_and_closed_by_forms(boss: Browser, store: Store) -> None:
    desk = opened(boss)
    page = boss.get(desk).text
    assert "8 boards a match" in page, "boards are rounded up to whole laps of the table"
    assert "heron/</span><bdi>close" in page, "nobody has to be entered"
    for step, state in (
        ("pause", "paused"), ("resume", "open"), ("close", "closed"), ("resume", "open"),
        ("pause", "paused"), ("close", "closed"),
    ):  # fmt: skip
        page = follow(boss, f"{desk}/{step}")
        assert re.search(rf"Ladder \d+ is {state}\.", page)
        assert ladder_at(store, desk)[1].value == state
        assert f">{state}</span></td>" in re.sub(
            r'(?s).*id="ladders"', "", boss.get("/organiser").text
        )
    refused = boss.submit(f"{desk}/pause")
    assert refused.status_code == 409
    assert "is closed; only one that is open can be paused" in refused.text
    with store.read() as session:
        number = ladder_at(store, desk)[0].id
        rows = audit.page(session, subject="ladder", subject_id=number)
    assert {row.actor for row in rows} == {"boss"}
    expected = ["open", "pause", "resume", "close", "resume", "pause", "close"]
    assert [row.action for row in reversed(rows)] == [f"ladder.{step}" for step in expected]


def test_a_title_is_what_every_page_calls_a_ladder(
    boss: Browser, spectator: Browser, store: Store
) -> None:
    answer = boss.submit("/organiser/ladders/open", {**FORM, "title": " Evening  <b>ladder"})
    desk = str(answer.headers["location"])
    number = ladder_at(store, desk)[0].id
    shown = "Evening &lt;b&gt;ladder"
    pages = ("/", "/seasons", f"/ladders/{number}", f"/ladders/{number}/fairness")
    for address in pages:
        assert shown in spectator.get(address).text, address
    for address in ("/organiser", desk, f"/organiser/audit?ladder={number}"):
        assert shown in boss.get(address).text, address
    assert "6 nimmt!, tables of 4" in spectator.get(f"/ladders/{number}").text
    assert "Evening &lt;b&gt;ladder is paused." in follow(boss, f"{desk}/pause")
    # Opened again without one it keeps it; the settings take it away.
    boss.submit("/organiser/ladders/open", FORM)
    assert ladder_at(store, desk)[0].title == "Evening <b>ladder"
    assert f'value="{shown}"' in boss.get(desk).text
    fields = {"boards": "8", "cap": "2", "longest_wait": "", "move_ms": "50", "bank_ms": "500"}
    page = follow(boss, f"{desk}/settings", {**fields, "title": ""})
    assert "<h1>6 nimmt! ladder, tables of 4</h1>" in page


def test_two_ladders_cannot_have_the_same_title(boss: Browser, store: Store) -> None:
    opened_first = boss.submit("/organiser/ladders/open", {**FORM, "title": "Evening"})
    number = str(opened_first.headers["location"]).rpartition("/")[2]
    answer = boss.submit("/organiser/ladders/open", {**FORM, "title": "EVENING", "table_size": "3"})
    assert answer.status_code == 409
    assert f"which ladder {number} has; choose another" in answer.text
    with store.read() as session:
        assert [one.title for one in data_ladders.ladders(session) if one.table_size == 3] == []


def test_a_wrong_field_is_named_and_nothing_is_opened(boss: Browser, store: Store) -> None:
    answer = boss.submit("/organiser/ladders/open", {**FORM, "rules": "x-nimmt", "table_size": "9"})
    assert answer.status_code == 422
    assert "x-nimmt" in answer.text
    answer = boss.submit("/organiser/ladders/open", {**FORM, "longest_wait": "soon"})
    assert "expected a number above 0 and up to 1000000000" in answer.text
    assert "No ladder yet" in boss.get("/organiser").text


def test_settings_are_changed_for_the_matches_to_come(boss: Browser, store: Store) -> None:
    desk = opened(boss)
    fields = {"boards": "9", "cap": "3", "longest_wait": "600", "move_ms": "50", "bank_ms": "500"}
    page = follow(boss, f"{desk}/settings", fields)
    assert "The settings hold for all matches to come." in page
    plan = ladders.plan_of(ladder_at(store, desk)[0])
    assert (plan.boards, plan.cap, plan.longest_wait) == (12, 3, 600)
    assert plan.time == {"move_ms": 50, "bank_ms": 500}
    wrong = boss.submit(f"{desk}/settings", {**fields, "cap": "0"})
    assert wrong.status_code == 422
    assert "expected a whole number from 1 to 1000" in wrong.text
    assert 'value="600"' in wrong.text, "what was typed is kept"
    follow(boss, f"{desk}/settings", {**fields, "longest_wait": ""})
    assert ladders.plan_of(ladder_at(store, desk)[0]).longest_wait is None


def test_every_bot_says_why_it_is_not_playing(boss: Browser, store: Store) -> None:
    desk = opened(boss)
    assert "no worker" in boss.get(desk).text
    page = follow(boss, f"{desk}/withdraw", {"bot": "heron/close", "reason": "a rest"})
    assert "heron/close is withdrawn." in page
    assert "<q>a rest</q>" in page
    assert boss.get(f"{desk}/disqualify?bot=heron/nobody").status_code == 404
    refused = boss.submit(f"{desk}/disqualify", {"bot": "otter/closer", "reason": " "})
    assert refused.status_code == 409
    assert "needs a reason" in refused.text
    page = follow(boss, f"{desk}/disqualify", {"bot": "otter/closer", "reason": "it peeked"})
    assert "<q>it peeked</q>" in page
    page = follow(boss, f"{desk}/enter", {"bot": "otter/closer"})
    assert "Entered otter/closer." in page
    assert "it peeked" not in re.sub(r'(?s)id="acts".*', "", page)
    assert "tick one" in boss.submit(f"{desk}/enter").text


def test_a_suspended_bot_is_shown_and_forgiven(boss: Browser, store: Store) -> None:
    desk = opened(boss)
    suspend(store, "heron/close", "it crashed and crashed")
    page = boss.get(desk).text
    assert "it crashed and crashed" in page
    assert "needs a reason" in boss.submit(f"{desk}/forgive", {"bot": "heron/close"}).text
    page = follow(boss, f"{desk}/forgive", {"bot": "heron/close", "reason": "our fault"})
    assert "heron/close plays again." in page
    assert 'id="suspended"' not in page
    again = boss.submit(f"{desk}/forgive", {"bot": "heron/close", "reason": "twice"})
    assert "is not suspended" in again.text


def test_gates_are_required_of_all_or_of_one_bot(boss: Browser, store: Store) -> None:
    desk = opened(boss)
    page = follow(boss, f"{desk}/gate-rule", {"required": "true"})
    assert "New versions of every bot need a gate." in page
    assert "Do not require gates" in page
    page = follow(boss, f"{desk}/gate-rule", {"required": "false", "bot": "heron/close"})
    assert "needs none</span>" in page
    with store.read() as session:
        for name, expected in (("heron/close", False), ("otter/closer", True)):
            bot = bots.find_bot(session, name)
            assert bot is not None
            assert gates.required(session, bot) is expected
    page = follow(boss, f"{desk}/gate-rule", {"required": "league", "bot": "heron/close"})
    assert "For heron/close the rule of the league holds again." in page
    assert "needs none</span>" not in page
    assert boss.submit(f"{desk}/gate-rule", {"bot": "no/body"}).status_code == 404


def test_a_version_whose_gate_cannot_begin_is_shown_with_the_reason(
    boss: Browser, heron: Browser, store: Store
) -> None:
    desk = opened(boss)
    follow(boss, f"{desk}/gate-rule", {"required": "true"})
    follow(boss, f"{desk}/pause")
    with store.write() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        made = bots.add_version(session, bot.id, program=["true"])
        assert gates.accept_version(session, made.id)
    assert gates.open_due(store) == []
    for page in (boss.get(desk).text, heron.get("/bots/heron/close/manage").text):
        assert "waits for its gate" in page
        assert "no ladder of six-nimmt is open" in page
    follow(boss, "/bots/heron/close/version", {"version": str(made.number)})
    assert "waits for its gate" not in boss.get(desk).text, "an organiser lets it play without"


@pytest.mark.parametrize("path", ["/organiser/ladders/{}", "/organiser/audit?ladder={}"])
def test_the_scale_of_a_season_is_no_ladder_to_run(
    boss: Browser, store: Store, seeded: Seeded, path: str
) -> None:
    with store.read() as session:
        scale = scales.of_season(session, seeded.season_id)
    assert boss.get(path.format(scale.id)).status_code == 404


def test_all_matches_of_a_ladder_can_be_read_page_by_page(boss: Browser, store: Store) -> None:
    number = int(opened(boss).rpartition("/")[2])
    with store.write() as session:
        seats = tuple(version.id for _, version in bots.playable(session, "six-nimmt"))[:4]
        planned = NewMatch(
            kind=MatchKind.LADDER, rules="six-nimmt", options={}, versions=seats, boards=4,
            passes=1, key=bytes(32), time={"move_ms": 100, "bank_ms": 1000}, scale_id=number,
        )  # fmt: skip
        made = matches.plan(session, [planned] * (2 * LADDER_PAGE + 1))
    seen: list[int] = []
    address = f"/ladders/{number}"
    for _ in range(3):
        page = boss.get(address).text
        seen += [int(one) for one in re.findall(r'href="/matches/(\d+)"', page)]
        following = re.search(r'href="(\?before=\d+)#matches">Older matches', page)
        address = f"/ladders/{number}{following[1]}" if following else ""
    assert seen == sorted(made, reverse=True)
    assert address == "", "nothing comes after the last"


def test_a_ladder_starts_with_the_platform_bots_that_were_chosen(
    boss: Browser, store: Store
) -> None:
    page = boss.get("/organiser/ladders/open").text
    assert 'name="platform" value="house/greedy"' in page
    answer = boss.submit("/organiser/ladders/open", {**FORM, "platform": "house/greedy"})
    assert answer.status_code == 303
    desk = str(answer.headers["location"])
    number = ladder_at(store, desk)[0].id
    with store.read() as session:
        field = data_ladders.field_of(session, number)
        competes = {
            name: field.competes(bot)
            for name in ("house/greedy", "house/lowest")
            if (bot := bots.find_bot(session, name))
        }
    assert competes == {"house/greedy": True, "house/lowest": False}
    wrong = boss.submit("/organiser/ladders/open", {**FORM, "platform": "house/nobody"})
    assert wrong.status_code == 409


def test_what_ends_something_says_what_it_does_before_its_button(
    boss: Browser, heron: Browser
) -> None:
    desk = opened(boss)
    for client, address, words in (
        (boss, desk, "No more matches; what is on its way is still played."),
        (heron, "/bots/heron/close/manage", "It loses its place on this ladder"),
        (boss, "/organiser", "They cannot sign in"),
    ):
        page = client.get(address).text
        boxes = re.findall(r'<details class="ask">.*?</details>', page, re.S)
        box = next(one for one in boxes if words in one)
        assert box.index(words) < box.index("<button")
