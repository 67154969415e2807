"""Two browsers follow a match of the embedded league while real bots play it; one is cut off."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from cli.operate.embedded import Embedded, serving
from league import seasons
from league.matches import add_showcase, plan
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from store import Match, MatchState, locked, matches
from tests.dashboard.pages.test_browser import Tab, chromium, violations
from tests.league.world import wait_for

__all__ = ["chromium"]
pytestmark = [pytest.mark.browser, pytest.mark.heavy, pytest.mark.timeout(300)]
PATIENCE_MS = 90_000
"""Against hanging only: the machine may be busy."""


@pytest.fixture
def league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Embedded]:
    """A league that has nothing to play yet."""
    monkeypatch.setattr(plan, "SHOWCASE_PACE_MS", 500)
    monkeypatch.setenv("BULLRING_LIVE_SPEED", "2")
    settings = LeagueSettings(data_dir=tmp_path, tick_seconds=0.2, stale_seconds=1.5)
    with serving(settings, "127.0.0.1", 0) as running:
        yield running


def plan_showcase(league: Embedded) -> int:
    """The number of a match of one game that is not in the queue yet."""
    plan = SeasonPlan(
        name="cup",
        title="Cup",
        rules="six-nimmt",
        options={"rounds": 1},
        table=2,
        boards=2,
        move_ms=2000,
        bank_ms=60_000,
    )
    with league.store.write() as session:
        made = seasons.create(session, plan, "test")
        seasons.open_entries(session, made.id, "test")
        for bot in ("gap", "highest"):
            seasons.enter(session, made.id, f"house/{bot}", "test")
        seasons.freeze_season(session, made.id, "test")
        number = add_showcase(session, 1, "test")
        locked(session, Match, number).state = MatchState.PLANNED
        return number


def let_play(league: Embedded, number: int) -> None:
    """The worker finds it within two seconds."""
    with league.store.write() as session:
        matches.publish(session, [number])


def steps(page: Page) -> list[dict[str, Any]]:
    script = "() => document.querySelector('bull-replay').payload?.steps ?? []"
    found: list[dict[str, Any]] = page.evaluate(script)
    return found


def test_two_follow_a_match_and_the_one_who_was_cut_off_misses_nothing(
    chromium: Browser, league: Embedded
) -> None:
    number = plan_showcase(league)
    contexts = [chromium.new_context(color_scheme=scheme) for scheme in ("light", "dark")]
    tabs = [Tab(context) for context in contexts]
    for tab in tabs:
        page = tab.open(f"{league.url}/matches/{number}/live")
        expect(page.locator("[data-live-status]")).to_contain_text("It waits for its turn")
        assert violations(page) == []
    let_play(league, number)
    stays, leaves = tabs[0].page, tabs[1].page
    wait_for(lambda: len(steps(leaves)) >= 2)
    # Nobody sees a card of a hand: all of them lie face down.
    wait_for(lambda: stays.locator(".hand .back").count() > 0)
    assert stays.locator(".hand .card:not(.back)").count() == 0
    contexts[1].set_offline(True)
    missed = len(steps(leaves))
    wait_for(lambda: len(steps(stays)) > missed)
    contexts[1].set_offline(False)
    for tab in tabs:
        status = tab.page.locator("[data-live-status]")
        # With a full stop: before that the game on screen is still being shown to its end.
        expect(status).to_contain_text("The match is over.", timeout=PATIENCE_MS)
    wait_for(lambda: len(steps(stays)) == len(steps(leaves)))
    assert steps(stays)[-1]["events"][-1]["event"] == "game_end"
    assert steps(stays) == steps(leaves)
    assert len(steps(stays)) > 10
    assert tabs[0].complaints == []
    assert violations(stays) == []
    # The page leads on to the replays, which are open now.
    stays.get_by_role("link", name="Result and replays").click()
    stays.get_by_role("link", name="Watch the best game").click()
    expect(stays.locator(".felt")).to_be_visible()
    for context in contexts:
        context.close()


def test_what_is_on_is_told_without_javascript_and_when_nothing_is(
    chromium: Browser, league: Embedded
) -> None:
    plain = chromium.new_context(java_script_enabled=False).new_page()
    plain.goto(f"{league.url}/live")
    expect(plain.get_by_text("Nothing is being played now")).to_be_visible()
    number = plan_showcase(league)
    # The page loads itself again every few seconds.
    plain.goto(f"{league.url}/matches/{number}/live")
    expect(plain.get_by_role("link", name=f"match {number}", exact=True)).to_be_visible()
    expect(plain.locator(".live-plain")).to_contain_text("house/gap")
    assert 'http-equiv="refresh"' in plain.content()
    plain.context.close()
    tab = Tab(chromium.new_context())
    page = tab.open(f"{league.url}/live")
    assert violations(page) == []
    let_play(league, number)
    # It turns to the match by itself when it begins.
    expect(page.locator(".felt")).to_be_visible(timeout=PATIENCE_MS)
    assert tab.complaints == []
    page.context.close()
