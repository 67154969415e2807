"""A review told in words: the ledger of every seat, and its costliest decisions.

People count from 1, reviews from 0: rounds, turns, seats, rows and piles are one higher here.
"""

from collections.abc import Iterator

from cli.local import printable
from nimmt.choices import Choice, Play, Take
from review import BAND, Ledger, Review, Step, total

COSTLIEST = 3
_DID = {
    "card": "laid {}",
    "row": "took row {}",
    "draft": "drafted {}",
    "x_card": "put {} in the X row",
    "steal": "stole from seat {}",
}


def tell_review(review: Review) -> Iterator[str]:
    """The review line by line."""
    settings = review.settings
    yield (
        f"Reviewed by {review.policy}, {review.rollouts:,} rollouts (up to {settings.rollouts:,}"
        f" a decision), seed {settings.seed}. Heads; fewer is better, below 0 is a gain."
    )
    yield f"{'':34}{'points':>7}{'hand':>8}{'decisions':>15}{'faults':>8}{'luck*':>8}"
    for seat in review.seats:
        name = printable(review.document["players"][seat]["bot"])
        yield _booked(f"seat {seat + 1}: {name}", total(one.ledgers[seat] for one in review.rounds))
    yield "* luck and the others: everything that happened between the seat's own decisions"
    for seat in review.seats:
        yield from _costliest(review, seat)


def _booked(name: str, booked: Ledger) -> str:
    heads = [value / 1000 for value in (booked.hand, booked.decisions, booked.faults, booked.luck)]
    decisions = f"{heads[1]:+.1f} ± {booked.errors['decisions']:.1f}"
    return (
        f"  {name[:31]:<32}{booked.points // 1000:>7}{heads[0]:>8.1f}{decisions:>15}"
        f"{heads[2]:>+8.1f}{heads[3]:>+8.1f}"
    )


class Worst:
    """The costliest decisions of each bot over many games, for whoever asks what to mend first."""

    def __init__(self) -> None:
        self._games = 0
        self._found: dict[str, list[tuple[str, int, Step]]] = {}

    def add(self, label: str, review: Review) -> None:
        """One more game; only what may still be shown is kept."""
        self._games += 1
        for seat in review.seats:
            name = printable(review.document["players"][seat]["bot"])
            kept = self._found.setdefault(name, [])
            where = f"{label}, seat {seat + 1}, "
            kept += [(where, number, step) for number, step in _worst(review, seat)]
            kept.sort(key=lambda one: _order(one[2]))
            del kept[COSTLIEST:]

    def lines(self) -> Iterator[str]:
        """Line by line; nothing after a single game, which has told its own."""
        if self._games < 2:
            return
        yield ""
        yield f"The costliest decisions of all {self._games} games:"
        for name, kept in self._found.items():
            none = "" if kept else " no decision that is worse than the best beyond doubt"
            yield f"{name}:{none}"
            yield from (_decision(number, step, where) for where, number, step in kept)


def _worst(review: Review, seat: int) -> list[tuple[int, Step]]:
    """The decisions of a seat that cost most, each with its round, those beyond doubt first."""
    steps = [
        (number, step)
        for number, part in enumerate(review.rounds)
        for step in part.steps
        if step.seat == seat and _clear(step)
    ]
    return sorted(steps, key=lambda pair: _order(pair[1]))[:COSTLIEST]


def _order(step: Step) -> tuple[bool, float]:
    return not step.judgement.mistake, -step.judgement.loss.value


def _costliest(review: Review, seat: int) -> Iterator[str]:
    steps = _worst(review, seat)
    yield ""
    if not steps:
        yield f"Seat {seat + 1}: no decision that is worse than the best beyond doubt."
        return
    yield f"Costliest decisions of seat {seat + 1}:"
    for number, step in steps:
        yield _decision(number, step)
        if step.hindsight is not None:
            back = step.hindsight
            yield (
                f"      in hindsight, with all hands open: {_did(step.kind, back.best)} was best,"
                f" {back.loss.value:.1f} ± {back.loss.error:.1f} better"
            )


def _clear(step: Step) -> bool:
    """Inside the band a loss counts as none."""
    loss = step.judgement.loss
    return loss.value > BAND * loss.error


def _decision(number: int, step: Step, where: str = "") -> str:
    one = step.judgement
    considered = "" if one.complete else f" of {len(one.alternatives)} considered"
    by = " (the platform chose)" if step.by == "house" else ""
    doubt = "" if one.mistake else "; no mistake if all play at random"
    return (
        f"  {one.loss.value:.1f} ± {one.loss.error:.1f}  "
        f"{where}round {number + 1}, turn {step.turn + 1}: "
        f"{_did(step.kind, step.choice)}{by}, which promises {one.q.value:.1f}; "
        f"best{considered}: {_did(step.kind, one.best)}{doubt}"
    )


def _did(kind: str, choice: Choice) -> str:
    if isinstance(choice, Take):
        return f"took pile {choice.pile + 1}"
    if isinstance(choice, Play):
        laid = [f"{' '.join(map(str, cards))} on pile {n + 1}" for n, cards in choice.cards.items()]
        return f"laid {', '.join(laid)}"
    if kind in ("row", "steal") and isinstance(choice, int):
        return _DID[kind].format(choice + 1)
    return _DID[kind].format(choice)
