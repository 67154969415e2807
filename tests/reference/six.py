"""Reference six-nimmt, basic and advanced: slow and plain, paragraph by paragraph.

Numbers such as 6-3 or A-1 name the settled readings of the rulebook."""

from dataclasses import dataclass, field

from .asking import Choose, RoundRecord, Scribe, Situation
from .cards import (
    Deal,
    Options,
    check_distinct,
    check_groups,
    check_keys,
    check_known,
    check_start_seat,
    closest_lower_row,
    heads_of,
    is_number,
)
from .cards import check_players as check_range

HAND = 10
ROWS = 4
ROW_HOLDS = 5
HIGHEST = 104


@dataclass(slots=True)
class Table:
    """Everything on and around the table in one round."""

    hands: list[list[int]]
    rows: list[list[int]] = field(default_factory=list)
    bull_piles: list[list[int]] = field(default_factory=list)
    open_cards: list[int] = field(default_factory=list)
    revealed: list[int] = field(default_factory=list)


def complete_options(options: Options) -> Options:
    """All options written out, exactly one of `limit` and `rounds` (6-1: the limit is 66)."""
    check_known(options, ["limit", "rounds", "advanced", "opening_picks"])
    if "limit" in options and "rounds" in options:
        raise ValueError("both limit and rounds are given; expected one of them")
    advanced = options.get("advanced", False)
    if not isinstance(advanced, bool):
        raise ValueError(f"advanced is {advanced!r}; expected true or false")
    picks = options.get("opening_picks", 0)
    if not is_number(picks) or not 0 <= picks <= HAND:
        raise ValueError(f"opening_picks is {picks!r}; expected 0 to {HAND}")
    if picks and not advanced:
        raise ValueError(f"opening_picks is {picks}; above 0 it needs advanced")
    end = "rounds" if "rounds" in options else "limit"
    length = options.get(end, 66)
    if not is_number(length) or length < 1:
        raise ValueError(f"{end} is {length!r}; expected a number from 1")
    return {end: length, "advanced": advanced, "opening_picks": picks}


def check_players(options: Options, players: int) -> None:
    """2 to 10; the advanced version only to 6 (A-5)."""
    check_range(players, 2, 6 if options["advanced"] else 10)


def highest_card(options: Options, players: int) -> int:
    """The advanced version removes every card above ten for each player plus four."""
    return 10 * players + 4 if options["advanced"] else HIGHEST


def is_over(options: Options, players: int, rounds_played: int, totals: list[int]) -> bool:
    """Asked only between rounds (6-2): some total above the limit (6-1), or all rounds played."""
    if "rounds" in options:
        return rounds_played == int(options["rounds"])
    return any(total > int(options["limit"]) for total in totals)


def start_seat(
    options: Options, players: int, number: int, totals: list[int], previous: int | None
) -> int:
    """Who drafts first: seat 0, then one seat on each round (A-1). Basic rounds do not use it."""
    return number % players


def check_deal(options: Options, players: int, deal: Deal, start: int) -> None:
    """Ten cards each and four rows; advanced: only the opening picks, the rest is drafted."""
    if options["advanced"]:
        check_keys(deal, ["start_seat", "opening"])
        check_start_seat(deal, start)
        check_groups("opening", deal["opening"], players, options["opening_picks"])
        dealt = [card for cards in deal["opening"] for card in cards]
    else:
        check_keys(deal, ["hands", "rows"])
        check_groups("hands", deal["hands"], players, HAND)
        check_groups("rows", deal["rows"], ROWS, 1)
        dealt = [card for cards in deal["hands"] + deal["rows"] for card in cards]
    check_distinct(dealt, highest_card(options, players))


def draft(scribe: Scribe, table: Table, start: int, highest: int) -> None:
    """Every card lies open; one card at a time around the table, never in snake order (A-2)."""
    given = [card for hand in table.hands for card in hand]
    table.open_cards = [card for card in range(1, highest + 1) if card not in given]
    players = len(table.hands)
    seat = start
    while any(len(hand) < HAND for hand in table.hands):
        card = scribe.ask(seat, "draft", list(table.open_cards))
        table.open_cards.remove(card)
        table.hands[seat].append(card)
        seat = (seat + 1) % players
    # The four cards nobody took start the rows, in ascending order.
    table.rows = [[card] for card in sorted(table.open_cards)]
    table.open_cards = []


def place_card(scribe: Scribe, table: Table, seat: int, card: int) -> None:
    """Put one revealed card where it belongs, and let its player take what he must."""
    row = closest_lower_row(table.rows, card)
    if row is not None and len(table.rows[row]) < ROW_HOLDS:
        table.rows[row].append(card)
        return
    if row is None:
        # The low card: any row may be chosen (6-4), after the reveal (6-3).
        row = scribe.ask(seat, "row", list(range(ROWS)))
    # The five cards of a full row, or all of the chosen one, but never the new card (6-5).
    table.bull_piles[seat].extend(table.rows[row])
    table.rows[row] = [card]


def play_turn(scribe: Scribe, table: Table) -> None:
    """All choose, all reveal, the cards are placed from the lowest to the highest."""
    table.revealed = scribe.ask_cards(table.hands)
    for seat, card in enumerate(table.revealed):
        table.hands[seat].remove(card)
    for card in sorted(table.revealed):
        place_card(scribe, table, table.revealed.index(card), card)
    table.revealed = []


def play_round(
    options: Options,
    players: int,
    number: int,
    totals: list[int],
    deal: Deal,
    start: int,
    choose: Choose,
) -> RoundRecord:
    """One deal and its ten turns."""
    check_deal(options, players, deal, start)
    advanced = bool(options["advanced"])
    table = Table([list(hand) for hand in deal["opening" if advanced else "hands"]])
    table.bull_piles = [[] for _ in range(players)]

    def situation() -> Situation:
        return {
            "round": number,
            "totals": totals,
            "points": [heads_of(pile) for pile in table.bull_piles],
            "hands": [sorted(hand) for hand in table.hands],
            "rows": table.rows,
            "bull_piles": table.bull_piles,
            "open_cards": table.open_cards,
            "revealed": table.revealed,
        }

    scribe = Scribe(choose, situation)
    if advanced:
        draft(scribe, table, start, highest_card(options, players))
    else:
        table.rows = [list(row) for row in deal["rows"]]
    for _ in range(HAND):
        play_turn(scribe, table)
    return scribe.record(deal, [heads_of(pile) for pile in table.bull_piles], totals)
