"""Reference eleven-nimmt: slow and plain, paragraph by paragraph.

Numbers such as 11-17 name the settled readings of the rulebook."""

from dataclasses import dataclass
from typing import Any

from .asking import Choose, RoundRecord, Scribe, Situation
from .cards import (
    Deal,
    Options,
    check_distinct,
    check_groups,
    check_keys,
    check_known,
    check_start_seat,
    heads_of,
    is_number,
)
from .cards import check_players as check_range

HAND = 10
HIGHEST = 100
BULL_CARDS = 10
BULL_CARD_FROM = 3
REVEALED_BY_TAKE = 2
Plays = dict[int, list[int]]


@dataclass(slots=True)
class Table:
    """One round. Piles stand at their number; a taken one stays as an empty list."""

    hands: list[list[int]]
    piles: list[list[int]]
    draw: list[int]
    bull_cards: list[int]
    pool: int = BULL_CARDS

    def standing(self) -> list[int]:
        """Numbers of the piles that are on the table."""
        return [number for number, pile in enumerate(self.piles) if pile]

    def fitting(self, seat: int, pile: int) -> list[int]:
        """Hand cards that fit on a pile, by ascending gap (11-14)."""
        top = self.piles[pile][-1]
        fits = [card for card in self.hands[seat] if 1 <= gap(card, top) <= 10]
        return sorted(fits, key=lambda card: gap(card, top))

    def points(self) -> list[int]:
        """Whoever still holds cards counts their heads; an empty hand counts nothing."""
        return [heads_of(hand) for hand in self.hands]


def gap(card: int, top: int) -> int:
    """How far a card lies above a top, going on with 1 after 100."""
    return (card - top) % 100


def complete_options(options: Options) -> Options:
    """`next_start` says who starts the next round (11-1: the fewest points)."""
    check_known(options, ["next_start"])
    next_start = options.get("next_start", "fewest")
    if next_start not in ("fewest", "most"):
        raise ValueError(f"next_start is {next_start!r}; expected 'fewest' or 'most'")
    return {"next_start": next_start}


def check_players(options: Options, players: int) -> None:
    """2 to 7."""
    check_range(players, 2, 7)


def is_over(options: Options, players: int, rounds_played: int, totals: list[int]) -> bool:
    """As many rounds as players."""
    return rounds_played == players


def start_seat(
    options: Options, players: int, number: int, totals: list[int], previous: int | None
) -> int:
    """Seat 0 (11-4), later by the totals so far (11-1, 11-2), ties clockwise (11-3)."""
    if previous is None:
        return 0
    wanted = min(totals) if options["next_start"] == "fewest" else max(totals)
    seat = previous
    while totals[seat] != wanted:
        seat = (seat + 1) % players
    return seat


def check_deal(players: int, deal: Deal, start: int) -> None:
    """Ten cards each, one pile of one card, and all other cards of the deck to draw."""
    check_keys(deal, ["hands", "piles", "draw", "start_seat"])
    check_start_seat(deal, start)
    check_groups("hands", deal["hands"], players, HAND)
    check_groups("piles", deal["piles"], 1, 1)
    check_groups("draw", [deal["draw"]], 1, 99 - HAND * players)
    groups = deal["hands"] + deal["piles"] + [deal["draw"]]
    check_distinct([card for cards in groups for card in cards], HIGHEST)


def check_take(table: Table, pile: object) -> int:
    """Any pile on the table may be taken, also by a player who could play (11-8)."""
    for number in table.standing():
        if is_number(pile) and pile == number:
            return number
    raise ValueError(f"take of pile {pile!r}; expected one of {table.standing()}")


def check_play(table: Table, seat: int, wish: object) -> Plays:
    """The cards for each pile, if every rule of playing cards is kept."""
    if not isinstance(wish, dict) or not wish:
        raise ValueError(f"play {wish!r}; expected cards by pile")
    bulls = table.bull_cards[seat]
    if len(wish) > max(1, bulls):
        # One pile for each bull card, and different piles (11-11, 11-12, 11-13).
        raise ValueError(f"play on {len(wish)} piles with {bulls} bull cards")
    numbers = {str(number): number for number in table.standing()}
    plays: Plays = {}
    for name, cards in wish.items():
        if not isinstance(name, str) or name not in numbers:
            raise ValueError(f"play on pile {name!r}; expected one of {list(numbers)}")
        plays[numbers[name]] = check_pile_play(table, seat, numbers[name], cards)
    played = [card for cards in plays.values() for card in cards]
    if len(set(played)) != len(played):
        raise ValueError(f"play {wish!r} uses a card twice")
    if bulls == 0 and len(played) != 1:
        raise ValueError(f"play of {len(played)} cards without a bull card; expected one")
    return plays


