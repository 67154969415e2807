"""Rollouts of the field policy for reviews: guess what is hidden by what the others have chosen so
far, play every candidate on from the same guesses, and add up.

Compiled where the core is there (`field.c`), else on the reference engine, with the same result.
"""

from collections.abc import Callable, Sequence
from ctypes import c_int64, c_uint8
from dataclasses import dataclass, field

from nimmt.cards import HIGHEST
from nimmt.choices import Choice, TurnOptions, fitting_piles
from nimmt.core.field import field_policy, field_turn, likelihood, options_of, play
from nimmt.core.layout import (
    CEvidence,
    pack_choice,
    pack_choices,
    pack_policy,
    pack_position,
)
from nimmt.core.library import CoreError, check, load
from nimmt.core.policies import Policy
from nimmt.core.position import Position
from nimmt.game import State
from nimmt.generator import Generator

NO_CARDS = bytes(HIGHEST + 1)
SWEEPS = 2
"""Proposals for each hidden card between two guesses."""
BURN_IN = 32
"""Guesses that are thrown away at the start of each batch."""
MOST_CANDIDATES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BullTurn:
    """A turn of 11 nimmt! with bull cards, which no table by card can describe."""

    tops: dict[int, int]
    """By number of pile, ascending."""
    held: int
    known: tuple[int, ...]
    """Cards that are known to have been in the hand."""
    choice: Choice

    def likelihood(self, policy: Policy, hidden: Sequence[int]) -> float:
        """phi of the turn, had the seat held these cards too."""
        piles = {number: (top,) for number, top in self.tops.items()}
        hand = tuple(sorted((*self.known, *hidden)))
        legal = TurnOptions(fitting_piles(hand, piles), self.held, True, tuple(piles))
        options = options_of(legal)
        matches = field_turn(self.tops, legal) == self.choice
        return likelihood(policy, matches, len(options), self.choice in options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A choice of another seat that all saw, and how the cards it may have held bear on it."""

    seat: int
    options: int = 1
    """Those that it had whatever is hidden."""
    beaten: bool = False
    """Whether the field policy would not have chosen so, whatever is hidden."""
    beats: bytes = field(default=NO_CARDS, repr=False)
    """By card: whether the policy would have preferred a choice with this one."""
    counts: bytes = field(default=NO_CARDS, repr=False)
    """By card: how many more options it would have given."""
    turn: BullTurn | None = None

    def likelihood(self, policy: Policy, hidden: Sequence[int]) -> float:
        """phi of the choice, had the seat held these cards too."""
        if self.turn is not None:
            return self.turn.likelihood(policy, hidden)
        beaten, options = self.beaten, self.options
        for card in hidden:
            beaten = beaten or bool(self.beats[card])
            options += self.counts[card]
        return likelihood(policy, not beaten, options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """All that a seat knows at a point of a round. The true hidden cards are nowhere in it."""

    position: Position
    """`seat` is the one that knows; hidden cards are 0."""
    asked: int
    """Who is asked now; in a choice of cards, all are."""
    evidence: tuple[Evidence, ...]
    """By seat, ascending."""
    resume: Callable[[list[list[int]], list[int]], State] = field(repr=False, compare=False)
    """A state with these hands and this draw deck."""


@dataclass(frozen=True, slots=True)
class FieldSums:
    """Sums of the seat's points by batch and candidate, and of their squares by candidate."""

    worlds: int
    """In each batch."""
    sums: list[list[int]]
    squares: list[int]


def field_rollouts(
    knowledge: Knowledge,
    choices: Sequence[Choice],
    batches: int,
    worlds: int,
    seed: int,
    *,
    policy: Policy | None = None,
    pure: bool | None = None,
) -> FieldSums:
    """The points of the seat when it makes each of these choices and all play on by the policy;
    with no choices at all, when all play the policy from here on.

    Hidden cards are guessed by the field policy whatever `policy` is. Every batch is a chain of
    guesses of its own, so that the means of batches are independent.
    """
    position = knowledge.position
    if len(choices) > MOST_CANDIDATES:
        raise CoreError(f"got {len(choices)} candidates, expected up to {MOST_CANDIDATES}")
    if position.hidden > len(position.unseen):
        raise CoreError(
            f"got {position.hidden} hidden cards and {len(position.unseen)} that they may be"
        )
    model = field_policy()
    policy = policy or model
    library = load(pure)
    if library is None:
        return _pure(knowledge, choices, batches, worlds, seed, model, policy)
    columns = max(1, len(choices))
    sums, squares = (c_int64 * (batches * columns))(), (c_int64 * columns)()
    table = pack_position(position)
    table.seat = knowledge.asked
    packed = (CEvidence * max(1, len(knowledge.evidence)))()
    for target, evidence in zip(packed, knowledge.evidence, strict=False):
        _pack_evidence(evidence, target)
    answer = library.nimmt_field(
        table, position.seat, (c_uint8 * max(1, len(position.unseen)))(*position.unseen),
        len(position.unseen), packed, len(knowledge.evidence), pack_choices(choices, position),
        len(choices), pack_policy(model), pack_policy(policy), seed, batches, worlds, sums,
        squares,
    )  # fmt: skip
    check(answer, "a review")
    rows = [sums[at : at + columns] for at in range(0, batches * columns, columns)]
    return FieldSums(worlds, rows, list(squares))


def _pack_evidence(evidence: Evidence, target: CEvidence) -> None:
    target.seat = evidence.seat
    target.options = evidence.options
    target.beaten = evidence.beaten
    target.beats[:] = evidence.beats
    target.counts[:] = evidence.counts
    turn = evidence.turn
    if turn is not None:
        target.full = 1
        target.held = turn.held
        target.pile_count = len(turn.tops)
        target.tops[: len(turn.tops)] = list(turn.tops.values())
        for card in turn.known:
            target.known[card] = 1
        pack_choice(turn.choice, list(turn.tops), target.choice)


class _Guesses:
    """A chain of guesses: cards in the places that are hidden, by how likely the others' choices
    would have been with them."""

    def __init__(self, knowledge: Knowledge, model: Policy, rng: Generator) -> None:
        self.position = knowledge.position
        self.model = model
        self.rng = rng
        self.owner: list[int] = []
        self.span: list[tuple[int, int]] = []
        for seat, hand in enumerate(self.position.hands):
            first = len(self.owner)
            self.owner += [seat] * hand.count(0)
            self.span.append((first, len(self.owner)))
        self.evidence: list[list[Evidence]] = [[] for _ in self.position.hands]
        for one in knowledge.evidence:
            self.evidence[one.seat].append(one)
        self.cards = self.position.unseen[:]
        rng.shuffle(self.cards)
        self.learns = bool(knowledge.evidence)
        if self.learns:
            self.weight = [self._weigh(seat) for seat in range(len(self.span))]
            for _ in range(BURN_IN):
                self.advance()

    def _weigh(self, seat: int) -> float:
        first, last = self.span[seat]
        hidden = self.cards[first:last]
        weight = 1.0
        for one in self.evidence[seat]:
            weight *= one.likelihood(self.model, hidden)
        return weight

    def advance(self) -> None:
        """The next guess."""
        if not self.learns:
            self.rng.shuffle(self.cards, self.position.hidden)
            return
        in_hands = len(self.owner)
        for _ in range(in_hands * SWEEPS):
            self._propose()
        if self.position.rules.name == "eleven-nimmt":
            # The order of the draw deck is as likely as any other.
            deck = self.cards[in_hands:]
            self.rng.shuffle(deck)
            self.cards[in_hands:] = deck

    def _propose(self) -> None:
        """Exchange a hidden card with any other; what makes the choices less likely is accepted by
        its share, so that in the long run guesses come by how likely they are."""
        cards, in_hands = self.cards, len(self.owner)
        i, j = self.rng.below(in_hands), self.rng.below(len(cards))
        one, other = self.owner[i], self.owner[j] if j < in_hands else None
        if one == other:
            return
        cards[i], cards[j] = cards[j], cards[i]
        ours = self._weigh(one)
        theirs = 1.0 if other is None else self._weigh(other)
        old = self.weight[one] * (1.0 if other is None else self.weight[other])
        now = ours * theirs
        if now >= old or self.rng.random() * old < now:
            self.weight[one] = ours
            if other is not None:
                self.weight[other] = theirs
        else:
            cards[i], cards[j] = cards[j], cards[i]

    def hands(self) -> tuple[list[list[int]], list[int]]:
        """The hands and the draw deck of this guess."""
        cards = iter(self.cards)
        hands = [[card or next(cards) for card in hand] for hand in self.position.hands]
        return hands, [card or next(cards) for card in self.position.draw]


def _pure(
    knowledge: Knowledge,
    choices: Sequence[Choice],
    batches: int,
    worlds: int,
    seed: int,
    model: Policy,
    policy: Policy,
) -> FieldSums:
    candidates: Sequence[Choice | None] = choices or [None]
    viewer = knowledge.position.seat
    rows = []
    squares = [0] * len(candidates)
    for batch in range(batches):
        guesses = _Guesses(knowledge, model, Generator.stream(seed, batch))
        sums = [0] * len(candidates)
        for world in range(worlds):
            guesses.advance()
            state = knowledge.resume(*guesses.hands())
            for i, choice in enumerate(candidates):
                rng = Generator.stream(seed, batch, 1 + world)
                points = play_round(state.copy(), policy, rng, viewer, choice)
                sums[i] += points
                squares[i] += points * points
        rows.append(sums)
    return FieldSums(worlds, rows, squares)


def play_round(
    state: State, policy: Policy, rng: Generator, viewer: int, first: Choice | None = None
) -> int:
    """The points of a seat in this round when its first choice is the given one, if any, and all
    else the policy's. The state is played to the end of its round."""
    rounds = len(state.scores)
    while len(state.scores) == rounds:
        choices = {}
        for seat, ask in state.pending.items():
            if first is not None and seat == viewer:
                choices[seat] = first
            else:
                legal = state.legal(seat)
                choices[seat] = play(policy, ask.kind, state.view(seat), legal, rng)
        state.apply(choices)
        first = None
    return state.scores[-1][viewer]
