"""What a person at the table is asked, in words: what each choice would do as the table lies now.

The counterpart of `why`, which tells what has happened. What others choose at the same time can
change what a card does, and the words say so; what is legal comes with the ask and is not decided
here.
"""

from collections.abc import Mapping
from typing import Any

from dashboard.viewer.why import Narrator
from dashboard.viewer.words import listed, number_word, ordinal, several
from nimmt import choices as kinds
from nimmt import heads
from nimmt.eleven import BULL_FROM
from nimmt.table import Table

Words = dict[str, Any]
"""`title`, `help`, `choices` by what is chosen, and `blocked`: why a card cannot be."""


def ask_words(narrator: Narrator, seat: int, kind: str, legal: Any) -> Words:
    """The words of one ask of this seat; `legal` as its frame has it."""
    table = narrator.table
    match kind:
        case kinds.CARD:
            return _card(narrator, table, legal)
        case kinds.ROW:
            return _row(table, seat, legal)
        case kinds.DRAFT:
            return _draft(table, seat, legal)
        case kinds.X_CARD:
            return _x_card(table, seat, legal)
        case kinds.STEAL:
            return _steal(narrator, table, legal)
    return _turn(table, seat, legal)


def _card(narrator: Narrator, table: Table, legal: list[int]) -> Words:
    return {
        "title": "Choose a card",
        "help": "All choose at the same time. The lowest card is placed first.",
        "choices": {str(card): _would_go(narrator, table, card) for card in legal},
        "blocked": {},
    }


def _would_go(narrator: Narrator, table: Table, card: int) -> Words:
    """Where a card would go if no other came before it."""
    rows = {row: table.zones[f"row:{row}"] for row in range(len(narrator.holds))}
    below = [row for row, cards in rows.items() if cards[-1] < card]
    if not below:
        cheapest = min(heads(cards) for cards in rows.values())
        return {
            "text": f"{card} is below every row: as the rows lie, you would have to take one,"
            f" at least {several(cheapest, 'head')}.",
            "row": None,
            "heads": cheapest,
        }
    row = max(below, key=lambda at: rows[at][-1])
    cards = rows[row]
    if len(cards) < narrator.holds[row]:
        number = ordinal(len(cards) + 1)
        return {
            "text": f"As the rows lie, {card} goes behind {cards[-1]} in row {row + 1},"
            f" as its {number} card.",
            "row": row,
            "heads": 0,
        }
    cost = heads(cards)
    what = f"the {number_word(len(cards))} cards" if len(cards) > 1 else "the card"
    return {
        "text": f"As the rows lie, {card} is one card too many for row {row + 1}: you would take"
        f" {what} there, {several(cost, 'head')}.",
        "row": row,
        "heads": cost,
    }


def _row(table: Table, seat: int, legal: list[int]) -> Words:
    card = table.zones[f"play:{seat}"][0]
    costs = {row: heads(table.zones[f"row:{row}"]) for row in legal}
    least = min(costs.values())
    return {
        "title": "Choose a row to take",
        "help": f"Your {card} is below every row, so it fits nowhere. You take the cards of one"
        f" row, and {card} starts that row again.",
        "choices": {
            str(row): {
                "text": f"Take row {row + 1}: "
                f"{several(len(table.zones[f'row:{row}']), 'card')}, {several(cost, 'head')}"
                f"{', the fewest' if cost == least else ''}.",
                "heads": cost,
            }
            for row, cost in costs.items()
        },
        "blocked": {},
    }


def _draft(table: Table, seat: int, legal: list[int]) -> Words:
    pick = len(table.zones.get(f"hand:{seat}", ())) + 1
    return {
        "title": f"Pick card {pick} of your hand",
        "help": "Everyone picks in turn, and all hands are open. The last four cards start the"
        " rows.",
        "choices": {
            str(card): {"text": f"Pick {card}, {several(heads([card]), 'head')}."} for card in legal
        },
        "blocked": {},
    }


