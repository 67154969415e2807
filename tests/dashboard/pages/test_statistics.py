"""What the statistics pages claim, and to whom they say what."""

import re

from httpx2 import Response

from dashboard.render import Point
from dashboard.render.charts import calibration, line_with_band
from league import gate as gates
from league import ladder as ladders
from league.ladder import suspension
from league.ratings.published import CalibrationBin
from store import Bot, Store, accounts, bots, locked
from tests.dashboard.conftest import Browser, api_token

PLAN = ladders.LadderPlan(rules="six-nimmt", options={"rounds": 1}, boards=4)


def open_ladder(store: Store) -> int:
    with store.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        return ladders.open_ladder(session, PLAN, boss).id


def test_the_heat_map_is_a_table_whose_every_number_is_in_the_data(spectator: Browser) -> None:
    page = spectator.get("/seasons/spring").text
    cross = spectator.get("/api/v1/seasons/spring/standings").json()["crosstable"]
    cells = re.findall(r'class="num heat [\w -]*" title="([^"]+)">(\d+)<', page)
    known = [score for row in cross["score"] for score in row if score is not None]
    assert len(cells) == len(known) > 20
    assert [int(shown) for _, shown in cells] == [round(100 * score) for score in known]


def test_every_number_is_explained_where_it_stands(spectator: Browser) -> None:
    page = spectator.get("/seasons/spring").text
    anchors = set(re.findall(r'href="/docs/ratings#([^"]+)"', page))
    docs = spectator.get("/docs/ratings").text
    assert anchors
    assert all(f'id="{anchor}"' in docs for anchor in anchors), "every link leads somewhere"
    for word in ("Place", "Tied", "Rating ±", "Live", "Points ±", "Place is"):
        assert f"<dt>{word}</dt>" in page


def test_questions_about_owners_are_for_organisers_who_ask(
    spectator: Browser, heron: Browser, boss: Browser
) -> None:
    address = "/seasons/spring/fairness?look=1"
    for client in (spectator, heron):
        page = client.get(address).text
        assert "Matches of a bot" in page
        assert "Questions to ask" not in page
    assert "Look for them" in boss.get("/seasons/spring/fairness").text
    looked = boss.get(address).text
    assert "Owners that share something" in looked
    assert "Who met whom how often" in looked
    assert "Who met whom how often" not in spectator.get(address).text


def test_an_author_reads_why_a_bot_waits_and_nobody_else_does(
    spectator: Browser, heron: Browser, otter: Browser, store: Store
) -> None:
    assert "plays in seasons only" in heron.get("/bots/heron/close").text
    open_ladder(store)
    assert "NO_WORKER" in heron.get("/bots/heron/close").text
    for client in (spectator, otter):
        assert "Why is it not playing" not in client.get("/bots/heron/close").text


def second_version(store: Store) -> Bot:
    """A new version of heron's bot that is accepted and does not play yet."""
    with store.write() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        version = bots.add_version(session, bot.id, program=["seed:close"], fingerprint="other")
        bots.accept_version(session, version.id, make_current=False)
    return bot


def test_what_a_rejected_version_is_made_of_is_on_no_page_of_strangers(
    heron: Browser, spectator: Browser, store: Store
) -> None:
    with store.write() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        program, fingerprint = ["seed:close"], "a-private-fingerprint"
        version = bots.add_version(session, bot.id, program=program, fingerprint=fingerprint)
    page = "/bots/heron/close"
    with store.write() as session:
        bots.accept_version(session, version.id, make_current=False)
    assert "a-private-fingerprint" in spectator.get(page).text
    with store.write() as session:
        bots.reject_version(session, version.id, report=None)
    assert "a-private-fingerprint" in heron.get(page).text
    for address in (page, f"{page}?version={version.number}"):
        assert "a-private-fingerprint" not in spectator.get(address).text


def test_an_author_sends_a_version_to_the_gate_and_reads_its_verdict(
    heron: Browser, otter: Browser, spectator: Browser, store: Store
) -> None:
    number = open_ladder(store)
    second_version(store)
    assert "Only if it passes a gate" in heron.get("/bots/heron/close/manage").text
    fields = {"version": "2", "ladder": str(number)}
    answer = heron.submit("/bots/heron/close/gate", fields)
    assert answer.status_code == 303
    page = heron.get("/bots/heron/close").text
    assert re.search(r"v2 <span class=.muted.>against</span> v1", page)
    assert "is already at a gate" in heron.submit("/bots/heron/close/gate", fields).text
    assert "Version gates" not in spectator.get("/bots/heron/close").text
    assert heron.submit("/bots/heron/dice/gates/1/cancel", {}).status_code == 404
    assert otter.submit("/bots/heron/close/gates/1/cancel", {}).status_code == 403
    assert heron.submit("/bots/heron/close/gates/1/cancel", {}).status_code == 303
    assert "cancelled" in heron.get("/bots/heron/close").text
    assert "is over: cancelled" in heron.submit("/bots/heron/close/gates/1/cancel", {}).text


