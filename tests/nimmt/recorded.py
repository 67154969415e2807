"""Games written down for the tests of replays: clean ones, and ones with faults and outs."""

import json
from random import Random
from typing import Any

from nimmt import commitment
from nimmt.replay import (
    BY_BOT,
    BY_FORCED,
    BY_HOUSE,
    FAULT_KINDS,
    Circumstances,
    Decision,
    Player,
    Recorder,
)
from tests.nimmt.support import KEY, AnyChoice, Variant, house

Document = dict[str, Any]
MAX_FAULTS = 3


class Failing:
    """Decides for a table of bots, each of which fails with some chance and is out after three."""

    def __init__(self, players: int, rng: Random, fail: float) -> None:
        self.rng = rng
        self.fail = fail
        self.faults: list[list[str]] = [[] for _ in range(players)]
        self.outs: list[dict[str, Any] | None] = [None] * players
        self.choose = AnyChoice(rng, take=0.4)

    def decide(self, recorder: Recorder) -> list[Decision]:
        """One decision for each pending seat, as a referee would write them."""
        state = recorder.state
        round_no, index = recorder.next_index()
        decisions = []
        for at, (seat, ask) in enumerate(sorted(state.pending.items()), index):
            faults = self.faults[seat]
            if len(faults) >= MAX_FAULTS and self.outs[seat] is None:
                self.outs[seat] = {"round": round_no, "decision": at, "fault": faults[-1]}
            only = state.forced(seat)
            if only is not None:
                decision = Decision(seat, ask.kind, only, BY_FORCED)
            elif self.outs[seat]:
                decision = Decision(seat, ask.kind, house(state, seat), BY_HOUSE)
            elif self.rng.random() < self.fail:
                faults.append(self.rng.choice(FAULT_KINDS))
                fault = {"kind": faults[-1], "sent": self.rng.choice([None, 0, "?", {"take": -1}])}
                decision = Decision(seat, ask.kind, house(state, seat), BY_HOUSE, 2.5, 1, fault)
            else:
                choice = state.canonical(seat, self.choose(state, seat))
                decision = Decision(seat, ask.kind, choice, BY_BOT, 0.25, 64)
            decisions.append(decision)
        return decisions


def record(
    variant: Variant, players: int, board: int = 0, fail: float = 0.0, keyed: bool = True
) -> Document:
    """One game as a document that has been through JSON."""
    state = variant.start(players, board)
    recorder = Recorder(state)
    bots = Failing(players, Random(f"{variant.label} {players} {board}"), fail)
    while state.pending:
        decisions = bots.decide(recorder)
        recorder.record(decisions)
        state.apply({decision.seat: decision.choice for decision in decisions})
    about = Circumstances(
        match="m-1",
        board=board,
        started="2026-01-31T12:00:00Z",
        runner="docker",
        players=[
            Player(bot=f"ada/bot-{seat}", version=seat + 1, image=None, out=out)
            for seat, out in enumerate(bots.outs)
        ],
        key=KEY if keyed else None,
        commitment=commitment(KEY),
        move_ms=100,
        bank_ms=1000,
    )
    document: Document = json.loads(json.dumps(recorder.document(about)))
    return document
