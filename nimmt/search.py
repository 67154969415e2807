"""For search bots: what a seat knows, and a full state that it might be in.

A bot folds the events it is sent into a `Table` (0 stands for a card it has not seen), guesses the
hidden cards, and plays out from there as often as its clock allows.
"""

from collections.abc import Sequence
from random import Random

from nimmt.cards import heads
from nimmt.choices import CARD, DRAFT, ROW, STEAL, TURN, X_CARD, Ask, Choice
from nimmt.core.hints import Hint
from nimmt.core.policies import NOTHING, UNIFORM_POLICY, Expected, Policy
from nimmt.core.position import Position
from nimmt.core.rollouts import Rollouts, rollouts
from nimmt.eleven import ElevenNimmt, ElevenNimmtState
from nimmt.events import Event, seen_by
from nimmt.game import Rules, State
from nimmt.rows import RowsState
from nimmt.six import SixNimmt, SixNimmtState
from nimmt.table import Table, fold
from nimmt.x import XNimmt, XNimmtState

Cards = tuple[int, ...]
LAST_CARD = {"eleven-nimmt": 100, "x-nimmt": 100}


class Memory:
    """All that one seat has seen of a game. Give it every event; ask it for possible states."""

    def __init__(self, rules: Rules, players: int, seat: int) -> None:
        self.rules = rules
        self.seat = seat
        self.table = Table(players=players)
        self.unseen: list[int] = []
        self.highest = _highest(rules, players)

    def see(self, event: Event) -> None:
        """Take in what happened; what this seat may not see is left out."""
        fold(self.table, [seen_by(event, self.seat)])

    def look(self) -> None:
        """Work out which cards are unseen; call it once before guessing many times."""
        seen = {card for cards in self.table.zones.values() for card in cards}
        self.unseen = [card for card in range(1, self.highest + 1) if card not in seen]

    def guess(self, kind: str, rng: Random) -> State:
        """A state that fits what was seen, hidden cards dealt at random, waiting for `kind`."""
        hidden = iter(rng.sample(self.unseen, len(self.unseen)))
        zones = {
            zone: tuple([card or next(hidden) for card in cards]) if 0 in cards else cards
            for zone, cards in self.table.zones.items()
        }
        return resume(self.rules, self.table, zones, kind, self.seat)

    def position(self, kind: str) -> Position:
        """What this seat knows, waiting for `kind`, as rollouts start from it; `look` comes first.

        Nothing is guessed: a hidden card is 0.
        """
        table, players = self.table, self.table.players
        made = Position(
            rules=self.rules,
            players=players,
            seat=self.seat,
            kind=kind,
            hands=[list(cards) for cards in _each(table.zones, "hand", players)],
            unseen=self.unseen[:],
            points=[0] * players,
            start_seat=table.start_seat,
        )
        _describe(made, table)
        return made

    def rollouts(
        self,
        kind: str,
        choices: Sequence[Choice],
        budget: int,
        seed: int,
        *,
        own: Policy = UNIFORM_POLICY,
        others: Policy = UNIFORM_POLICY,
        hints: Sequence[Hint] = (),
        expected: Expected = NOTHING,
        halving: bool = False,
        pure: bool | None = None,
    ) -> Rollouts:
        """Play every choice on from the same guesses, about `budget` times in all; see `Rollouts`.

        It runs on the compiled core where there is one, else in pure Python, and gives the same
        numbers for the same seed; while the core runs, other threads go on.
        """
        self.look()
        return rollouts(
            self.position(kind), choices, budget, seed,
            own=own, others=others, hints=hints, expected=expected, halving=halving, pure=pure,
        )  # fmt: skip


def _highest(rules: Rules, players: int) -> int:
    """The highest card that is in play."""
    if isinstance(rules, SixNimmt):
        return rules.highest_card(players)
    return LAST_CARD[rules.name]


def _describe(made: Position, table: Table) -> None:
    """What lies on the table beside the hands."""
    zones, players, name = table.zones, table.players, made.rules.name
    if name == "eleven-nimmt":
        numbers = sorted(int(zone[5:]) for zone in zones if zone.startswith("pile:"))
        made.piles = {number: list(zones[f"pile:{number}"]) for number in numbers}
        made.draw = list(zones.get("draw", ()))
        made.bull_cards = list(table.bull_cards)
        made.bull_pool = table.bull_pool
        return
    made.rows = [list(row) for row in _each(zones, "row", 4) if row]
    made.laid = [zones.get(f"play:{seat}", (0,))[0] for seat in range(players)]
    if name == "six-nimmt":
        made.pool = list(zones.get("pool", ()))
        made.points = [heads(pile) for pile in _each(zones, "bull", players)]
    else:
        made.taken = list(zones.get(f"taken:{made.seat}", ()))
        made.x_rows = [list(row) for row in _each(zones, "xrow", players)]
        made.x_piles = [list(pile) for pile in _each(zones, "xpile", players)]


