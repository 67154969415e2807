"""The table in a real Chromium, with a desk in memory behind it: every game, every way to play."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from dashboard.settings import Settings
from store import Store
from tests.dashboard.play.desk import PERSON, DeskTable
from tests.dashboard.play.desk_site import Desk, served_desk
from tests.dashboard.play.player import ASKED, Player

pytestmark = [
    pytest.mark.browser,
    pytest.mark.heavy(but="test_a_whole_game_by_mouse[six]"),
    pytest.mark.timeout(300),
]
LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}
GAMES: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "six": ("six-nimmt", {"rounds": 1}, (PERSON, "random", "house", "highest")),
    "draft": ("six-nimmt", {"rounds": 1, "advanced": True}, (PERSON, "random", "highest")),
    "x": ("x-nimmt", {}, (PERSON, "random", "house", "highest")),
    "eleven": ("eleven-nimmt", {}, ("greedy", PERSON, "hoarder", "taker")),
}
TEN = ("six-nimmt", {"rounds": 1}, (*("random",) * 9, PERSON))
ASKS = {
    "six": {"Choose a card", "Choose a row to take"},
    "draft": {"Pick card 2 of your hand", "Choose a card"},
    "x": {"Choose a card", "Choose one card for your X row"},
    "eleven": {"Play a card, or take a pile", "No card fits: take a pile"},
}
"""What must be asked in each game, so that a test of it is one."""


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def desk() -> Desk:
    return Desk()


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, Store]]:
    folder: Path = tmp_path_factory.mktemp("tables")
    wide = "100000/minute"
    settings = Settings(data_dir=folder, page_limit=wide, write_limit=wide, read_limit=wide)
    store = Store(settings.database, settings.blobs)
    store.migrate()
    yield settings, store
    store.close()


@pytest.fixture(scope="module")
def site(league: tuple[Settings, Store], desk: Desk) -> Iterator[str]:
    with served_desk(*league, desk) as url:
        yield url


Seat = Callable[..., Player]


@pytest.fixture
def sit(chromium: Browser, desk: Desk, site: str) -> Iterator[Seat]:
    """Opens a table and sits down; afterwards no page may have complained."""
    players: list[Player] = []

    def sat(name: str, game: Any = None, *, window: Any = LAPTOP, **options: Any) -> Player:
        more = {key: options.pop(key) for key in ("seed", "move_ms") if key in options}
        code = f"{name}-{len(desk.tables)}"
        table = desk.put(DeskTable(code, *(game or GAMES[name]), **more))
        table.begin()
        context = chromium.new_context(viewport=window, reduced_motion="reduce", **options)
        player = Player(context.new_page())
        players.append(player)
        player.sit(f"{site}/play/{code}")
        return player

    yield sat
    for player in players:
        player.page.context.close()
        assert player.complaints == []


def table_of(desk: Desk) -> DeskTable:
    return list(desk.tables.values())[-1]


@pytest.mark.parametrize("name", [*GAMES][:2])
def test_a_whole_game_by_mouse(sit: Seat, desk: Desk, name: str) -> None:
    play_to_the_end(sit(name), desk, name, lambda player, at: player.by_mouse(at))


@pytest.mark.heavy
@pytest.mark.parametrize("name", [*GAMES][2:])
def test_a_whole_long_game_by_mouse(sit: Seat, desk: Desk, name: str) -> None:
    # Whether ever no card fits depends on what is played; by keyboard it comes to that.
    met = ASKS[name] - {"No card fits: take a pile"}
    play_to_the_end(sit(name), desk, name, lambda player, at: player.by_mouse(at), met)


@pytest.mark.heavy
@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_keyboard_alone(sit: Seat, desk: Desk, name: str) -> None:
    play_to_the_end(sit(name), desk, name, lambda player, _: player.by_keys())


def play_to_the_end(
    player: Player,
    desk: Desk,
    name: str,
    choose: Callable[[Player, int], None],
    met: set[str] | None = None,
) -> None:
    at = 0
    while player.wait():
        choose(player, at)
        at += 1
    table = table_of(desk)
    assert (ASKS[name] if met is None else met) <= set(player.asks)
    [seat] = table.persons
    over = table.frames[seat][-1]
    points = over["points"][seat]
    assert f"with {points} point" in player.verdict()
    places = player.page.locator(".outcome-places b").all_inner_texts()
    assert sorted(map(int, places)) == sorted(over["points"])
    expect(player.page.get_by_role("button", name="Play again")).to_be_visible()


FITS = """() => {
    const wrong = [];
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth) wrong.push(["wide", root.scrollWidth]);
    if (root.scrollHeight > innerHeight) wrong.push(["high", root.scrollHeight]);
    const parts = ".alive, .own-buttons button:not([hidden]), .ask-text";
    for (const one of document.querySelectorAll(parts)) {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight) {
            wrong.push([one.className, left, right, top, bottom]);
        }
    }
    const own = document.querySelector(".mine .score").getBoundingClientRect();
    for (const one of document.querySelectorAll(".mine .hand, .mine .ask-bar")) {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const across = Math.min(own.right, right) - Math.max(own.left, left);
        const down = Math.min(own.bottom, bottom) - Math.max(own.top, top);
        if (across > 0.5 && down > 0.5) {
            wrong.push(["over the own points", one.className, across, down]);
        }
    }
    return wrong;
}"""


TOOLS = """() => {
    const [tools, caption] = [".table-menu", ".caption"].map((part) =>
        document.querySelector(`.felt-head ${part}`).getBoundingClientRect());
    return [caption.right - tools.right, caption.top - tools.bottom];
}"""
ENDING = """async ([places, points]) => {
    const { src } = document.querySelector('script[src*="js/play/view.js"]');
    const { endingPanel } = await import(src.replace("view.js", "ending.js"));
    const players = points.map((_, seat) => ({ name: `P${seat + 1}` }));
    const result = { places, points, replay: "" };
    const panel = endingPanel(result, { seat: 0, players }, false, () => null, null);
    return ["h2", "h2 + p"].map((part) => panel.querySelector(part).textContent);
}"""


@pytest.mark.heavy
@pytest.mark.parametrize("window", ["laptop", "phone"])
@pytest.mark.parametrize("name", [*GAMES, "ten"])
def test_everything_fits_the_window_at_every_ask(sit: Seat, name: str, window: str) -> None:
    size = LAPTOP if window == "laptop" else PHONE
    game = TEN if name == "ten" else None
    player = sit(name, game, window=size, has_touch=window == "phone")
    wrong = []
    while player.wait():
        player.touch(len(player.asks))
        wrong += [
            (player.asks[-1], len(player.asks), found) for found in player.page.evaluate(FITS)
        ]
        player.confirm()
    assert wrong[:4] == []


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_ask_is_accessible(sit: Seat, name: str, scheme: str) -> None:
    player = sit(name, color_scheme=scheme)
    seen: set[str] = set()
    found = []
    for _ in range(14):
        if not player.wait():
            break
        if player.asks[-1] not in seen:
            seen.add(player.asks[-1])
            found += violations(player.page)
        player.by_mouse(1)
    assert found == []


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


def test_a_choice_can_be_put_back_until_it_is_confirmed(sit: Seat, desk: Desk) -> None:
    player = sit("six")
    player.wait()
    page = player.page
    cards = page.locator(".mine .hand .card")
    confirm = page.locator(".own-buttons .confirm")
    expect(confirm).to_be_disabled()
    cards.nth(3).click()
    expect(confirm).to_have_text(f"Play {player.hand()[3]}")
    cards.nth(5).click()
    expect(confirm).to_have_text(f"Play {player.hand()[5]}")
    page.keyboard.press("Escape")
    expect(confirm).to_be_disabled()
    cards.nth(2).click()
    page.get_by_role("button", name="Put back").click()
    assert page.locator(".picked").count() == 0
    assert table_of(desk).answers == {}


def test_who_plays_at_once_confirms_nothing(sit: Seat, desk: Desk) -> None:
    player = sit("six")
    player.wait()
    player.page.get_by_text("Options").click()
    player.page.get_by_label("Play at once").check()
    player.page.get_by_text("Options").click()
    before = player.answered()
    player.page.locator(".mine .hand .card").nth(4).click()
    player.sent(before)
    assert len(table_of(desk).answers) == 1
    player.page.reload()
    player.ready()
    player.page.get_by_text("Options").click()
    assert player.page.get_by_label("Play at once").is_checked()


def test_a_card_says_where_it_would_go_before_it_is_chosen(sit: Seat) -> None:
    player = sit("six")
    player.wait()
    player.page.locator(".mine .hand .card").nth(6).hover()
    expect(player.page.locator(".ask-text")).to_contain_text("As the rows lie,")
    assert player.page.locator(".row.aim").count() == 1


def test_what_cannot_be_played_is_explained_on_touch(sit: Seat, desk: Desk) -> None:
    player = sit("eleven")
    page = player.page
    while player.wait() and not page.locator(".mine .hand .blocked").count():
        player.by_mouse()
    before = len(table_of(desk).answers)
    page.locator(".mine .hand .blocked").first.click(force=True)
    words = page.locator(".ask-bar.why-not .ask-text")
    expect(words).to_contain_text("fits nowhere now")
    expect(words).to_contain_text("Up to 10 is allowed")
    assert len(table_of(desk).answers) == before


def test_several_cards_go_on_several_piles_with_bull_cards(sit: Seat, desk: Desk) -> None:
    """Take piles of three until there is a bull card, then lay more than one card."""
    player = sit("eleven", ("eleven-nimmt", {}, ("greedy", PERSON, "greedy")), seed=5)
    page = player.page
    laid = 0
    while not laid and player.wait():
        if "Play cards on" in player.asks[-1] and page.locator(".hand .alive").count() > 1:
            for at in range(page.locator(".hand .alive").count()):
                page.locator(".hand .alive").nth(at).click()
            laid = page.locator(".hand .picked").count()
            if laid > 1:
                player.confirm()
                break
            laid = 0
        large = page.locator(".pile:has(.count:not(:empty)).alive")
        (large if large.count() else page.locator(".pile.alive")).last.click()
        player.confirm()
    assert laid > 1
    plays = [one["play"] for one in table_of(desk).answers.values() if "play" in one]
    assert sum(len(cards) for cards in plays[-1].values()) == laid


def test_a_reload_in_mid_game_shows_the_same_ask(sit: Seat, desk: Desk) -> None:
    player = sit("six")
    for _ in range(3):
        player.wait()
        player.by_mouse(1)
    player.wait()
    before = player.hand(), player.asks[-1], player.page.locator(".mine .total").inner_text()
    player.page.reload()
    player.ready()
    player.wait()
    assert before == (
        player.hand(),
        player.asks[-1],
        player.page.locator(".mine .total").inner_text(),
    )
    asked = table_of(desk).asked[0]
    player.by_mouse()
    player.wait()
    assert table_of(desk).asked[0] == asked + 1


def test_a_server_that_was_restarted_costs_nothing(
    chromium: Browser, league: tuple[Settings, Store]
) -> None:
    desk = Desk()
    desk.put(DeskTable("again", *GAMES["six"])).begin()
    context = chromium.new_context(viewport=LAPTOP, reduced_motion="reduce")
    player = Player(context.new_page())
    with served_desk(*league, desk) as url:
        player.sit(f"{url}/play/again")
        player.wait()
        player.by_mouse(5)
        player.wait()
        assert player.asks[-1] == "Choose a card"
        hand = player.hand()
    expect(player.page.locator(".notice")).to_contain_text("The connection is lost")
    # What is chosen meanwhile is sent when the server is back.
    player.page.locator(".mine .hand .card").nth(2).click()
    player.page.locator(".own-buttons .confirm").click()
    expect(player.page.locator(".notice")).to_contain_text("could not be sent")
    with served_desk(*league, desk, int(url.rpartition(":")[2])):
        player.page.wait_for_selector(ASKED, timeout=30_000)
        assert len(player.hand()) == len(hand) - 1
        assert hand[2] not in player.hand()
        while player.wait():
            player.by_mouse()
        assert "point" in player.verdict()
    context.close()
    assert player.complaints == []


def test_who_thinks_too_long_is_told_that_the_platform_chose(sit: Seat) -> None:
    player = sit("six", move_ms=1500)
    player.wait()
    expect(player.page.locator(".notice")).to_contain_text("the platform chose for you")
    player.wait()


def test_a_clock_that_does_not_matter_is_not_shown(sit: Seat) -> None:
    player = sit("six")
    player.wait()
    expect(player.page.locator(".clock")).to_be_hidden()


def test_the_rules_are_one_click_from_the_table(sit: Seat) -> None:
    player = sit("x")
    player.wait()
    expect(player.page.locator(".when")).to_contain_text("Round 1 of 2 · ")
    player.page.get_by_role("button", name="How to play").click()
    assert player.page.locator("dialog[open]").get_by_role("img").count() == 5
    player.page.get_by_role("button", name="Back to the game").click()
    player.page.keyboard.press("?")
    assert player.page.locator("dialog[open] kbd").count() > 5


def test_on_a_phone_the_tools_stand_at_the_edge_and_tell_of_no_keys(sit: Seat) -> None:
    player = sit("six", window=PHONE, has_touch=True, is_mobile=True)
    player.wait()
    page = player.page
    short, apart = page.evaluate(TOOLS)
    assert abs(short) < 1
    assert apart >= 3
    page.get_by_text("Options").click()
    expect(page.get_by_text("Quick pace")).to_be_visible()
    expect(page.get_by_role("button", name="Keys")).to_be_hidden()


ENDINGS = [
    ([1, 2, 3], [3, 5, 9], "You win with 3 points", "2 fewer than the next."),
    ([1, 1, 3], [1, 1, 9], "You share the win with 1 point", "8 fewer than the next."),
    ([2, 1, 3], [5, 3, 9], "You finished 2nd with 5 points", "P2 wins with 3, 2 fewer"),
    ([3, 1, 1], [9, 3, 3], "You finished 3rd with 9 points", "P2 and P3 share the win with 3, 6"),
    ([2, 1, 2], [5, 3, 5], "You tied for 2nd with 5 points", "P2 wins with 3, 2 fewer"),
    ([4, 1, 2, 3], [9, 1, 2, 3], "You finished 4th with 9 points", "P2 wins with 1, 8 fewer"),
]


def test_each_ending_is_told_in_words(sit: Seat) -> None:
    page = sit("six").page
    told = [page.evaluate(ENDING, [places, points]) for places, points, _, _ in ENDINGS]
    assert [title for title, _ in told] == [title for _, _, title, _ in ENDINGS]
    for (_, about), (_, _, _, begins) in zip(told, ENDINGS, strict=True):
        assert about.startswith(begins)


def test_two_browsers_at_one_table(chromium: Browser, desk: Desk, site: str) -> None:
    table = desk.put(DeskTable("pair", "six-nimmt", {"rounds": 1}, (PERSON, PERSON, "random")))
    table.begin()
    players = []
    for seat in (0, 1):
        context = chromium.new_context(viewport=LAPTOP, reduced_motion="reduce")
        context.add_cookies([{"name": "seat-pair", "value": str(seat), "url": site}])
        players.append(Player(context.new_page()))
        players[-1].sit(f"{site}/play/pair")
    turns = 0
    while not all(player.over for player in players):
        asked = [player for player in players if player.page.locator(ASKED).count()]
        if len(asked) == len(players):
            one, other = [set(player.hand()) for player in players]
            assert not one & other
            turns += 1
        for player in asked:
            player.by_mouse()
        players[0].page.wait_for_timeout(50)
    assert turns
    for player in players:
        assert "point" in player.verdict()
        player.page.context.close()
        assert player.complaints == []


def test_a_screen_reader_is_told_what_happens_and_what_is_asked(sit: Seat) -> None:
    player = sit("six")
    player.wait()
    log = player.page.get_by_role("log")
    expect(log).to_contain_text("ten cards each are dealt")
    expect(log).to_contain_text("Choose a card.")
    card = player.page.locator(".mine .hand .card").first
    assert card.get_attribute("role") == "button"
    assert card.get_attribute("aria-pressed") == "false"
    assert "bullhead" in str(card.get_attribute("aria-label"))
    player.by_mouse()
    player.wait()
    expect(log).to_contain_text("All turn up a card.")


def test_an_old_table_says_that_its_moves_are_gone(sit: Seat, desk: Desk) -> None:
    player = sit("six")
    while player.wait():
        player.by_mouse()
    table_of(desk).forget()
    page = player.page
    page.reload()
    player.ready()
    after = page.locator(".after")
    expect(after).to_contain_text("The moves are no longer kept here")
    expect(after).not_to_contain_text("cost you")
    gone = after.get_by_role("link", name="The replay")
    expect(gone).to_have_attribute("href", f"/play/{table_of(desk).code}/replay")
    assert "point" in player.verdict()
    expect(page.locator(".middle")).to_be_hidden()


def test_one_slip_asks_for_no_hint(sit: Seat, desk: Desk) -> None:
    player = sit("six")
    player.wait()
    page = player.page
    button = page.locator(".own-buttons .hint")
    before = len(desk.hints)
    button.dblclick()
    expect(button).to_have_text("Show it")
    expect(page.locator(".ask-text")).to_contain_text("does not count for your rating")
    assert desk.hints[before:] == []
    expect(page.locator(".own-buttons .hint:not([aria-disabled])")).to_be_visible()
    page.keyboard.down("t")
    page.keyboard.down("t")
    page.keyboard.up("t")
    expect(page.locator(".ask-text")).to_contain_text("Estimate: about 5.0")
    # It is on the table already, so it is not asked for again.
    page.keyboard.press("t")
    page.keyboard.press("t")
    page.locator(".mine .hand .card").first.hover()
    assert len(desk.hints) == before + 1


def test_a_key_that_is_held_confirms_nothing(sit: Seat, desk: Desk) -> None:
    player = sit("six")
    player.wait()
    keyboard = player.page.keyboard
    keyboard.press("ArrowRight")
    for key in ("Enter", "t"):
        for _ in range(3):
            keyboard.down(key)
        keyboard.up(key)
    expect(player.page.locator(".own-buttons .confirm")).to_be_enabled()
    expect(player.page.locator(".own-buttons .hint")).to_have_text("Show it")
    assert table_of(desk).answers == {}


def test_a_hint_that_does_not_come_says_why_and_can_be_asked_for_again(
    sit: Seat, desk: Desk
) -> None:
    player = sit("six")
    player.wait()
    page = player.page
    button = page.locator(".own-buttons .hint")
    words = page.locator(".ask-bar.why-not .ask-text")
    listens = page.locator(".own-buttons .hint:not([aria-disabled])")

    def ask() -> None:
        button.click()
        expect(button).to_have_text("Show it")
        expect(listens).to_be_visible()
        button.click()

    table_of(desk).refusal = "two others wait for a hint"
    ask()
    expect(words).to_have_text("No hint now: two others wait for a hint.")
    expect(button).to_be_visible()
    table_of(desk).refusal = ""
    page.route("**/hint", lambda route: route.fulfill(status=200, body='{"ask": 1, "cho'))
    ask()
    expect(words).to_contain_text("No hint now: the server answered 200, and no more of it arrived")
    page.unroute("**/hint")
    ask()
    expect(page.locator(".ask-text")).to_contain_text("Estimate: about 5.0")


def test_a_hint_that_would_come_too_late_is_not_offered(sit: Seat, desk: Desk) -> None:
    player = sit("six")
    page = player.page
    page.on("request", lambda request: sent.append(request.url))
    sent: list[str] = []
    button = page.locator(".own-buttons .hint")
    words = page.locator(".ask-bar.why-not .ask-text")
    player.wait()
    expect(button).to_have_attribute("title", re.compile("the game then does not count"))
    player.by_mouse()
    player.wait()
    for reload in (False, True):
        if reload:
            page.reload()
            player.ready()
            player.wait()
        expect(button).to_have_attribute("title", re.compile("This game counts: hints can be"))
        for _ in range(2):
            button.click()
            expect(words).to_contain_text("only at its first decision, or at a table that does not")
            expect(button).to_have_text("Hint")
        page.keyboard.press("t")
        page.keyboard.press("t")
    assert not [url for url in sent if url.endswith("/hint")]
    page.get_by_text("Options").click()
    page.get_by_text("Leave the table…").click()
    expect(page.locator(".leave")).to_contain_text("to the end, and the game counts.")


def test_a_game_with_a_hint_gives_more_and_does_not_count_for_who_leaves(
    sit: Seat, desk: Desk
) -> None:
    player = sit("six")
    page = player.page
    button = page.locator(".own-buttons .hint:not([aria-disabled])")
    player.wait()
    button.click()
    button.click()
    expect(page.locator(".ask-text")).to_contain_text("Estimate: about 5.0")
    player.by_mouse()
    player.wait()
    before = len(desk.hints)
    expect(button).to_have_attribute("title", "What each choice would cost (T)")
    button.click()
    expect(page.locator(".ask-text")).to_contain_text("Estimate: about 5.0")
    assert len(desk.hints) == before + 1
    page.get_by_text("Options").click()
    page.get_by_text("Leave the table…").click()
    expect(page.locator(".leave")).to_contain_text("to the end. This game does not count.")


def test_the_bar_names_who_is_awaited(chromium: Browser, desk: Desk, site: str) -> None:
    desk.put(DeskTable("await", "six-nimmt", {"rounds": 1}, (PERSON, PERSON, "random"))).begin()
    context = chromium.new_context(viewport=LAPTOP, reduced_motion="reduce")
    player = Player(context.new_page())
    player.sit(f"{site}/play/await")
    player.wait()
    player.by_mouse()
    expect(player.page.locator(".ask-title")).to_have_text("Waiting for Guest 2")
    context.close()
    assert player.complaints == []
