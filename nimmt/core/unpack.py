"""Reads what lies in the structures of the core, for tests and for the pure environment."""

from nimmt.choices import STEAL, Choice, Play, Take
from nimmt.core.layout import KIND_CODES, PLACES, PLAY, TAKE, CChoice, CTable


def read_choice(given: CChoice, kind: str) -> Choice:
    """A choice of 11 nimmt!; what is none comes out as one that no state accepts."""
    if kind == STEAL:
        return int(given.value)
    if given.what == TAKE:
        return Take(given.value)
    if given.what != PLAY:
        return Take(-1)
    cards: dict[int, list[int]] = {}
    for card in range(PLACES):
        if given.on[card]:
            cards.setdefault(given.on[card] - 1, []).append(card)
    return Play(cards)


def zones_of(table: CTable) -> dict[str, tuple[int, ...]]:
    """Where every card lies, named as in a spectator's view."""
    zones = {}
    for seat in range(table.players):
        zones[f"hand:{seat}"] = tuple(table.hand[seat][: table.hand_len[seat]])
        zones[f"play:{seat}"] = (table.laid[seat],) if table.laid[seat] else ()
    if table.rules == 2:
        for at in range(table.pile_count):
            cards, card = [], table.pile_top[at]
            while card:
                cards.append(card)
                card = table.under[card]
            zones[f"pile:{table.pile_no[at]}"] = tuple(cards[::-1])
        zones["draw"] = tuple(table.draw[: table.draw_len])
    else:
        for row in range(4 if table.rules == 0 else 3):
            zones[f"row:{row}"] = tuple(table.row[row][: table.row_len[row]])
        zones |= _six_zones(table) if table.rules == 0 else _x_zones(table)
    return {zone: cards for zone, cards in zones.items() if cards}


def _six_zones(table: CTable) -> dict[str, tuple[int, ...]]:
    zones = {"pool": tuple(table.pool[: table.pool_len])}
    for seat in range(table.players):
        zones[f"bull:{seat}"] = tuple(table.bull[seat][: table.bull_len[seat]])
    return zones


def _x_zones(table: CTable) -> dict[str, tuple[int, ...]]:
    zones = {f"taken:{table.seat}": tuple(table.taken[: table.taken_len])}
    for seat in range(table.players):
        zones[f"xrow:{seat}"] = tuple(table.x_row[seat][: table.x_row_len[seat]])
        zones[f"xpile:{seat}"] = tuple(table.x_pile[seat][: table.x_pile_len[seat]])
    return zones


def asked_of(table: CTable) -> dict[int, str]:
    """Who is asked for what."""
    kind = KIND_CODES[table.phase]
    if not kind:
        return {}
    return dict.fromkeys(range(table.players), kind) if kind == "card" else {table.seat: kind}
