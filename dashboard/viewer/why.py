"""What happens at the table and why, in words: for captions, the move list and screen readers.

The reasons come from the rules and from what lies on the table, which is folded on the way. A
reason that only one hand gives away is kept apart from what everyone at the table can see.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dashboard.viewer.winning import Kind, Tally
from dashboard.viewer.words import (
    Voice,
    listed,
    number_word,
    ordinal,
    sentences,
    several,
    zone_number,
    zone_seat,
)
from nimmt import heads
from nimmt.eleven import BULL_FROM
from nimmt.events import BullCard, Event, GameEnd, Move, Reveal, RoundEnd, RoundStart
from nimmt.game import Rules
from nimmt.table import Table, fold

FEW = 5
"""With more seats a caption names the first and the last instead of all."""
HAND_COUNTS = "Heads left in hand are points."
"""Said at the first deal where it is so: else nobody knows where the first points come from."""


class Caption(NamedTuple):
    """One or two sentences about events that are shown together."""

    text: str
    """For one who sees all hands."""
    seat: int | None = None
    """Whose hand gives the reason away; None when everyone at the table knows it."""
    public: str = ""
    """What the others at the table may read, when `seat` is not None."""

    def seen_by(self, seat: int | None) -> str:
        """The text for one seat, or with None for one who sees all."""
        return self.text if seat is None or self.seat in (None, seat) else self.public


class Narrator:
    """Tells a game from its first deal on; give it every event, in order."""

    def __init__(
        self,
        rules: Rules,
        table: Mapping[str, Any],
        names: Sequence[str],
        you: int | None = None,
    ) -> None:
        """`table` is how the table of these rules looks (`payload.TABLES`); the seat `you` is
        spoken to instead of spoken about."""
        self.rules = rules
        self.voices = [Voice(name, seat == you) for seat, name in enumerate(names)]
        self.names = [voice.name for voice in self.voices]
        self.places: Sequence[int] = ()
        """The places at the end, where they are known better than the game's events tell."""
        self.holds: Sequence[int] = table["rows"]
        """How many cards each row holds."""
        self._window: Sequence[int] = table["window"] or (0, 1)
        self.table = Table(len(names))
        """The table after all that was told."""
        self._taken: Move | None = None
        alike = len(set(self.holds)) == 1
        kind = Kind.PILES if not self.holds else Kind.ROWS if alike else Kind.X_ROWS
        self._tally = Tally(kind, len(names))

    def tell(self, events: Sequence[Event], after: Sequence[Event] = ()) -> Caption:
        """The caption of these events; `after` are those that follow in the same step."""
        self._tally.count(events, self._empty_hands())
        caption = self._describe(events, after)
        fold(self.table, events)
        if caption.text and any(voice.you for voice in self.voices):
            return Caption(sentences(caption.text), caption.seat, sentences(caption.public))
        return caption

    def _describe(self, events: Sequence[Event], after: Sequence[Event]) -> Caption:
        match events[0]:
            case RoundStart(round_no, start_seat):
                return Caption(self._deal(events, round_no, start_seat))
            case Reveal(cards):
                return Caption(self._reveal(cards))
            case BullCard(seat, source):
                return Caption(self._bull_card(seat, source))
            case RoundEnd():
                return Caption(self._end(events))
            case Move():
                return self._move([event for event in events if isinstance(event, Move)], after)
        return Caption("")

    # The start and the end of a round.

    def _deal(self, events: Sequence[Event], round_no: int, start_seat: int) -> str:
        moves = [event for event in events if isinstance(event, Move)]
        hand = max((len(move.cards) for move in moves if move.dst.startswith("hand:")), default=0)
        pool = next((move for move in moves if move.dst == "pool"), None)
        if pool is not None:
            dealt = f"chance deals {several(hand, 'card')} to each seat, and " if hand else ""
            what = f"{dealt}{len(pool.cards)} cards lie open for the draft"
            return f"Round {round_no + 1}: {what}. {self.voices[start_seat].does('picks')} first."
        hint = f" {HAND_COUNTS}" if round_no == 0 else ""
        text = f"Round {round_no + 1}: {number_word(hand)} cards each are dealt"
        if self.holds:
            text += f", and {number_word(len(self.holds))} cards start the rows."
            return text if max(self.holds) == min(self.holds) else text + hint
        pile = next(move for move in moves if move.dst.startswith("pile:"))
        draw = next(move for move in moves if move.dst == "draw")
        text += f", {pile.cards[0]} starts pile 1, and {len(draw.cards)} cards wait in the deck."
        return f"{text} {self.voices[start_seat].does('begins')}{self._why_begins(round_no)}.{hint}"

    def _why_begins(self, round_no: int) -> str:
        if round_no == 0:
            return ""
        return f", having the {self.rules.options['next_start']} points so far"

    def _end(self, events: Sequence[Event]) -> str:
        end = events[0]
        assert isinstance(end, RoundEnd)
        over = next((event for event in events if isinstance(event, GameEnd)), None)
        if over is None:
            return f"{self._why_over()}, so the round is over: {self._scores(end.points)}."
        why = self._tally.why_won(over.points, self.places or over.places, self.voices)
        return f"{self._won(over)} {why}{self._why_ends(end.totals)}"

    def _empty_hands(self) -> list[int]:
        return [seat for seat in range(len(self.names)) if f"hand:{seat}" not in self.table.zones]

    def _why_over(self) -> str:
        empty = [self.voices[seat] for seat in self._empty_hands()]
        if len(empty) == len(self.names) and not self._window[0]:
            return "All cards are played"
        if len(empty) == 1:
            return f"{empty[0].does('has')} no card left"
        if empty:
            return f"{listed(voice.name for voice in empty)} have no card left"
        return "The deck is empty"

    def _scores(self, points: Sequence[int]) -> str:
        if len(points) > FEW:
            fewest, most = min(points), max(points)
            first, last = points.index(fewest), points.index(most)
            return (
                f"from +{fewest} for {self.names[first]} to +{most} for {self.names[last]}, "
                "the fewest being best"
            )
        return ", ".join(
            f"{name} +{own}{self._parts(seat, own)}"
            for seat, (name, own) in enumerate(zip(self.names, points, strict=True))
        )

    def _parts(self, seat: int, points: int) -> str:
        """What counted: where there are X piles, hands count once and X piles twice."""
        pile = 2 * heads(self.table.zones.get(f"xpile:{seat}", ()))
        return f" (2 × {pile // 2} in the X pile, {points - pile} in hand)" if pile else ""

    def _won(self, end: GameEnd) -> str:
        places = self.places or end.places
        first = [seat for seat, place in enumerate(places) if place == 1]
        points = end.points[first[0]]
        who = listed(self.names[seat] for seat in first)
        if len(first) > 1:
            return f"{who} share the win with {points} points each."
        rest = sorted(own for seat, own in enumerate(end.points) if seat not in first)
        wins = self.voices[first[0]].does("wins")
        if points > rest[0]:
            return f"{wins} with {several(points, 'point')}, the fewest of those not out."
        runners = [seat for seat, own in enumerate(end.points) if own == rest[0] != points]
        ahead = f", {rest[0] - points} fewer than {listed(self.names[s] for s in runners)}"
        return f"{wins} with {several(points, 'point')}, the fewest{ahead if runners else ''}."

    def _why_ends(self, totals: Sequence[int]) -> str:
        limit = self.rules.options.get("limit")
        if limit is not None:
            over = [name for name, own in zip(self.names, totals, strict=True) if own > limit]
            return f"The game ends because {listed(over[:FEW])} passed {limit}."
        rounds = self.table.round_no + 1
        return f"The game ends after {number_word(rounds)} round{'s' if rounds > 1 else ''}."

    # Cards that all turn up together, and rows.

    def _reveal(self, cards: Sequence[int]) -> str:
        order = sorted(range(len(cards)), key=lambda seat: cards[seat])
        if len(order) <= FEW:
            laid = ", ".join(f"{self.names[seat]} {cards[seat]}" for seat in order)
            return f"All turn up a card. The lowest goes first: {laid}."
        low, high = order[0], order[-1]
        return (
            f"All turn up a card, from {cards[low]} ({self.names[low]}) to {cards[high]} "
            f"({self.names[high]}). The lowest goes first."
        )

    def _ends(self) -> dict[int, int]:
        """The last card of each row."""
        zones = self.table.zones
        rows = range(len(self.holds))
        return {row: zones[f"row:{row}"][-1] for row in rows if f"row:{row}" in zones}

    def _place(self, move: Move) -> str:
        card, row = move.cards[0], zone_seat(move.dst)
        ends = self._ends()
        below = [end for end in ends.values() if end < card]
        why = "the only row end below it" if len(below) == 1 else "the closest row end below it"
        owner = self.voices[zone_seat(move.src)].own
        text = f"{owner} {card} goes to row {row + 1}, behind {ends[row]}, {why}."
        if len(self.table.zones[move.dst]) + 1 == self.holds[row]:
            text += " That row is full now: the next card there takes it."
        return text

    def _take_row(self, take: Move, card: int, seat: int) -> str:
        ends, row = self._ends(), zone_seat(take.src)
        voice, cost = self.voices[seat], several(heads(take.cards), "head")
        count = len(take.cards)
        if card < min(ends.values()):
            return f"{card} is below every row, so {voice.name} must take one: {self._which(row)}."
        gain = f"+{heads(take.cards)}" if take.dst.startswith("bull:") else cost
        what = f"{number_word(count)} cards" if count > 1 else "card"
        return (
            f"{card} is the {ordinal(count + 1)} card of row {row + 1}, which holds "
            f"{number_word(count)}: {voice.does('takes')} the {what} there, {gain}."
        )

    def _which(self, row: int) -> str:
        """A row that a bot chose to take, compared with the others."""
        costs = {other: heads(self.table.zones[f"row:{other}"]) for other in self._ends()}
        least = min(costs.values())
        cost = several(costs[row], "head")
        if costs[row] > least:
            cheaper = min(costs, key=lambda other: costs[other])
            return f"row {row + 1} ({cost}), though row {cheaper + 1} costs only {least}"
        alone = list(costs.values()).count(least) == 1
        return f"row {row + 1}, {'the cheapest' if alone else 'one of the cheapest'} ({cost})"

    # One card or pile at a time.

    def _move(self, moves: Sequence[Move], after: Sequence[Event]) -> Caption:
        move = moves[0]
        match move.why:
            case "place":
                return Caption(self._place(move))
            case "take" if move.src.startswith("row:"):
                seat = zone_seat(move.dst)
                return Caption(self._take_row(move, moves[1].cards[0], seat))
            case "take":
                self._taken = move
                return self._take_pile(move)
            case "play":
                return Caption(self._play(moves))
            case "open":
                return Caption(self._open(moves))
            case "draft":
                return Caption(self._draft(move))
            case "rows":
                cards = listed(card for one in moves for card in one.cards)
                return Caption(f"The four cards that are left start the rows: {cards}.")
            case "x" | "keep" | "break":
                return Caption(self._x(move, after))
        return Caption(f"{listed(move.cards)} from {move.src} to {move.dst}.")

    def _draft(self, move: Move) -> str:
        seat = zone_seat(move.dst)
        pick = len(self.table.zones.get(move.dst, ())) + 1
        cost = several(heads(move.cards), "head")
        voice = self.voices[seat]
        return f"{voice.does('picks')} {move.cards[0]} ({cost}) as card {pick} of {voice.its} hand."

    def _x(self, move: Move, after: Sequence[Event]) -> str:
        """Of cards just taken one goes to the X row, the others to the hand."""
        seat = zone_seat(move.src)
        voice, zones = self.voices[seat], self.table.zones
        if move.why == "keep":
            go = "goes" if len(move.cards) == 1 else "go"
            return f"{listed(move.cards)} {go} to {voice.own} hand: more cards to get rid of."
        if move.why == "break":
            card = next(e.cards[0] for e in after if isinstance(e, Move) and e.why == "x")
            return (
                f"{card} is below {move.cards[-1]}, the end of {voice.own} X row: that row goes to "
                f"the X pile and counts double, +{2 * heads(move.cards)}."
            )
        card, row = move.cards[0], zones.get(move.dst, ())
        if len(zones[move.src]) == 1:
            must = f"{card} is the only card taken, so it must go to {voice.own} X row"
            return f"{must}, above {row[-1]} at no cost." if row else f"{must} and starts it."
        if not row:
            starts = f"{voice.does('starts')} {voice.its} X row"
            return f"{starts} with {card}: what lies there costs nothing."
        adds = f"{voice.does('adds')} {card} to {voice.its} X row"
        return f"{adds}: it is above {row[-1]}, so it costs nothing."

    # Piles.

    def _gap(self, card: int, top: int) -> int:
        return (card - top) % self._window[1]

    def _take_pile(self, move: Move) -> Caption:
        seat = zone_seat(move.dst)
        voice, zones = self.voices[seat], self.table.zones
        cards = f"{several(len(move.cards), 'card')}, {several(heads(move.cards), 'head')}"
        pile = f"pile {zone_number(move.src)} ({cards})"
        takes = f"{voice.does('takes')} {pile} into {voice.its} hand."
        hand = zones.get(move.dst, ())
        if 0 in hand:
            return Caption(takes)
        reach = self._window[0]
        tops = [cards[-1] for zone, cards in zones.items() if zone.startswith("pile:")]
        fit = [card for card in hand if any(1 <= self._gap(card, top) <= reach for top in tops)]
        if fit:
            fits = "fits" if len(fit) == 1 else "fit"
            some = f"{number_word(len(fit))} of {voice.its} cards {fits}"
            return Caption(f"Although {some}, {takes}", seat, takes)
        card = "None of your cards" if voice.you else f"No card of {voice.name}"
        above = f"{card} is within {reach} above a pile"
        return Caption(f"{above}, so {voice.it} must take one: {pile}.", seat, takes)

    def _bull_card(self, seat: int, source: int | None) -> str:
        voice, held = self.voices[seat], self.table.bull_cards
        assert self._taken is not None
        earned = f"Pile {zone_number(self._taken.src)} had {BULL_FROM} cards or more"
        if source is not None:
            most = several(held[source], "bull card")
            return (
                f"{earned} and no bull card is left: {voice.does('steals')} one from "
                f"{self.voices[source].name}, who {self.voices[source].verb('has')} the most "
                f"({most})."
            )
        now = held[seat] + 1
        piles = "one pile" if now == 1 else f"up to {number_word(now)} piles"
        return (
            f"{earned}: {voice.does('gets')} a bull card and may now play several cards on {piles}."
        )

    def _play(self, moves: Sequence[Move]) -> str:
        seat = zone_seat(moves[0].src)
        voice, (reach, highest) = self.voices[seat], self._window
        tops = {move.dst: self.table.zones[move.dst][-1] for move in moves}
        again = any(card < tops[move.dst] for move in moves for card in move.cards)
        counting = f", counting on from {highest} to 1" if again else ""
        first = moves[0].cards[0]
        if len(moves) == len(moves[0].cards) == 1:
            top = tops[moves[0].dst]
            above = f"{self._gap(first, top)} above {top}, and up to {reach} is allowed"
            return (
                f"{voice.does('plays')} {first} on pile {zone_number(moves[0].dst)}: "
                f"{above}{counting}."
            )
        parts = [
            f"{listed(move.cards)} on pile {zone_number(move.dst)} (above {tops[move.dst]})"
            for move in moves
        ]
        held = self.table.bull_cards[seat]
        why = "bull card lets" if held == 1 else f"{number_word(held)} bull cards let"
        within = f"All are within {reach}{counting}, and {voice.its} {why} {voice.it} play several."
        return f"{voice.does('plays')} {'; '.join(parts)}. {within}"

    def _open(self, moves: Sequence[Move]) -> str:
        left = len(self.table.zones["draw"]) - len(moves)
        if len(moves) > 1:
            cards = listed(card for move in moves for card in move.cards)
            numbers = listed(zone_number(move.dst) for move in moves)
            return f"After every take two cards come from the deck: {cards} start piles {numbers}."
        card, number = moves[0].cards[0], zone_number(moves[0].dst)
        last = "the last card of the deck, " if not left else ""
        return f"{card}, {last}starts pile {number}."