def test_a_gate_is_cancelled_by_its_owner_and_by_no_other_author(
    heron: Browser, spectator: Browser, store: Store
) -> None:
    number = open_ladder(store)
    second_version(store)
    heron.submit("/bots/heron/close/gate", {"version": "2", "ladder": str(number)})

    def cancel(handle: str, scope: str) -> Response:
        headers = api_token(store, handle, scope)
        why = {"reason": "a mistake in it"}
        return spectator.post("/api/v1/gates/1/cancel", json=why, headers=headers)

    assert cancel("otter", "manage").status_code == 404
    assert cancel("heron", "read").status_code == 403
    assert cancel("heron", "manage").json()["state"] == "cancelled"
    assert cancel("boss", "organise").status_code == 409


def test_a_version_that_may_not_play_says_why_instead_of_offering_it(
    heron: Browser, boss: Browser, store: Store
) -> None:
    number = open_ladder(store)
    bot = second_version(store)
    page = "/bots/heron/close/manage"
    assert "Let v2 play" in heron.get(page).text
    with store.write() as session:
        gates.set_rule(session, True, "test", bot)
    held = heron.get(page).text
    assert "Let v2 play" not in held
    assert "New versions of this bot pass a gate before they play." in held
    assert "Let v2 play" in boss.get(page).text, "an organiser may do without the gate"
    heron.submit("/bots/heron/close/gate", {"version": "2", "ladder": str(number)})
    waiting = heron.get(page).text
    assert "Its gate is being played" in waiting
    assert "Send it to a gate" not in waiting
    with store.write() as session:
        gates.cancel(session, 1, "test", "enough")
        gates.set_rule(session, False, "test", bot)
        suspension.suspend(session, locked(session, Bot, bot.id), "test", "it floods")
    suspended = heron.get(page).text
    assert "Let v2 play" not in suspended
    assert "it floods. None of its versions plays" in suspended


def test_a_ladder_has_its_page_and_report(spectator: Browser, boss: Browser, store: Store) -> None:
    number = open_ladder(store)
    assert "No results yet" in spectator.get(f"/ladders/{number}").text
    assert "Not measurable" in spectator.get(f"/ladders/{number}/fairness").text
    assert "None beyond chance" in boss.get(f"/ladders/{number}/fairness?look=1").text


def test_an_author_withdraws_a_bot_on_the_page_of_the_season(heron: Browser) -> None:
    assert "Withdraw heron/dice" in heron.get("/seasons/spring").text
    assert "It has no open matches" in heron.get("/seasons/spring/withdraw?bot=dice").text
    assert heron.get("/seasons/spring/withdraw?bot=stumble").status_code == 409
    heron.submit("/seasons/spring/withdraw", {"bot": "dice"})
    page = heron.get("/seasons/spring").text
    assert "dice is withdrawn." in page
    assert "its author took it out" in page


def test_the_calibration_chart_marks_what_does_not_hold() -> None:
    bins = [
        CalibrationBin(
            low=0.5, high=0.55, predicted=0.52, observed=observed, half_width=0.05, games=80,
            holds=abs(observed - 0.52) < 0.05,
        )
        for observed in (0.5, 0.9)
    ]  # fmt: skip
    drawn = calibration(bins, "shown")
    assert (drawn.count("c-dot"), drawn.count("c-off")) == (2, 1)


def test_a_second_line_shares_the_axes_of_the_first() -> None:
    first = [Point(x=0, y=1500), Point(x=1, y=1600)]
    alone = line_with_band(first, "rating")
    both = line_with_band(first, "rating", beside=[Point(x=0, y=1300), Point(x=1, y=1500)])
    # Every chart is drawn twice, for a desk and for a phone.
    assert (alone.count("<polyline"), both.count("<polyline")) == (2, 4)
    assert "1\N{NO-BREAK SPACE}300" not in alone
    assert "1\N{NO-BREAK SPACE}300" in both, "the axis reaches the second line too"
