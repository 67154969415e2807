"""Asks and choices: what a seat is asked, and the answers that are more than a number."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from nimmt.errors import IllegalChoice, shorten

CARD = "card"
ROW = "row"
DRAFT = "draft"
X_CARD = "x_card"
STEAL = "steal"
TURN = "turn"
KINDS = (CARD, ROW, DRAFT, X_CARD, STEAL, TURN)

# The generated constructor of a named tuple costs more than the tuple itself; where one is made
# for every card laid or every seat asked, it is made directly.
new_tuple = tuple.__new__

HIGHEST = 100
WINDOW = 10
"""11 nimmt!: a card fits on a pile when it lies one to ten above the top, 1 following 100."""


class Ask(NamedTuple):
    """One question to one seat. What may be answered is `state.legal(seat)`."""

    kind: str


class Take(NamedTuple):
    """11 nimmt!: take this pile into the hand."""

    pile: int


class Play(NamedTuple):
    """11 nimmt!: lay these cards on these piles, `Play({pile: [card, …]})`."""

    cards: Mapping[int, Sequence[int]]


Choice = int | Take | Play
"""A number for every kind but `turn`."""


def gap(card: int, top: int) -> int:
    """How far a card lies above the top of a pile, counting on from 100 to 1.

    >>> gap(5, 98), gap(98, 98), gap(97, 98)
    (7, 0, 99)
    """
    return (card - top) % 100


C = TypeVar("C", tuple[int, ...], list[int])


def fitting(hand: C, top: int) -> C:
    """The cards of an ascending hand that fit on this top, by ascending gap.

    >>> fitting((3, 6, 7, 96, 97, 99), 96)
    (97, 99, 3, 6)
    """
    upto = top + WINDOW
    if upto <= HIGHEST:
        return hand[bisect_right(hand, top) : bisect_right(hand, upto)]
    return hand[bisect_right(hand, top) :] + hand[: bisect_right(hand, upto - HIGHEST)]


def fitting_piles(
    hand: tuple[int, ...], piles: Mapping[int, Sequence[int]]
) -> dict[int, tuple[int, ...]]:
    """For each pile that takes any card of the ascending hand: those cards, by ascending gap."""
    fits: dict[int, tuple[int, ...]] = {}
    held = len(hand)
    for number, pile in piles.items():
        # This is asked of every pile in every turn, so the common case is written out.
        top = pile[-1]
        upto = top + WINDOW
        if upto <= HIGHEST:
            low = bisect_right(hand, top)
            if low < held and hand[low] <= upto:
                fits[number] = hand[low : bisect_right(hand, upto, low)]
        elif cards := fitting(hand, top):
            fits[number] = cards
    return fits


class TurnOptions(NamedTuple):
    """The legal turns of 11 nimmt!, described instead of listed (there can be millions)."""

    plays: Mapping[int, tuple[int, ...]]
    """For each pile that takes any card of the hand: those cards, by ascending gap."""
    max_piles: int
    """On how many different piles the seat may play in this turn."""
    many: bool
    """Whether more than one card may be played at all (with a bull card)."""
    takes: tuple[int, ...]
    """The piles, any one of which may be taken."""

    @property
    def only(self) -> Take | None:
        """The one legal choice, where there is just one."""
        return Take(self.takes[0]) if len(self.takes) == 1 and not self.plays else None

    def single_plays(self) -> Iterator[Play]:
        """Every play of one card."""
        for pile, cards in self.plays.items():
            for card in cards:
                yield Play({pile: (card,)})

    def sensible(self) -> Iterator[Choice]:
        """A short list for search bots: single cards, all that fits on one pile, the most piles
        at once, and every take."""
        yield from self.single_plays()
        if self.many:
            for pile, cards in self.plays.items():
                if len(cards) > 1:
                    yield Play({pile: cards})
            widest = self.widest_play()
            if widest is not None and len(widest.cards) > 1:
                yield widest
        for pile in self.takes:
            yield Take(pile)

    def widest_play(self) -> Play | None:
        """The most cards this turn can get rid of, found pile by pile, largest first."""
        left = {pile: list(cards) for pile, cards in self.plays.items()}
        chosen: dict[int, tuple[int, ...]] = {}
        while left and len(chosen) < self.max_piles:
            pile = max(left, key=lambda number: (len(left[number]), -number))
            cards = left.pop(pile)
            if not cards:
                break
            chosen[pile] = tuple(cards if self.many else cards[:1])
            gone = set(chosen[pile])
            left = {p: [card for card in fits if card not in gone] for p, fits in left.items()}
        return Play(chosen) if chosen else None

    def checked(self, seat: int, choice: object) -> Take | Play:
        """The choice in its one canonical form: piles ascending, cards by ascending gap."""
        if type(choice) is Take:
            if type(choice.pile) is int and choice.pile in self.takes:
                return choice
            raise IllegalChoice(seat, TURN, choice, f"a take of one of the piles {self.takes}")
        given = choice.cards if type(choice) is Play else None
        if type(given) is dict and len(given) == 1:
            # Nearly every turn lays a single card, which needs no closer look.
            [(pile, cards)] = given.items()
            single = type(pile) is int and type(cards) is tuple and len(cards) == 1
            if single and type(cards[0]) is int and cards[0] in self.plays.get(pile, ()):
                return new_tuple(Play, ({pile: cards},))
        return self._checked_play(seat, choice, given)

    def _checked_play(self, seat: int, choice: object, given: object) -> Play:
        # A dict is by far the commonest; asking for any Mapping costs ten times as much.
        if type(given) is not dict and not isinstance(given, Mapping):
            raise IllegalChoice(seat, TURN, choice, "Take(pile) or Play({pile: [card, …]})")
        if not 0 < len(given) <= self.max_piles:
            raise IllegalChoice(seat, TURN, choice, f"a play on 1 to {self.max_piles} piles")
        played: dict[int, tuple[int, ...]] = {}
        used: set[int] = set()
        for pile, cards in given.items():
            played[pile] = self._checked_pile(seat, choice, pile, cards, used)
        if len(played) > 1:
            played = dict(sorted(played.items()))
        return new_tuple(Play, (played,))

    def _checked_pile(
        self, seat: int, choice: object, pile: object, cards: object, used: set[int]
    ) -> tuple[int, ...]:
        fits = self.plays.get(pile, ()) if type(pile) is int else ()
        if (type(cards) is not tuple and not isinstance(cards, list | tuple)) or not cards:
            raise IllegalChoice(seat, TURN, choice, "one or more cards for each pile played on")
        if len(cards) > 1 and not self.many:
            raise IllegalChoice(seat, TURN, choice, "a single card, as the seat has no bull card")
        for card in cards:
            if type(card) is not int or card not in fits:
                raise IllegalChoice(
                    seat, TURN, choice, f"on pile {shorten(pile)} only hand cards out of {fits}"
                )
            if card in used:
                raise IllegalChoice(seat, TURN, choice, f"each card once, {card} comes twice")
            used.add(card)
        return tuple(cards) if len(cards) == 1 else tuple([card for card in fits if card in cards])


def choice_to_json(choice: Choice) -> Any:
    """The choice as it stands in a replay."""
    if isinstance(choice, Take):
        return {"take": choice.pile}
    if isinstance(choice, Play):
        return {"play": {str(pile): list(cards) for pile, cards in choice.cards.items()}}
    return choice


def choice_from_json(kind: str, value: object) -> Choice:
    """The choice that stands in a replay; ValueError when it is not written as one."""
    if kind != TURN:
        if type(value) is not int:
            raise ValueError(f"a {kind} choice is a number, got {value!r:.80}")
        return value
    match value:
        case {"take": int(pile), **rest} if not rest and type(pile) is int:
            return Take(pile)
        case {"play": dict(piles), **rest} if not rest:
            return Play({_pile_number(name): cards for name, cards in piles.items()})
    raise ValueError(f'a turn is {{"take": pile}} or {{"play": {{…}}}}, got {value!r:.80}')


def _pile_number(name: object) -> int:
    # "07" or "+7" would be a second spelling of the same pile.
    if isinstance(name, str) and name.isascii() and name.isdigit() and str(int(name)) == name:
        return int(name)
    raise ValueError(f"a pile is named by its number, got {name!r:.40}")
