"""Misbehaving bots, one function each; `python animals.py NAME` is a real process."""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from queue import Queue
from typing import TYPE_CHECKING, Any, NoReturn

import grpc

from nimmt.house import house_choice
from wire import codec
from wire.v1 import bot_pb2 as pb

sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120 - a bot starts quickly

if TYPE_CHECKING:
    from tests.referee.zoo import h2
else:
    import h2

ANIMALS: dict[str, Callable[[], object]] = {}
METHOD = "/bullring.v1.Referee/Play"
FOREVER = 3600.0


def animal(behave: Callable[[], object]) -> Callable[[], object]:
    ANIMALS[behave.__name__] = behave
    return behave


def channel() -> grpc.Channel:
    return grpc.insecure_channel(os.environ["BULLRING_REFEREE"])


class Line:
    """One call: `send` messages, iterate over what comes."""

    def __init__(self, max_batch: int = 8, on: grpc.Channel | None = None) -> None:
        self.queue: Queue[pb.FromBot | bytes | None] = Queue()
        self.channel = on or channel()
        method = self.channel.stream_stream(
            METHOD,
            request_serializer=lambda m: m if isinstance(m, bytes) else m.SerializeToString(),
            response_deserializer=pb.ToBot.FromString,
        )
        # A place that was free a moment ago may not be known to be free yet.
        self.call = method(iter(self.queue.get, None), wait_for_ready=True)
        self.max_batch = max_batch

    def send(self, message: pb.FromBot | bytes | None) -> None:
        self.queue.put(message)

    def hello(self) -> "Line":
        self.send(pb.FromBot(hello=pb.Hello(sdk="zoo", max_batch=self.max_batch)))
        return self

    def asks(self) -> Iterator[pb.Asks]:
        with contextlib.suppress(grpc.RpcError):
            for message in self.call:
                if message.HasField("asks"):
                    yield message.asks
                if message.HasField("goodbye"):
                    self.send(None)
                    return

    def answer(self, answers: list[pb.Answer]) -> None:
        self.send(pb.FromBot(answers=pb.Answers(answers=answers)))


def honest(ask: pb.Ask) -> pb.Answer:
    kind = codec.KIND_FROM_WIRE[ask.kind]
    answer = pb.Answer(ask_id=ask.ask_id)
    choice = house_choice(kind, codec.view_from_wire(ask), codec.legal_from_wire(ask))
    codec.fill_choice(answer, kind, choice)
    return answer


def play(spoil: Callable[[pb.Ask], pb.Answer | None], max_batch: int = 8) -> None:
    """Answer everything, each ask in the animal's own way."""
    line = Line(max_batch).hello()
    for asks in line.asks():
        answers = [spoil(ask) for ask in asks.asks]
        line.answer([answer for answer in answers if answer is not None])


def wait() -> NoReturn:
    time.sleep(FOREVER)
    sys.exit()


@animal
def good_citizen() -> None:
    play(honest)


@animal
def never_connects() -> None:
    wait()


@animal
def connects_and_says_nothing() -> None:
    line = Line()
    for _ in line.asks():
        pass
    wait()


@animal
def calls_twice() -> None:
    first = Line()
    first.hello()
    for number, asks in enumerate(first.asks()):
        if number == 0:
            second = Line(on=first.channel).hello()
            with contextlib.suppress(grpc.RpcError):
                list(second.call)
        first.answer([honest(ask) for ask in asks.asks])


@animal
def dials_again_after_hanging_up() -> None:
    first = channel()
    grpc.channel_ready_future(first).result(timeout=10)
    first.close()
    play(honest)


@animal
def buys_lag_with_connections() -> None:
    line = Line()
    grpc.channel_ready_future(line.channel).result(timeout=10)

    def ping() -> None:
        with contextlib.suppress(OSError), contextlib.closing(h2.connect()) as wire:
            wire.sendall(h2.PREFACE + h2.settings())
            for _ in range(200):
                wire.sendall(h2.frame(h2.PING, 0, 0, b"12345678") * 50)
                time.sleep(0.01)

    for _ in range(60):
        threading.Thread(target=ping, daemon=True).start()
    line.hello()
    for asks in line.asks():
        # More than the free time and the bank of the plan, less than with a second of credit.
        time.sleep(2.2)
        line.answer([honest(ask) for ask in asks.asks])
    wait()


