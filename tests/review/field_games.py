"""Games in which seats play the field policy, recorded as replays. No test is here."""

from collections.abc import Callable, Mapping
from typing import Any

import nimmt
from nimmt import Choice, KeyedBoard, Rules, View, commitment, key_from_seed
from nimmt.core.field import Legal, field_policy, play
from nimmt.generator import Generator
from nimmt.replay import BY_BOT, BY_FORCED, Circumstances, Decision, Player, Recorder
from nimmt.simple import SIMPLE

Chooser = Callable[[str, View, Legal], Choice]


def field_player(rng: Generator) -> Chooser:
    """Plays the field policy, with its share of uniform play."""
    policy = field_policy()
    return lambda kind, view, legal: play(policy, kind, view, legal, rng)


def field_game(
    rules: Rules,
    players: int,
    board: int,
    others: Mapping[int, str] | None = None,
    seed: int = 1,
    again: int = 0,
) -> dict[str, Any]:
    """A game of field players, with simple players in some seats, as a replay; `again`: the same
    cards once more, played with other random numbers."""
    key = key_from_seed(seed)
    state = rules.start(players, KeyedBoard(key, board))
    choosers: list[Chooser] = [
        field_player(Generator.stream(seed, board, 10_000 * again + 1000 + seat))
        for seat in range(players)
    ]
    for seat, name in (others or {}).items():
        choosers[seat] = SIMPLE[name](Generator.stream(seed, board, 2000 + seat))
    recorder = Recorder(state)
    while state.pending:
        choices = {}
        decisions = []
        for seat, ask in state.pending.items():
            forced = state.forced(seat)
            legal = state.legal(seat)
            choice = forced
            if choice is None:
                choice = state.canonical(seat, choosers[seat](ask.kind, state.view(seat), legal))
            by = BY_BOT if forced is None else BY_FORCED
            choices[seat] = choice
            decisions.append(Decision(seat, ask.kind, choice, by))
        recorder.record(decisions)
        state.apply(choices)
    about = Circumstances(
        match="field", board=board, started="1970-01-01T00:00:00Z", runner="in-process",
        players=[Player(bot=f"field/{seat}") for seat in range(players)], key=key,
        commitment=commitment(key),
    )  # fmt: skip
    return recorder.document(about)


ONE_ROUND = nimmt.get("six-nimmt", {"rounds": 1})
