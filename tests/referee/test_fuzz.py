"""Random messages in random order: the pass ends, the opponent is unharmed, nothing raises."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nimmt.verify import verify
from referee.clock import LagMeter, Thinkers
from referee.plan import MatchPlan
from referee.room import Room
from tests.referee.simulation import house_answer, make_plan
from wire.v1 import bot_pb2 as pb

numbers = st.integers(-(2**31), 2**31 - 1)
piles = st.builds(pb.PileCards, pile=numbers, cards=st.lists(numbers, max_size=5))
choices = st.one_of(
    st.just({}),
    *[st.fixed_dictionaries({name: numbers}) for name in ("card", "row", "draft", "x_card")],
    *[st.fixed_dictionaries({name: numbers}) for name in ("steal", "take")],
    st.fixed_dictionaries({"play": st.builds(pb.Play, piles=st.lists(piles, max_size=4))}),
)
OPEN = "an ask that is open"
ids = st.one_of(st.just(OPEN), st.integers(0, 2**64 - 1))
answers = st.lists(st.tuples(ids, choices, st.text(max_size=10)), max_size=4)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("bytes"), st.binary(max_size=60)),
        st.tuples(st.just("answers"), answers),
        st.tuples(st.just("honest"), st.none()),
        st.tuples(st.just("hello"), st.integers(0, 2**32 - 1)),
        st.tuples(st.just("failure"), st.text(max_size=20)),
        st.tuples(st.just("second"), st.text(max_size=20)),
        st.tuples(st.just("cut"), st.integers(1, 30)),
    ),
    max_size=25,
)
Script = list[tuple[str, Any]]


class Fuzzed:
    """A room without sockets, whose first bot does anything and whose second is honest."""

    def __init__(self, plan: MatchPlan) -> None:
        self.news: list[dict[str, Any]] = []
        lag = LagMeter(time.monotonic())
        folders = [Path("/nowhere/0"), Path("/nowhere/1")]
        self.room = Room(plan, 0, folders, 0o600, self.news.append, Thinkers(None), lag)
        self.room.may_begin = True
        self.room._to_start = []
        self.open: list[pb.Ask] = []

    def receive(self, bot: int) -> list[pb.Ask]:
        """What the referee has sent to a bot by now."""
        if not self.room._bells[bot].heard():
            return []
        data = self.room.play.compose(bot)
        if data is None:
            return []
        self.room.play.sent(bot, time.monotonic())
        return list(pb.ToBot.FromString(data).asks.asks)

    def send(self, bot: int, message: pb.FromBot) -> None:
        self.room.message(bot, message.SerializeToString())

    def honest_turn(self, bot: int, asks: list[pb.Ask]) -> None:
        if asks:
            said = pb.Answers(answers=[house_answer(ask) for ask in asks])
            self.send(bot, pb.FromBot(answers=said))

    def pick(self, given: object) -> int:
        if given != OPEN:
            return int(str(given))
        return self.open[0].ask_id if self.open else 1

    def step(self, what: str, detail: Any) -> None:
        self.open += self.receive(0)
        match what:
            case "bytes":
                self.room.message(0, detail)
            case "answers":
                said = [
                    pb.Answer(ask_id=self.pick(given), note=note, **choice)
                    for given, choice, note in detail
                ]
                self.send(0, pb.FromBot(answers=pb.Answers(answers=said)))
            case "honest":
                asks, self.open = self.open, []
                self.honest_turn(0, asks)
            case "hello":
                self.send(0, pb.FromBot(hello=pb.Hello(max_batch=detail)))
            case "failure":
                self.send(0, pb.FromBot(failure=pb.Failure(error=detail)))
            case "second":
                self.room.second_call(0, detail)
            case "cut":
                whole = pb.FromBot(hello=pb.Hello(sdk="x" * 30, rules=["six-nimmt"]))
                self.room.message(0, whole.SerializeToString()[:detail])
        self.honest_turn(1, self.receive(1))

    def finish(self) -> None:
        """The process of the first bot ends, and the honest one plays on alone."""
        self.room.ended(0, None)
        self.room.gone(0, {"how": "exited", "code": 1, "signal": None})
        for _ in range(10_000):
            if self.room.play.over:
                return
            self.honest_turn(1, self.receive(1))
        raise AssertionError("the pass does not end")


async def fuzz(rules: str, script: Script) -> None:
    plan = make_plan(2, 3, rules)
    fuzzed = Fuzzed(plan)
    fuzzed.send(1, pb.FromBot(hello=pb.Hello(max_batch=8)))
    for what, detail in script:
        fuzzed.step(what, detail)
    fuzzed.finish()
    games = [news for news in fuzzed.news if news["type"] == "game"]
    assert len(games) == 3
    for news in games:
        verify(json.loads(news["replay"]))
        game = news["game"]
        assert not game["out"][game["seats"].index(1)]
    faults = [news["fault"] for news in fuzzed.news if news["type"] == "fault"]
    assert {fault["bot"] for fault in faults} <= {0}
    assert all(fault["cause"] for fault in faults)
    for task in list(fuzzed.room._tasks):
        task.cancel()
    await asyncio.gather(*fuzzed.room._tasks, return_exceptions=True)


@given(st.sampled_from(["six-nimmt", "eleven-nimmt", "x-nimmt"]), steps)
def test_whatever_a_bot_sends_the_pass_ends_and_nobody_else_is_harmed(
    rules: str,
    script: Script,
) -> None:
    asyncio.run(fuzz(rules, [("hello", 4), *script]))


@given(steps)
def test_whatever_a_bot_sends_first_the_pass_ends_too(script: Script) -> None:
    asyncio.run(fuzz("six-nimmt", script))
