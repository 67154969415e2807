"""Makes the pictures of docs/img and the card of links: `python docs/pictures.py`.

Needs the e2e extra and Chromium. The games of the viewer's pictures are the same each time; the
standings are those of a season that the sample bots really play for the picture.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
# A script finds the packages only when told where they are, so they are imported late.
sys.path.insert(0, str(ROOT))

import nimmt  # noqa: E402
from cli.operate import demo  # noqa: E402
from cli.operate.embedded import serving  # noqa: E402
from dashboard.pages.cards import Card  # noqa: E402
from dashboard.render import page_environment  # noqa: E402
from dashboard.viewer import build_payload, export_html  # noqa: E402
from league.settings import LeagueSettings  # noqa: E402
from nimmt.simulate import play_game  # noqa: E402

IMAGES = ROOT / "docs" / "img"
KEY = nimmt.key_from_seed(2026)
NAMES = ("ada/greedy-goat", "bo/slow-and-steady", "cy/matador", "dot/picador")
# File name: rules, options, players, the moment shown, colour scheme, width, height.
PICTURES: dict[str, tuple[str, dict[str, object], list[str], int, str, int, int]] = {
    "replay.png": (
        "six-nimmt",
        {},
        ["random", "house", "highest", "random"],
        74,
        "light",
        1280,
        800,
    ),
    "replay-dark.png": (
        "eleven-nimmt",
        {},
        ["random", "hoarder", "greedy", "taker"],
        108,
        "dark",
        1280,
        900,
    ),
    "replay-phone.png": (
        "six-nimmt",
        {},
        ["random", "house", "highest", "random"],
        74,
        "dark",
        390,
        844,
    ),
}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        take_card(browser)
        for name in PICTURES:
            take(browser, Path(folder), name)
        take_standings(browser, Path(folder))


@contextmanager
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("no chromium on the path: install it to make the pictures")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def take(browser: Browser, folder: Path, name: str) -> None:
    """Play the game, write it as one file, and photograph it."""
    rules, options, bots, moment, scheme, width, height = PICTURES[name]
    document = play_game(nimmt.get(rules, options), bots, KEY, 0).document(bots, KEY, 0)
    for player, bot in zip(document["players"], NAMES, strict=True):
        player["bot"], player["version"] = bot, 3
    document["started"] = "2026-01-31T19:30:00Z"
    for at, entry in enumerate(one for part in document["rounds"] for one in part["decisions"]):
        if entry["by"] == "bot":
            entry["ms"], entry["batch"] = 0.4 + at * 7 % 23, 1
    file = folder / "replay.html"
    title = f"{nimmt.get(rules, options).title} · final table · game 1"
    file.write_text(export_html(build_payload(document, title=title)))
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(f"{file.as_uri()}?t={moment}")
    page.wait_for_selector("bull-replay.ready")
    page.screenshot(path=IMAGES / name)
    context.close()


def take_card(browser: Browser) -> None:
    """The picture that a link to any page shows, where the page's own card is not understood."""
    card = Card(
        kicker="Submit a bot, watch it play, replay every card",
        title="Bots play nimmt!",
        words="6 nimmt!, 11 nimmt! and X nimmt!",
    )
    site = {"site_name": "Bullring"}
    drawn = page_environment().get_template("card.svg").render(card=card, site=site)
    page = browser.new_page(viewport={"width": 1200, "height": 630})
    page.set_content(f'<body style="margin: 0">{drawn}</body>')
    page.screenshot(path=ROOT / "dashboard" / "static" / "img" / "card.png")
    page.close()


def take_standings(browser: Browser, folder: Path) -> None:
    """Play the demo's seasons, and photograph the table of the first one."""
    settings = LeagueSettings(
        data_dir=folder / "league", database_url=None, redis_url=None, tick_seconds=0.5
    )
    with serving(settings, "127.0.0.1", 0) as running:
        demo.create(running.store, boards=100)
        demo.follow(running.store)
        demo.show(running.store)
        page = browser.new_page(viewport={"width": 1280, "height": 700}, color_scheme="light")
        page.goto(f"{running.url}/seasons/six")
        page.screenshot(path=IMAGES / "standings.png")


if __name__ == "__main__":
    main()
