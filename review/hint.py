"""A hint: what each choice would cost, by what the seat was shown and nothing else.

Events as they were sent to the seat go in, so there is no hidden card that could come out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from nimmt.choices import TurnOptions
from nimmt.core.field_rollouts import Knowledge
from nimmt.core.library import load
from nimmt.events import Event
from nimmt.game import Rules
from nimmt.search import Memory
from review.values import Alternative, Judge
from review.witness import resumed

HINT_ROLLOUTS = 24_000
"""On the compiled core: a fraction of a second."""
PURE_ROLLOUTS = 1_500
"""Without it: about a second, and a larger error, which is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What every choice would cost: expected points of the round, fewest first."""

    alternatives: list[Alternative]
    complete: bool
    """Whether these are all legal choices."""


def advise(
    rules: Rules,
    players: int,
    seat: int,
    events: Iterable[Event],
    kind: str,
    legal: Sequence[int] | TurnOptions,
    *,
    seed: int = 0,
    rollouts: int | None = None,
    pure: bool | None = None,
) -> Advice:
    """Estimate every choice of a seat that is asked for `kind` now.

    Hidden cards are guessed among those that the seat has not seen, all alike; from there on
    everybody plays as in a review.
    """
    memory = Memory(rules, players, seat)
    for event in events:
        memory.see(event)
    memory.look()
    table = replace(memory.table, zones=dict(memory.table.zones))
    knowledge = Knowledge(
        position=memory.position(kind),
        asked=seat,
        evidence=(),
        resume=partial(resumed, rules, table, kind, seat),
    )
    if rollouts is None:
        rollouts = PURE_ROLLOUTS if load(pure) is None else HINT_ROLLOUTS
    found = Judge(rollouts=rollouts, pure=pure).weigh(knowledge, legal, seed)
    return Advice(
        alternatives=found,
        complete=not (isinstance(legal, TurnOptions) and legal.many),
    )
