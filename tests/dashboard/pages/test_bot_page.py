"""A bot has a face: picture, rivals, best and worst games, results by version, a feed."""

import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from dashboard.reads import Opponent, best_and_worst, opponents_of, rivalry, sums_by_version
from dashboard.render.faces import face
from league.ratings import Crosstable
from store import Store, bots, match_lists, results
from tests.dashboard.conftest import ORIGIN, Browser
from tests.dashboard.seed import Seeded

ATOM = "{http://www.w3.org/2005/Atom}"


@given(name=st.text(max_size=60))
def test_a_face_is_well_formed_and_always_the_same(name: str) -> None:
    drawn = face(name, 40)
    assert drawn == face(name, 40)
    root = ET.fromstring(drawn)
    assert root.attrib["aria-hidden"] == "true"
    assert root.attrib["width"] == "40"


def test_faces_tell_bots_apart() -> None:
    assert len({face(f"owner/bot{number}") for number in range(200)}) > 150


def test_victims_and_nemeses_are_beyond_chance_and_rivals_are_not() -> None:
    def met(bot: str, score: float, z: float | None) -> Opponent:
        return Opponent(bot=bot, score=score, games=50, z=z)

    easy, even, hard, few = (
        met("a/easy", 0.8, 4.0),
        met("a/even", 0.52, 0.3),
        met("a/hard", 0.3, -3.0),
        met("a/few", 0.9, None),
    )
    found = rivalry([few, easy, even, hard])
    assert (found.victims, found.rivals, found.nemeses) == ([easy], [even], [hard])


def test_opponents_come_from_the_row_of_the_bot() -> None:
    cross = Crosstable(
        bots=["a/x", "b/y", "c/z"],
        score=[[None, 0.4, None], [0.6, None, 0.9], [None, 0.1, None]],
        games=[[0, 8, 0], [8, 0, 8], [0, 8, 0]],
        z=[[None, -1.0, None], [1.0, None, 3.0], [None, -3.0, None]],
    )
    assert [(one.bot, one.score) for one in opponents_of(cross, "b/y")] == [
        ("c/z", 0.9),
        ("a/x", 0.6),
    ]
    assert [one.bot for one in opponents_of(cross, "a/x")] == ["b/y"]
    assert opponents_of(cross, "d/none") == []


def test_the_best_game_has_the_greatest_lead_and_the_worst_the_smallest(
    store: Store, seeded: Seeded
) -> None:
    with store.read() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        played = [
            match.id
            for match in match_lists.matches(session, bot_id=bot.id, limit=100)
            if match.finished_at
        ]
        seats = match_lists.seated(session, played)
        found = best_and_worst(session, bot.id, seats)
        leads = []
        for match_id in played:
            number = next(one.number for one in seats[match_id] if one.bot_id == bot.id)
            for game in results.games(session, match_id):
                at = game.seats.index(number)
                others = [points for seat, points in enumerate(game.points) if seat != at]
                leads.append(min(others) - game.points[at])
    assert found is not None
    assert (found[0].lead, found[1].lead) == (max(leads), min(leads))


def test_results_by_version_add_up_to_those_of_the_bot(store: Store, spectator: Browser) -> None:
    with store.read() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        sums = sums_by_version(session, bot.id)
    whole = spectator.get("/bots/heron/close").text
    games = re.search(r"<dt>Games</dt><dd class=\"num\">([\d\s]+)<", whole)
    assert games
    assert sum(one.games for one in sums.values()) == int("".join(games[1].split()))


def test_a_bot_is_followed_by_its_own_feed(spectator: Browser) -> None:
    page = spectator.get("/bots/heron/close").text
    assert 'href="/bots/heron/close/feed.atom"' in page
    answer = spectator.get("/bots/heron/close/feed.atom")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    root = ET.fromstring(answer.content)
    entries = root.findall(f"{ATOM}entry")
    assert len(entries) > 2
    assert root.findtext(f"{ATOM}id") == f"{ORIGIN}/bots/heron/close/feed.atom"
    for one in entries:
        assert "heron/close" in (one.findtext(f"{ATOM}title") or "")
        assert (one.findtext(f"{ATOM}title") or "").startswith("Mean place ")
    assert spectator.get("/bots/heron/nobody/feed.atom").status_code == 404


def test_a_bots_page_can_be_read_by_version(spectator: Browser, store: Store) -> None:
    with store.write() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        bots.add_version(session, bot.id, program=["true"])
    path = "/bots/heron/close"
    page = spectator.get(path).text
    assert f'href="{path}?version=1"' in page
    assert f'href="{path}?version=2"' in page
    assert "alone" not in page
    first = spectator.get(f"{path}?version=1").text
    assert "This is version 1 alone" in first
    assert 'href="/matches/1"' in first
    assert games_on(first) == games_on(page) > 0
    second = spectator.get(f"{path}?version=2").text
    assert "This is version 2 alone" in second
    assert "It has not played yet." in second
    assert "The history begins with the second rated match." in second
    assert games_on(second) == 0


def games_on(page: str) -> int:
    """How many games the facts at the top name."""
    found = re.search(r'<dt>Games</dt><dd class="num">([\d,\u202f]+)</dd>', page)
    assert found
    return int(re.sub(r"\D", "", found[1]))


def test_a_version_that_a_bot_never_had_is_named(spectator: Browser) -> None:
    for wrong in ("99", "x", "-1"):
        answer = spectator.get(f"/bots/heron/close?version={wrong}")
        assert answer.status_code == 404
        assert "expected one of: 1" in answer.text