@animal
def calls_another_method() -> None:
    line = Line().hello()
    for number, asks in enumerate(line.asks()):
        if number == 0:
            with contextlib.suppress(grpc.RpcError):
                line.channel.unary_unary("/grpc.health.v1.Health/Check", None, None)(b"", timeout=5)
        line.answer([honest(ask) for ask in asks.asks])


@animal
def garbage_bytes() -> None:
    wire = h2.connect()
    wire.sendall(os.urandom(100_000))
    h2.read_until_closed(wire)
    wait()


@animal
def garbage_after_hello() -> None:
    wire = h2.say_hello()
    time.sleep(0.2)
    with contextlib.suppress(OSError):
        wire.sendall(b"\xff" * 100_000)
    h2.read_until_closed(wire)
    wait()


@animal
def truncated_message() -> None:
    wire = h2.say_hello()
    half = h2.message(b"\x00" * 10, claim=1000)
    wire.sendall(h2.frame(h2.DATA, h2.END_STREAM, 1, half))
    h2.read_until_closed(wire)
    wait()


@animal
def unreadable_messages() -> None:
    line = Line().hello()
    for _ in line.asks():
        for _ in range(3):
            line.send(b"\xff\xff\xff\xff not protobuf")


@animal
def nothing_in_the_message() -> None:
    line = Line().hello()
    for _ in line.asks():
        for _ in range(3):
            line.send(b"")


@animal
def oversized_message() -> None:
    line = Line().hello()
    for _ in line.asks():
        line.send(b"\x00" * 100_000_000)
    wait()


@animal
def more_than_its_batch_allows() -> None:
    line = Line(max_batch=1).hello()
    for asks in line.asks():
        answer = honest(asks.asks[0])
        answer.note = "x" * 5000
        line.answer([answer])


@animal
def flood_of_messages() -> None:
    line = Line().hello()
    for _ in line.asks():
        for _ in range(50_000):
            line.answer([])


@animal
def flood_of_pings() -> None:
    wire = h2.say_hello()
    threading.Thread(target=h2.read_until_closed, args=(wire,), daemon=True).start()
    with contextlib.suppress(OSError):
        for _ in range(2000):
            wire.sendall(h2.frame(h2.PING, 0, 0, b"12345678") * 50)
    wait()


@animal
def flood_of_settings() -> None:
    wire = h2.say_hello()
    threading.Thread(target=h2.read_until_closed, args=(wire,), daemon=True).start()
    with contextlib.suppress(OSError):
        for size in range(2000):
            wire.sendall(h2.settings(initial_window_size=65535 + size) * 50)
    wait()


@animal
def rapid_reset() -> None:
    wire = h2.say_hello()
    threading.Thread(target=h2.read_until_closed, args=(wire,), daemon=True).start()
    with contextlib.suppress(OSError):
        for number in range(2000):
            stream = 3 + 2 * number
            reset = h2.frame(h2.RST_STREAM, 0, stream, b"\x00\x00\x00\x08")
            wire.sendall(h2.headers(stream) + reset)
    wait()


@animal
def zero_receive_window() -> None:
    wire = h2.say_hello(initial_window_size=0)
    h2.read_until_closed(wire)
    wait()


@animal
def never_reads() -> None:
    with contextlib.closing(h2.say_hello()):
        wait()


@animal
def slow_loris() -> None:
    wire = h2.connect()
    with contextlib.suppress(OSError):
        for byte in h2.opening()[:-1]:
            wire.sendall(bytes((byte,)))
            time.sleep(0.1)
    wait()


@animal
def metadata_as_large_as_a_book() -> None:
    with contextlib.suppress(grpc.RpcError):
        method = channel().stream_stream(METHOD, None, None)
        list(method(iter([]), metadata=(("x-book", "a" * 60_000),)))
    wait()