def _x_card(table: Table, seat: int, legal: list[int]) -> Words:
    row = table.zones.get(f"xrow:{seat}", ())
    return {
        "title": "Choose one card for your X row",
        "help": "It costs nothing there. The other cards you took go to your hand."
        + (f" Your X row ends with {row[-1]}, and must rise." if row else ""),
        "choices": {str(card): {"text": _x_text(row, card, legal)} for card in legal},
        "blocked": {},
    }


def _x_text(row: tuple[int, ...], card: int, taken: list[int]) -> str:
    others = [one for one in taken if one != card]
    rest = f" {listed(others)} {'goes' if len(others) == 1 else 'go'} to your hand." * bool(others)
    if row and card < row[-1]:
        return (
            f"{card} is below {row[-1]}: your X row goes to your X pile and counts double,"
            f" +{2 * heads(row)}. {card} starts a new one.{rest}"
        )
    above = f"{card} goes behind {row[-1]}" if row else f"{card} starts your X row"
    return f"{above}, at no cost.{rest}"


def _steal(narrator: Narrator, table: Table, legal: list[int]) -> Words:
    return {
        "title": "Choose whom to steal a bull card from",
        "help": "No bull card is left in the middle, and these hold the most.",
        "choices": {
            str(other): {
                "text": f"Steal one from {narrator.names[other]}, who has"
                f" {several(table.bull_cards[other], 'bull card')}."
            }
            for other in legal
        },
        "blocked": {},
    }


def _turn(table: Table, seat: int, legal: Mapping[str, Any]) -> Words:
    hand = table.zones.get(f"hand:{seat}", ())
    piles = {
        int(zone.partition(":")[2]): cards
        for zone, cards in table.zones.items()
        if zone.startswith("pile:")
    }
    plays: dict[int, list[int]] = {int(pile): cards for pile, cards in legal["plays"].items()}
    fits = {card: [pile for pile, cards in plays.items() if card in cards] for card in hand}
    return {
        "title": _turn_title(legal, bool(plays)),
        "help": _turn_help(table.bull_cards[seat], bool(plays)),
        "choices": {str(card): _lay(card, on, piles) for card, on in fits.items() if on},
        "blocked": {str(card): _too_far(card, piles) for card, on in fits.items() if not on},
        "takes": {str(pile): _take(pile, piles[pile], table.bull_pool) for pile in legal["takes"]},
    }


def _turn_title(legal: Mapping[str, Any], can_play: bool) -> str:
    if not can_play:
        return "No card fits: take a pile"
    if not legal["many"]:
        return "Play a card, or take a pile"
    piles = legal["max_piles"]
    where = "one pile" if piles == 1 else f"up to {number_word(piles)} piles"
    return f"Play cards on {where}, or take a pile"


def _turn_help(bulls: int, can_play: bool) -> str:
    if not can_play:
        return "Nothing in your hand is 1 to 10 above the top of a pile. Two new piles start after."
    if bulls:
        return "With a bull card you may lay several cards, all 1 to 10 above the top of the pile."
    return "A card must be 1 to 10 above the top of a pile. After 100 counting goes on with 1."


def _lay(card: int, on: list[int], piles: Mapping[int, tuple[int, ...]]) -> Words:
    where = " or ".join(
        f"pile {pile + 1}, {kinds.gap(card, piles[pile][-1])} above {piles[pile][-1]}"
        for pile in on
    )
    return {"text": f"{card} fits on {where}.", "piles": on}


def _too_far(card: int, piles: Mapping[int, tuple[int, ...]]) -> str:
    top = min((cards[-1] for cards in piles.values()), key=lambda one: kinds.gap(card, one))
    return (
        f"{card} fits nowhere now: the closest pile below it ends with {top}, and"
        f" {card} is {kinds.gap(card, top)} above. Up to {kinds.WINDOW} is allowed."
    )


def _take(pile: int, cards: tuple[int, ...], bull_pool: int) -> Words:
    text = (
        f"Take pile {pile + 1} into your hand: {several(len(cards), 'card')},"
        f" {several(heads(cards), 'head')}."
    )
    if len(cards) >= BULL_FROM:
        gain = "You get a bull card" if bull_pool else "You steal a bull card"
        text += f" {gain}: it lets you lay several cards at once."
    return {"text": text, "heads": heads(cards)}