def check_pile_play(table: Table, seat: int, pile: int, cards: object) -> list[int]:
    """Some of the fitting cards, not necessarily all (11-15), in the order of their gaps."""
    if not isinstance(cards, list) or not cards or not all(is_number(card) for card in cards):
        raise ValueError(f"play {cards!r} on pile {pile}; expected a list of cards")
    # Every gap is measured from the top before the turn: no chains (11-13).
    fits = table.fitting(seat, pile)
    if any(card not in fits for card in cards):
        raise ValueError(f"play {cards!r} on pile {pile}; expected cards of {fits}")
    if cards != [card for card in fits if card in cards]:
        raise ValueError(f"play {cards!r} on pile {pile}; expected each once, smallest gap first")
    return list(cards)


def ask_turn(scribe: Scribe, table: Table, seat: int) -> tuple[int | None, Plays]:
    """Exactly one action and no passing (11-9): the pile to take, or None and the plays."""
    fits = {str(pile): table.fitting(seat, pile) for pile in table.standing()}
    plays = {pile: cards for pile, cards in fits.items() if cards}
    bulls = table.bull_cards[seat]
    legal: dict[str, Any] = {
        "plays": plays,
        "max_piles": max(1, bulls),
        "several": bulls > 0,
        "takes": table.standing(),
    }
    choice = scribe.answer(seat, "turn", legal)
    take: int | None = None
    wish: Plays = {}
    if isinstance(choice, dict) and list(choice) == ["take"]:
        take = check_take(table, choice["take"])
    elif isinstance(choice, dict) and list(choice) == ["play"]:
        wish = check_play(table, seat, choice["play"])
    else:
        raise ValueError(f"seat {seat} chose turn {choice!r}; expected a take or a play")
    # Nothing fits anywhere (11-10) and one pile stands: that take is the only legal answer.
    scribe.write(seat, "turn", choice, forced=not plays and len(table.standing()) == 1)
    return take, wish


def gain_bull_card(scribe: Scribe, table: Table, seat: int) -> None:
    """From the pool; from an empty pool, off the OTHER player with the most (11-17)."""
    if table.pool > 0:
        table.pool -= 1
        table.bull_cards[seat] += 1
        return
    others = [other for other in range(len(table.hands)) if other != seat]
    most = max(table.bull_cards[other] for other in others)
    if most == 0:
        # The taker holds all ten and gains nothing (11-17, 11-20).
        return
    # Mandatory (11-19); with several candidates the stealing player chooses (11-18).
    victim = scribe.ask(seat, "steal", [o for o in others if table.bull_cards[o] == most])
    table.bull_cards[victim] -= 1
    table.bull_cards[seat] += 1


def take_pile(scribe: Scribe, table: Table, seat: int, pile: int) -> None:
    """The pile to the hand, then the bull card (11-16), then up to two new piles (11-7)."""
    taken = table.piles[pile]
    table.piles[pile] = []
    table.hands[seat].extend(taken)
    if len(taken) >= BULL_CARD_FROM:
        gain_bull_card(scribe, table, seat)
    for _ in range(REVEALED_BY_TAKE):
        if table.draw:
            table.piles.append([table.draw.pop(0)])


def play_turns(scribe: Scribe, table: Table, start: int) -> None:
    """Turn after turn, clockwise, until a hand or the draw deck is empty."""
    seat = start
    while True:
        take, plays = ask_turn(scribe, table, seat)
        if take is not None:
            take_pile(scribe, table, seat, take)
            if not table.draw:
                # The take that empties the deck ends the round (11-5, 11-6).
                return
        else:
            for pile, cards in plays.items():
                for card in cards:
                    table.hands[seat].remove(card)
                    table.piles[pile].append(card)
            if not table.hands[seat]:
                # At once: nobody gets another turn (11-24).
                return
        seat = (seat + 1) % len(table.hands)


def play_round(
    options: Options,
    players: int,
    number: int,
    totals: list[int],
    deal: Deal,
    start: int,
    choose: Choose,
) -> RoundRecord:
    """One deal and its turns. All bull cards are back in the pool before it (11-21)."""
    check_deal(players, deal, start)
    table = Table(
        hands=[list(hand) for hand in deal["hands"]],
        piles=[list(pile) for pile in deal["piles"]],
        draw=list(deal["draw"]),
        bull_cards=[0] * players,
    )

    def situation() -> Situation:
        return {
            "round": number,
            "totals": totals,
            "points": table.points(),
            "hands": [sorted(hand) for hand in table.hands],
            "piles": table.piles,
            "draw": table.draw,
            "bull_cards": table.bull_cards,
            "pool": table.pool,
        }

    scribe = Scribe(choose, situation)
    play_turns(scribe, table, start)
    return scribe.record(deal, table.points(), totals)