@animal
def answers_before_it_is_asked() -> None:
    line = Line()
    line.answer([pb.Answer(ask_id=1, card=1)])
    line.hello()
    for _ in line.asks():
        line.answer([pb.Answer(ask_id=2, card=1)])
        line.answer([pb.Answer(ask_id=3, card=1)])


@animal
def made_up_ids() -> None:
    def spoil(ask: pb.Ask) -> pb.Answer:
        answer = honest(ask)
        answer.ask_id ^= 1
        return answer

    play(spoil)


@animal
def repeats_every_answer() -> None:
    line = Line().hello()
    for asks in line.asks():
        answers = [honest(ask) for ask in asks.asks]
        line.answer(answers + answers)


@animal
def late_once() -> None:
    late = iter([True])

    def spoil(ask: pb.Ask) -> pb.Answer:
        if next(late, False):
            time.sleep(2.0)
        return honest(ask)

    play(spoil, max_batch=1)


@animal
def forgets_answers() -> None:
    count = iter(range(10**9))
    play(lambda ask: honest(ask) if next(count) % 2 else None, max_batch=2)


@animal
def sleeps_past_its_bank() -> None:
    def spoil(ask: pb.Ask) -> pb.Answer:
        time.sleep(20.0)
        return honest(ask)

    play(spoil)


def illegal(**choice: Any) -> Callable[[], None]:
    return lambda: play(lambda ask: pb.Answer(ask_id=ask.ask_id, **choice))


ANIMALS["illegal_card"] = illegal(card=200)
ANIMALS["negative_card"] = illegal(card=-1)
ANIMALS["huge_card"] = illegal(card=2**31 - 1)
ANIMALS["no_choice_at_all"] = illegal()
ANIMALS["wrong_type_of_choice"] = illegal(steal=0)
ANIMALS["illegal_pile"] = illegal(take=99)
ANIMALS["illegal_play"] = illegal(play=pb.Play(piles=[pb.PileCards(pile=0, cards=[0, 0])]))


@animal
def illegal_row() -> None:
    play(lambda ask: pb.Answer(ask_id=ask.ask_id, row=4) if ask.kind == pb.ROW else honest(ask))


@animal
def batch_of_nothing() -> None:
    play(honest, max_batch=0)


@animal
def batch_of_everything() -> None:
    play(honest, max_batch=2**31)


@animal
def exits_at_once() -> None:
    sys.exit(3)


def exits_with(code: int) -> Callable[[], None]:
    def spoil(_: pb.Ask) -> NoReturn:
        os._exit(code)

    return lambda: play(spoil)


ANIMALS["exits_with_0"] = exits_with(0)
ANIMALS["exits_with_1"] = exits_with(1)


@animal
def kills_itself() -> None:
    play(lambda _: os.kill(os.getpid(), signal.SIGSEGV))


@animal
def raises_in_a_decision() -> None:
    from botkit import Bot, SixNimmtView, XNimmtView, run

    class Raises(Bot):
        def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
            raise RuntimeError("no idea what to play")

    run(Raises)


@animal
def floods_its_output() -> None:
    line = Line().hello()
    for _ in line.asks():
        while True:
            sys.stderr.write("x" * 65536)


@animal
def hangs_up_and_dials_again() -> None:
    line = Line().hello()
    for _ in line.asks():
        line.call.cancel()  # type: ignore[no-untyped-call]  # the stubs forgot it
        break
    with contextlib.suppress(grpc.RpcError):
        for _ in Line().hello().asks():
            pass
    wait()


@animal
def closes_its_side() -> None:
    line = Line().hello()
    for _ in line.asks():
        line.send(None)
    wait()


@animal
def ignores_goodbye() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    play(honest)
    wait()


@animal
def leaves_a_daemon() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(FOREVER)
        os._exit(0)
    play(honest)


if __name__ == "__main__":
    ANIMALS[sys.argv[1]]()
