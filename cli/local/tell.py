"""A replay told in words. Names and texts from the file are made safe to print.

People count from 1, replays from 0: rounds, turns, seats, rows and piles are one higher here.
"""

from collections.abc import Iterator
from typing import Any

from cli.terminal import clean
from league.words import counted, option_words
from nimmt.cards import heads
from nimmt.errors import ReplayError
from nimmt.events import BullCard, Event, Move, Reveal, RoundEnd, RoundStart, Turn
from nimmt.table import Table, fold
from nimmt.verify import Step, read

# What a move means, by its reason and, where needed, by what it leads to.
_SAY = {
    "take": "{who} takes {cards} from {src} ({heads})",
    "place": "{who} lays {cards} in {dst}",
    "play": "{who} lays {cards} on {dst}",
    "open": "{cards} opens {dst}",
    "draft": "{who} drafts {cards}",
    "rows": "{cards} starts {dst}",
    "x": "{who} puts {cards} in the X row",
    "keep": "{who} keeps {cards} in hand",
    "break": "{who} breaks the X row: {cards} go to the X pile ({heads}, counted twice)",
}


def printable(text: str) -> str:
    """A name from a file: nothing in it steers a terminal, and it does not fill one."""
    return clean(text)[:80]


def tell_game(document: Any, round_no: int | None, turn: int | None) -> Iterator[str]:
    """The game line by line; only one round or one turn if asked, counted from 1."""
    replay = read(document)
    rounds = len(replay.document["rounds"])
    if round_no is not None and round_no > rounds:
        raise ReplayError(f"got round {round_no}, expected one from 1 to {rounds}")
    names = _names([printable(player["bot"]) for player in replay.document["players"]])
    teller = _Teller(names, round_no, turn)
    yield f"{replay.rules.title} ({option_words(replay.rules.options)})"
    yield from (f"  seat {seat}: {name}" for seat, name in enumerate(names, 1))
    yield from teller.events(replay.state.opening)
    for step in replay.steps():
        yield from teller.step(step)
    result = replay.document["result"]
    yield ""
    yield "Result"
    order = sorted(range(len(names)), key=lambda seat: result["places"][seat])
    for seat in order:
        out = "  (out)" if replay.document["players"][seat]["out"] else ""
        points = counted(result["points"][seat], "point")
        yield f"  {result['places'][seat]}. {names[seat]}: {points}{out}"


def _names(bots: list[str]) -> list[str]:
    """The bots' names, with the seat added where one bot sits twice."""
    return [f"{bot} #{seat}" if bots.count(bot) > 1 else bot for seat, bot in enumerate(bots, 1)]


class _Teller:
    def __init__(self, names: list[str], round_no: int | None, turn: int | None) -> None:
        self.names = names
        self.only_round = round_no
        self.only_turn = turn
        self.table = Table(players=len(names))

    def step(self, step: Step) -> Iterator[str]:
        wanted = self._wanted()
        for entry in step.decisions:
            if wanted and entry["fault"] is not None:
                kind = printable(str(entry["fault"]["kind"]))
                yield f"  ! {self.names[entry['seat']]}: {kind}, the house chose"
        yield from self.events(step.events)

    def events(self, events: Any) -> Iterator[str]:
        for event in events:
            before = self._wanted()
            fold(self.table, [event])
            if self._wanted() if isinstance(event, RoundStart | Turn) else before:
                yield from self._say(event)

    def _wanted(self) -> bool:
        in_round = self.only_round is None or self.table.round_no + 1 == self.only_round
        return in_round and (self.only_turn is None or self.table.turn + 1 == self.only_turn)

    def _say(self, event: Event) -> Iterator[str]:
        match event:
            case RoundStart(number, _, _):
                yield ""
                yield f"Round {number + 1}"
            case Turn(number, seat):
                yield from self._say_turn(number, seat)
            case Reveal(cards):
                laid = sorted(zip(cards, self.names, strict=True))
                yield "  revealed: " + ", ".join(f"{card} ({name})" for card, name in laid)
            case Move():
                yield from self._say_move(event)
            case BullCard(seat, source):
                whence = "the pool" if source is None else self.names[source]
                yield f"  {self.names[seat]} gets a bull card from {whence}"
            case RoundEnd(points, totals):
                yield f"  points {list(points)}, totals {list(totals)}"

    def _say_turn(self, number: int, seat: int | None) -> Iterator[str]:
        whose = "" if seat is None else f": {self.names[seat]}"
        yield f" Turn {number + 1}{whose}"
        for zone, cards in sorted(self.table.zones.items(), key=_zone_order):
            if zone.startswith("row:"):
                yield f"    {_place(zone)}: " + " ".join(map(str, cards))
        tops = [
            f"{int(zone[5:]) + 1}:{cards[-1]}"
            for zone, cards in sorted(self.table.zones.items(), key=_zone_order)
            if zone.startswith("pile:")
        ]
        if tops:
            yield "    piles (number:top): " + "  ".join(tops)

    def _say_move(self, move: Move) -> Iterator[str]:
        if move.why == "deal":
            if move.dst.startswith("hand:"):
                yield f"  {self.names[int(move.dst[5:])]} holds {_list(move)}"
            return
        if move.why == "open" and move.src == "box":
            yield f"  open to all in {_place(move.dst)}: {_list(move)}"
            return
        seats = [zone for zone in (move.src, move.dst) if zone.split(":")[0] in _OWNED]
        who = self.names[int(seats[0].split(":")[1])] if seats else ""
        parts = {"cards": _list(move), "heads": _heads(heads(move.cards))}
        text = _SAY[move.why].format(who=who, src=_place(move.src), dst=_place(move.dst), **parts)
        yield f"  {text}"


_OWNED = ("hand", "play", "bull", "taken", "xrow", "xpile")


def _heads(count: int) -> str:
    return "1 head" if count == 1 else f"{count} heads"


def _list(move: Move) -> str:
    return " ".join(map(str, move.cards))


def _place(zone: str) -> str:
    name, _, number = zone.partition(":")
    if name == "row":
        return f"row {int(number) + 1}"
    if name == "hand":
        return f"the hand of seat {int(number) + 1}"
    return f"pile {int(number) + 1}" if name == "pile" else f"the {name}"


def _zone_order(item: tuple[str, tuple[int, ...]]) -> tuple[str, int]:
    name, _, number = item[0].partition(":")
    return name, int(number or 0)