def resume(rules: Rules, table: Table, zones: dict[str, Cards], kind: str, seat: int) -> State:
    """A state with these cards, in which `seat` is asked for `kind`; it ends with its round."""
    if isinstance(rules, SixNimmt):
        state: State = _six(rules, table.players, zones, kind, seat)
    elif isinstance(rules, ElevenNimmt):
        state = _eleven(rules, table, zones, kind, seat)
    elif isinstance(rules, XNimmt):
        state = _x(rules, table.players, zones, kind, seat)
    else:
        raise TypeError(f"cannot resume a game of {rules!r}")
    state.round_no = table.round_no
    state.start_seat = table.start_seat
    state.turn = table.turn
    state.totals = table.totals
    return state


def _hands(zones: dict[str, Cards], players: int) -> list[Cards]:
    return [tuple(sorted(zones.get(f"hand:{seat}", ()))) for seat in range(players)]


def _each(zones: dict[str, Cards], name: str, count: int) -> list[Cards]:
    return [zones.get(f"{name}:{number}", ()) for number in range(count)]


def _lay(state: RowsState, zones: dict[str, Cards]) -> None:
    """The cards laid in this turn as far as they lie in no row yet, else 0 for a seat's card."""
    laid = [zones.get(f"play:{seat}", (0,))[0] for seat in range(state.players)]
    state.revealed = tuple(laid) if any(laid) else ()
    state.to_place = sorted([card for card in laid if card])


def _six(
    rules: SixNimmt, players: int, zones: dict[str, Cards], kind: str, seat: int
) -> SixNimmtState:
    state = SixNimmtState(rules, players, None)
    state.hands = _hands(zones, players)
    state.rows = [row for row in _each(zones, "row", 4) if row]
    state.sort_rows()
    state.bull_piles = _each(zones, "bull", players)
    state.points = [heads(pile) for pile in state.bull_piles]
    state.pool = zones.get("pool", ())
    _lay(state, zones)
    asked = range(players) if kind == CARD else (seat,)
    state.pending = dict.fromkeys(asked, Ask(_one_of(kind, CARD, ROW, DRAFT)))
    return state


def _x(rules: XNimmt, players: int, zones: dict[str, Cards], kind: str, seat: int) -> XNimmtState:
    state = XNimmtState(rules, players, None)
    state.hands = _hands(zones, players)
    state.rows = _each(zones, "row", 3)
    state.sort_rows()
    state.x_rows = _each(zones, "xrow", players)
    state.x_piles = _each(zones, "xpile", players)
    state.taken = zones.get(f"taken:{seat}", ())
    _lay(state, zones)
    state.points = [
        heads(hand) + 2 * heads(pile) for hand, pile in zip(state.hands, state.x_piles, strict=True)
    ]
    state.points[seat] += heads(state.taken)
    asked = range(players) if kind == CARD else (seat,)
    state.pending = dict.fromkeys(asked, Ask(_one_of(kind, CARD, ROW, X_CARD)))
    return state


def _eleven(
    rules: ElevenNimmt, table: Table, zones: dict[str, Cards], kind: str, seat: int
) -> ElevenNimmtState:
    state = ElevenNimmtState(rules, table.players, None)
    state.hands = _hands(zones, table.players)
    numbers = sorted(int(zone[5:]) for zone in zones if zone.startswith("pile:"))
    state.piles = {number: zones[f"pile:{number}"] for number in numbers}
    state.next_pile = max(numbers, default=-1) + 1
    state.draw = zones.get("draw", ())
    state.bull_cards = list(table.bull_cards)
    state.bull_pool = table.bull_pool
    state.points = [heads(hand) for hand in state.hands]
    state.pending = {seat: Ask(_one_of(kind, TURN, STEAL))}
    return state


def _one_of(kind: str, *known: str) -> str:
    if kind not in known:
        raise ValueError(f"got the decision {kind!r}, expected one of {known}")
    return kind
