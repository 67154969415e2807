"""Reference x-nimmt: slow and plain, paragraph by paragraph.

Numbers such as X-1 name the settled readings of the rulebook."""

from dataclasses import dataclass, field

from .asking import Choose, RoundRecord, Scribe, Situation
from .cards import (
    Deal,
    Options,
    check_distinct,
    check_groups,
    check_keys,
    check_known,
    closest_lower_row,
    heads_of,
)
from .cards import check_players as check_range

HAND = 8
ROUNDS = 2
HIGHEST = 100
# The card that would be the third, fourth or fifth of its row takes what lies there.
TAKES_AT = (3, 4, 5)


@dataclass(slots=True)
class Table:
    """Everything on and around the table in one round."""

    hands: list[list[int]]
    rows: list[list[int]]
    x_rows: list[list[int]]
    x_piles: list[list[int]]
    revealed: list[int] = field(default_factory=list)

    def points(self) -> list[int]:
        """The hand counts once, the X pile twice, the X row nothing."""
        return [
            heads_of(hand) + 2 * heads_of(pile)
            for hand, pile in zip(self.hands, self.x_piles, strict=True)
        ]


def complete_options(options: Options) -> Options:
    """There are none."""
    check_known(options, [])
    return {}


def check_players(options: Options, players: int) -> None:
    """2 to 4."""
    check_range(players, 2, 4)


def is_over(options: Options, players: int, rounds_played: int, totals: list[int]) -> bool:
    """Two rounds, whatever the points are."""
    return rounds_played == ROUNDS


def start_seat(
    options: Options, players: int, number: int, totals: list[int], previous: int | None
) -> int:
    """Nobody starts: all play at once."""
    return 0


def check_deal(players: int, deal: Deal) -> None:
    """Eight cards each and one start card for each of the three rows."""
    check_keys(deal, ["hands", "rows"])
    check_groups("hands", deal["hands"], players, HAND)
    check_groups("rows", deal["rows"], len(TAKES_AT), 1)
    check_distinct([c for cards in deal["hands"] + deal["rows"] for c in cards], HIGHEST)


def keep_taken(scribe: Scribe, table: Table, seat: int, taken: list[int]) -> None:
    """Exactly one taken card goes to the X row, the others to the hand (X-6: at once)."""
    # Any of them may be chosen, also one that breaks the X row.
    x_card = scribe.ask(seat, "x_card", list(taken))
    for card in taken:
        if card != x_card:
            table.hands[seat].append(card)
    x_row = table.x_rows[seat]
    if x_row and x_card < x_row[-1]:
        # The old X row goes to the X pile; the breaking card is not part of it.
        table.x_piles[seat].extend(x_row)
        x_row.clear()
    x_row.append(x_card)


def place_card(scribe: Scribe, table: Table, seat: int, card: int) -> None:
    """Put one revealed card where it belongs, and let its player take what he must."""
    row = closest_lower_row(table.rows, card)
    if row is not None and len(table.rows[row]) + 1 < TAKES_AT[row]:
        table.rows[row].append(card)
        return
    if row is None:
        # The low card: any of the three rows may be chosen, after the reveal.
        row = scribe.ask(seat, "row", list(range(len(TAKES_AT))))
    taken = table.rows[row]
    table.rows[row] = [card]
    keep_taken(scribe, table, seat, taken)


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
    """One deal and its turns, until after a whole turn some hand is empty (X-4, X-5)."""
    check_deal(players, deal)
    table = Table(
        hands=[list(hand) for hand in deal["hands"]],
        rows=[list(row) for row in deal["rows"]],
        x_rows=[[] for _ in range(players)],
        x_piles=[[] for _ in range(players)],
    )

    def situation() -> Situation:
        return {
            "round": number,
            "totals": totals,
            "points": table.points(),
            "hands": [sorted(hand) for hand in table.hands],
            "rows": table.rows,
            "x_rows": table.x_rows,
            "x_piles": table.x_piles,
            "revealed": table.revealed,
        }

    scribe = Scribe(choose, situation)
    while all(len(hand) > 0 for hand in table.hands):
        play_turn(scribe, table)
    return scribe.record(deal, table.points(), totals)
