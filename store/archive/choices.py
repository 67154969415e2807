"""A choice as a number among what was legal; the engine says what that was when it is read."""

from nimmt.choices import Choice, Play, Take, TurnOptions
from store.archive.numbers import Numbers, put
from store.errors import BlobDamaged

Legal = tuple[int, ...] | TurnOptions


def put_choice(legal: Legal, choice: Choice, into: bytearray) -> None:
    """Append a choice; ValueError when it is not one of the legal ones."""
    if not isinstance(legal, TurnOptions):
        put(legal.index(choice), into)
        return
    singles = sum(map(len, legal.plays.values()))
    if isinstance(choice, Take):
        put(singles + legal.takes.index(choice.pile), into)
    elif isinstance(choice, Play):
        _put_play(legal, choice, singles + len(legal.takes), into)


def _put_play(legal: TurnOptions, play: Play, many: int, into: bytearray) -> None:
    """One card is one number; several are told pile by pile, as bits of what fits there."""
    if [len(cards) for cards in play.cards.values()] == [1]:
        [(pile, [card])] = play.cards.items()
        number = 0
        for other, fits in legal.plays.items():
            if other == pile:
                put(number + fits.index(card), into)
                return
            number += len(fits)
    put(many, into)
    put(len(play.cards), into)
    piles = list(legal.plays)
    for pile, cards in play.cards.items():
        put(piles.index(pile), into)
        put(sum(1 << legal.plays[pile].index(card) for card in cards), into)


def take_choice(legal: Legal, numbers: Numbers) -> Choice:
    """The choice that the next numbers stand for; BlobDamaged where they stand for none."""
    number = numbers.take()
    if not isinstance(legal, TurnOptions):
        if number >= len(legal):
            raise BlobDamaged(f"it holds choice {number} of {len(legal)} legal ones")
        return legal[number]
    for pile, fits in legal.plays.items():
        if number < len(fits):
            return Play({pile: (fits[number],)})
        number -= len(fits)
    if number < len(legal.takes):
        return Take(legal.takes[number])
    if number > len(legal.takes):
        raise BlobDamaged("it holds a turn that nobody could take")
    return _take_play(legal, numbers)


def _take_play(legal: TurnOptions, numbers: Numbers) -> Play:
    piles = list(legal.plays)
    played: dict[int, tuple[int, ...]] = {}
    for _ in range(min(numbers.take(), len(piles))):
        at = numbers.take()
        if at >= len(piles):
            raise BlobDamaged(f"it plays on pile {at} of {len(piles)}")
        bits, fits = numbers.take(), legal.plays[piles[at]]
        played[piles[at]] = tuple([card for i, card in enumerate(fits) if bits >> i & 1])
    return Play(played)
