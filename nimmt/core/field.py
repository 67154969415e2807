"""The field policy: how an ordinary player would choose, one named function for each of the rules.

`field.c` is the same in C, choice for choice. It looks at a seat's own view alone and is never
fitted to the table at hand. With a share epsilon it plays uniformly, so that no choice is
impossible. A review measures decisions against it; a change gives a policy a new name.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nimmt import choices as kinds
from nimmt.cards import HEADS, heads
from nimmt.choices import Choice, Play, Take, TurnOptions, gap
from nimmt.core.policies import RISK_STEPS, RISKS, Policy
from nimmt.generator import Generator
from nimmt.views import ElevenNimmtView, SixNimmtView, View, XNimmtView

Legal = Sequence[int] | TurnOptions
FIELD_NAMES = {
    "six-nimmt": "slot-risk/1",
    "x-nimmt": "x-slot-risk/1",
    "eleven-nimmt": "small-gap/1",
}
"""By the name of the rules. The number goes up when a policy would choose differently."""
EPSILON = 0.05
TIE_STEPS = 128
"""Keys are 128 x a risk plus a distance below it."""
X_HOLDS = (2, 3, 4)
SIX_HOLDS = (5, 5, 5, 5)


@dataclass(frozen=True, slots=True)
class Rows:
    """What everyone sees in a turn of 6 nimmt! or X nimmt!: rows by their ends, cards to come."""

    tails: tuple[int, ...]
    room: tuple[int, ...]
    """How many more cards each row can hold."""
    cost: tuple[int, ...]
    hidden: int
    """The cards that lie in no row and no pile that a view shows, as bits; own hands too."""
    chance: int
    """8 x 2^16 x the number of others / the cards that may be theirs."""

    @classmethod
    def of(cls, view: SixNimmtView | XNimmtView) -> "Rows":
        """The rows of a view. What it holds is the same for all seats with equally large hands."""
        holds = SIX_HOLDS if isinstance(view, SixNimmtView) else X_HOLDS
        order = sorted(range(len(view.rows)), key=lambda index: view.rows[index][-1])
        hidden = _hidden(view)
        unseen = hidden.bit_count() - len(view.hand)
        return cls(
            tuple([view.rows[index][-1] for index in order]),
            tuple([holds[index] - len(view.rows[index]) for index in order]),
            tuple([heads(view.rows[index]) for index in order]),
            hidden,
            ((view.players - 1) * 8 << 16) // unseen if unseen > 0 else 0,
        )

    def key(self, card: int) -> int:
        """How bad it is to lay this card now: heads at stake, then the distance to its row."""
        at = -1
        for tail in self.tails:
            at += tail < card
        if at < 0:
            return 255 * min(self.cost) * TIE_STEPS
        tail = self.tails[at]
        between = (self.hidden & ((1 << card) - 1)) >> (tail + 1)
        expected = min(between.bit_count() * self.chance >> 16, RISK_STEPS - 1)
        return RISKS[self.room[at]][expected] * self.cost[at] * TIE_STEPS + card - tail - 1


def _hidden(view: SixNimmtView | XNimmtView) -> int:
    if isinstance(view, SixNimmtView):
        highest = 10 * view.players + 4 if view.hands else 104
        seen = (*view.rows, *view.bull_piles)
    else:
        highest = 100
        seen = (*view.rows, *view.x_rows)
    hidden = (1 << (highest + 1)) - 2
    for cards in seen:
        for card in cards:
            hidden &= ~(1 << card)
    return hidden


def field_choice(kind: str, view: View, legal: Legal) -> Choice:
    """What the field policy plays, apart from its share of uniform play."""
    if isinstance(legal, TurnOptions):
        assert isinstance(view, ElevenNimmtView)
        return field_turn({pile.number: pile.top for pile in view.piles}, legal)
    if kind == kinds.CARD:
        assert not isinstance(view, ElevenNimmtView)
        return min(legal, key=Rows.of(view).key)
    if kind == kinds.ROW:
        assert not isinstance(view, ElevenNimmtView)
        return min(legal, key=lambda index: (heads(view.rows[index]), index))
    if kind == kinds.X_CARD:
        assert isinstance(view, XNimmtView)
        last = view.x_rows[view.seat][-1:] or (0,)
        # The lowest card that keeps the X row; if none does, the lowest begins a new one.
        return min(legal, key=lambda card: (card < last[0], card))
    # The middle of a draft's pool has neither low cards, which take rows, nor only one kind.
    return legal[len(legal) // 2] if kind == kinds.DRAFT else min(legal)


def field_turn(tops: dict[int, int], legal: TurnOptions) -> Choice:
    """11 nimmt!: with bull cards the most cards at once, else the smallest gap, else a cheap take.

    A view shows only the tops: of the piles with the cheapest top the newest is taken, which is
    the likeliest to be a single card.
    """
    if not legal.plays:
        return Take(min(legal.takes, key=lambda number: (HEADS[tops[number]], -number)))
    if legal.many:
        widest = legal.widest_play()
        if widest is not None and sum(map(len, widest.cards.values())) > 1:
            return Play(dict(sorted(widest.cards.items())))
    closest = {pile: gap(cards[0], tops[pile]) for pile, cards in legal.plays.items()}
    pile = min(closest, key=lambda number: (closest[number], number))
    return Play({pile: legal.plays[pile][:1]})


def options_of(legal: Legal) -> list[Choice]:
    """What uniform play chooses from: everything legal; in 11 nimmt! the sensible turns."""
    if not isinstance(legal, TurnOptions):
        return list(legal)
    return [
        Play(dict(sorted(choice.cards.items()))) if isinstance(choice, Play) else choice
        for choice in legal.sensible()
    ]


def field_policy(epsilon: float = EPSILON) -> Policy:
    """The field policy as rollouts take it; with an epsilon of 1 it is uniform play."""
    return Policy.uniform() if epsilon == 1 else Policy.greedy("slot_risk", epsilon)


def play(policy: Policy, kind: str, view: View, legal: Legal, rng: Generator) -> Choice:
    """One choice at random: f, or with the policy's share of uniform play any option."""
    if isinstance(legal, TurnOptions):
        if legal.only is not None:
            return legal.only
    elif len(legal) == 1:
        return legal[0]
    if policy.kind and rng.bits() >> 32 >= policy.epsilon:
        return field_choice(kind, view, legal)
    options = options_of(legal)
    return options[(rng.bits() >> 32) * len(options) >> 32]


def likelihood(policy: Policy, matches: bool, options: int, inside: bool = True) -> float:
    """phi of a choice: whether f makes it, and among how many options uniform play draws."""
    share = policy.epsilon * 2.0**-32 if policy.kind else 1.0
    if matches:
        return (1.0 - share) + share / options
    return share / (options if inside else options + 1)
