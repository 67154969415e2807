"""What captions claim, checked against the table in games of all kinds, by chance."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import nimmt
from dashboard.viewer import build_payload
from nimmt.cards import HEADS
from nimmt.events import from_json
from nimmt.simulate import play_game
from nimmt.table import Table, fold
from tests.dashboard.viewer.samples import KEY

Game = tuple[str, dict[str, Any], int]
ROWS_GAMES: st.SearchStrategy[Game] = st.one_of(
    st.tuples(
        st.just("six-nimmt"), st.sampled_from([{"limit": 20}, {"rounds": 1}]), st.integers(2, 10)
    ),
    st.tuples(
        st.just("six-nimmt"),
        st.integers(0, 10).map(lambda n: {"rounds": 1, "advanced": True, "opening_picks": n}),
        st.integers(2, 6),
    ),
    st.tuples(st.just("x-nimmt"), st.just({}), st.integers(2, 4)),
)
PILE_GAMES: st.SearchStrategy[Game] = st.tuples(
    st.just("eleven-nimmt"),
    st.sampled_from([{"next_start": "fewest"}, {"next_start": "most"}]),
    st.integers(2, 7),
)
ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth")


def played(game: Game, kinds: list[str], board: int) -> Any:
    """The viewer's data of a game between players of these kinds."""
    rules, options, players = game
    bots = tuple(kinds[seat % len(kinds)] for seat in range(players))
    document = play_game(nimmt.get(rules, options), bots, KEY, board).document(bots, KEY, board)
    return build_payload(document)


def moments(payload: Any) -> Any:
    """Each moment with the table before it."""
    table = Table(len(payload["meta"]["players"]))
    for step in payload["steps"]:
        at = 0
        for moment in step["moments"]:
            yield moment["text"], table
            events = step["events"][at : at + moment["events"]]
            fold(table, [from_json(event) for event in events])
            at += moment["events"]


@given(
    ROWS_GAMES,
    st.lists(st.sampled_from(["random", "house", "highest"]), min_size=1),
    st.integers(0, 999),
)
def test_rows_are_as_the_captions_say(game: Game, kinds: list[str], board: int) -> None:
    for text, table in moments(played(game, kinds, board)):
        assert re.search(r"\S\.$", text), text
        rows = {int(zone[4:]): cards for zone, cards in table.zones.items() if zone[:4] == "row:"}
        ends = [cards[-1] for cards in rows.values()]
        if found := re.search(r"(\d+) goes to row (\d+), behind (\d+), the (closest|only)", text):
            card, row, end = (int(found[n]) for n in (1, 2, 3))
            below = [other for other in ends if other < card]
            assert rows[row - 1][-1] == end == max(below)
            assert (found[4] == "only") == (len(below) == 1)
        if found := re.match(r"(\d+) is the (\w+) card of row (\d+)", text):
            card, row = int(found[1]), int(found[3])
            assert found[2] == ORDINALS[len(rows[row - 1]) + 1]
            assert rows[row - 1][-1] == max(end for end in ends if end < card)
        if found := re.match(r"(\d+) is below every row, .*: row (\d+)(.*)", text):
            costs = {row: sum(HEADS[card] for card in cards) for row, cards in rows.items()}
            assert int(found[1]) < min(ends)
            cheapest = costs[int(found[2]) - 1] == min(costs.values())
            assert cheapest == ("cheapest" in found[3])


@given(
    PILE_GAMES,
    st.lists(st.sampled_from(["random", "hoarder", "greedy", "taker"]), min_size=1),
    st.integers(0, 999),
)
def test_piles_are_as_the_captions_say(game: Game, kinds: list[str], board: int) -> None:
    payload = played(game, kinds, board)
    seats = {player["name"]: player["seat"] for player in payload["meta"]["players"]}
    for text, table in moments(payload):
        assert re.search(r"\S\.$", text), text
        tops = [cards[-1] for zone, cards in table.zones.items() if zone.startswith("pile:")]
        if found := re.match(r"No card of (.+) is within 10", text):
            hand = table.zones[f"hand:{seats[found[1]]}"]
            assert all((card - top) % 100 not in range(1, 11) for card in hand for top in tops)
        if found := re.search(r"plays (\d+) on pile (\d+): (\d+) above (\d+)", text):
            card, pile, gap, top = (int(found[n]) for n in (1, 2, 3, 4))
            assert table.zones[f"pile:{pile - 1}"][-1] == top
            assert (card - top) % 100 == gap
            assert 1 <= gap <= 10
