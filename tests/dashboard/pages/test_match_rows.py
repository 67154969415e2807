"""The table of results on the page of a match, row by row, beside what is stored of it."""

import html
import math
import re
import statistics
from dataclasses import replace

import pytest
from sqlmodel import Session

import nimmt
from dashboard.render import text
from league.matches.summary import t_quantile
from store import Match, MatchKind, NewMatch, Store, attempts, bots, match_lists, matches, results
from store.match_lists import Seated
from tests.dashboard.conftest import Browser
from tests.dashboard.seed import play_match
from tests.store.support import outcome

NAMES = ("heron/close", "otter/closer", "heron/dice", "house/lowest")
SEASON_MATCH = 1
ALIKE = "no spread to measure"


def queued(store: Store, boards: int) -> int:
    """A match that anyone may see, not played yet."""
    with store.write() as session:
        found = [bots.find_bot(session, name) for name in NAMES]
        versions = [bots.version_of(session, bot.id, 1) for bot in found if bot is not None]
        new = NewMatch(
            kind=MatchKind.SHOWCASE,
            rules="six-nimmt",
            options=dict(nimmt.get("six-nimmt", {"rounds": 1}).options),
            versions=tuple(one.id for one in versions if one is not None),
            boards=boards,
            key=bytes(range(32)),
            rated=False,
        )
        [bell] = matches.queue(session, [new])
    return bell.match_id


def played(store: Store, boards: int) -> int:
    """A match of the simple players."""
    match_id = queued(store, boards)
    play_match(store, match_id)
    return match_id


def ended_alike(store: Store, blocks: int) -> int:
    """A match in which the bot in seat 0 of the match wins every game, and the one in seat 3 is
    last; the other two change places in every second block."""
    match_id, size = queued(store, len(NAMES) * blocks), len(NAMES)
    made = outcome(games=size * blocks)
    games = []
    for one in made.games:
        swaps = one.game_no // size % 2 == 1
        place = {0: 1, 1: 3 if swaps else 2, 2: 2 if swaps else 3, 3: 4}
        places = tuple(place[bot] for bot in one.seats)
        games.append(replace(one, places=places, points=tuple(10 * at for at in places)))
    seats = [
        replace(
            stats,
            places=sum(one.places[one.seats.index(stats.seat)] for one in games),
            points=sum(one.points[one.seats.index(stats.seat)] for one in games),
        )
        for stats in made.seats
    ]
    with store.write() as session:
        attempt = attempts.claim(session, match_id, "w")
        assert attempt is not None
        outcome_ = replace(made, games=tuple(games), seats=tuple(seats), faults=(), blocks=())
        attempts.finish(session, attempt.token, outcome_)
    return match_id


def interval(session: Session, match: Match, bot: int) -> float | None:
    """Half the interval of a bot's mean place, from the stored games: blocks are equally long."""
    size = match.table_size
    places = [one.places[one.seats.index(bot)] for one in results.games(session, match.id)]
    blocks = [places[at : at + size] for at in range(0, len(places) - size + 1, size)]
    means = [statistics.fmean(block) for block in blocks]
    if len(means) < 5:
        return None
    error = statistics.stdev(means) / math.sqrt(len(means))
    return t_quantile(0.975, len(means) - 1) * error


def expected_row(session: Session, match: Match, one: Seated) -> list[str]:
    seat, half = one.seat, interval(session, match, one.number)
    shown = "" if half is None else f" ±{half:.2f}" if half else " ±–"
    return [
        f"{seat.places / seat.games:.2f}{shown}",
        text.percent(seat.wins / seat.games),
        f"{seat.points / seat.games:.1f}",
        text.milliseconds(seat.think_ms / seat.decisions),
        str(seat.faults),
    ]


def shown_rows(page: str) -> list[tuple[str, list[str]]]:
    """The bot of each row of the result, and the words of its cells."""
    table = page.partition('id="table"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = []
    for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL):
        bot = re.search(r'href="/bots/([^"]+)"', row)
        assert bot is not None, row
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)
        plain = [html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in cells]
        rows.append((bot[1], plain))
    return rows


def match_of(store: Store, which: str) -> int:
    made = {
        "season": lambda: SEASON_MATCH,
        "few": lambda: played(store, 8),
        "many": lambda: played(store, 24),
        "alike": lambda: ended_alike(store, 6),
    }
    return made[which]()


@pytest.mark.parametrize("which", ["season", "few", "many", "alike"])
def test_every_row_is_what_is_stored(spectator: Browser, store: Store, which: str) -> None:
    match_id = match_of(store, which)
    page = spectator.get(f"/matches/{match_id}").text
    with store.read() as session:
        match = session.get(Match, match_id)
        assert match is not None
        seats = match_lists.seated(session, [match_id])[match_id]
        best_first = sorted(seats, key=lambda one: (one.seat.places, one.seat.points))
        expected = [(one.bot, expected_row(session, match, one)) for one in best_first]
    rows = shown_rows(page)
    assert [(bot, cells) for bot, cells in rows] == expected
    assert len(rows) == match.table_size
    halves = [cells[0] for _, cells in rows]
    assert ("±" in "".join(halves)) == (which in ("many", "alike"))
    assert ("too few games for a ±" in page) == (which in ("season", "few"))
    assert "±0.00" not in page


def test_an_interval_of_no_width_is_a_dash_with_its_reason(
    spectator: Browser, store: Store
) -> None:
    page = spectator.get(f"/matches/{ended_alike(store, 6)}").text
    halves = [cells[0] for _, cells in shown_rows(page)]
    assert [halves[0], halves[3]] == ["1.00 ±–", "4.00 ±–"]
    assert all(re.fullmatch(r"2\.50 ±0\.\d\d", one) for one in halves[1:3])
    assert ALIKE in page
    assert ALIKE not in spectator.get(f"/matches/{played(store, 24)}").text


def test_a_match_of_one_game_speaks_of_one_game(spectator: Browser, store: Store) -> None:
    match_id = queued(store, 1)
    with store.write() as session:
        attempt = attempts.claim(session, match_id, "w")
        assert attempt is not None
        attempts.finish(session, attempt.token, replace(outcome(games=1), blocks=(), faults=()))
    page = spectator.get(f"/matches/{match_id}").text
    assert "Over 1 game:" in page
    assert "too few games for a ±" in page
    assert "±0.00" not in page
