"""What the referee writes, at rest: every game it can produce fits an archive."""

from collections.abc import Callable, Iterable, Sequence

import pytest

from store.archive import Archive, pack
from tests.referee.simulation import Scripted, Simulation, honest, house_answer, make_plan
from wire.v1 import bot_pb2 as pb

ROOM = 1 << 26
RULES = ("six-nimmt", "eleven-nimmt", "x-nimmt")


def spoiled(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
    """Every answer is an illegal choice."""
    return [[pb.Answer(ask_id=ask.ask_id, card=-(2**31)) for ask in asks.asks]]


def halved(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
    """Every second ask is never answered."""
    return [[house_answer(ask) for ask in asks.asks[::2]]]


def noted(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
    """Every answer in a message of its own, with a note."""
    answers = [house_answer(ask) for ask in asks.asks]
    for answer in answers:
        answer.note = "ä" * 50
    return [[answer] for answer in answers]


LAST: dict[str, tuple[Callable[[], Scripted], str | None]] = {
    # The third bot, and what its replays then say.
    "answers in time": (Scripted, None),
    "sleeps": (lambda: Scripted(think_s=2.0), '"kind":"timeout"'),
    "is late and lives": (lambda: Scripted(think_s=0.35), None),
    "dies": (lambda: Scripted(dies_at_ask=4), '"fault":"crashed"'),
    "chooses what is illegal": (lambda: Scripted(answer=spoiled), '"kind":"illegal_choice"'),
    "leaves asks unanswered": (lambda: Scripted(answer=halved), '"kind":"timeout"'),
    "writes notes": (lambda: Scripted(answer=noted), None),
}


@pytest.mark.parametrize("in_flight", [1, 8])
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("last", LAST)
def test_a_pass_comes_back_from_its_archive(last: str, rules: str, in_flight: int) -> None:
    bot, written = LAST[last]
    plan = make_plan(3, 8, rules, in_flight=in_flight)
    run = Simulation(plan, [*honest(2), bot()]).run()
    lines = [game.replay.encode() for game in run.games]
    assert list(Archive(pack(lines, ROOM), ROOM).lines()) == lines
    if written is not None and (last, in_flight) != ("leaves asks unanswered", 1):
        assert any(written.encode() in line for line in lines)


def test_a_pass_in_which_every_bot_is_out_comes_back() -> None:
    run = Simulation(make_plan(2, 4), [Scripted(dies_at_ask=1), Scripted(dies_at_ask=3)]).run()
    lines = [game.replay.encode() for game in run.games]
    assert all(line.count(b'"out":{') == 2 for line in lines[-1:])
    assert list(Archive(pack(lines, ROOM), ROOM).lines()) == lines
