"""The bridge: a small process that sits in a person's seat and speaks the wire protocol for them.

To the referee it is a bot like any other. What its seat is told goes out as JSON lines on stdout,
the person's choices come in on stdin; it has no environment, no database and no memory of its own.

    out  {"type": "start", "rules", "options", "seat", "players", "move_ms"}
         {"type": "events", "events": [...]}
         {"type": "ask", "id", "kind", "view", "legal", "move_ms"}
         {"type": "over", "points", "places"}
    in   {"id", "choice"}

When stdin ends, it ends; the supervisor then says whether the person has left.
"""

import asyncio
import json
import os
import sys
from typing import Any

import grpc
import grpc.aio

from nimmt.choices import TurnOptions, choice_from_json
from nimmt.events import to_json
from wire import codec, fast
from wire.v1 import bot_pb2 as pb

METHOD = "/bullring.v1.Referee/Play"
OPTIONS = (("grpc.max_receive_message_length", 64 << 20), ("grpc.enable_http_proxy", 0))
# The stub package of grpc leaves this name out.
_EOF: Any = grpc.aio.EOF  # type: ignore[attr-defined]


def plain(value: Any) -> Any:
    """A view, or part of one, as JSON values.

    >>> from nimmt.views import Pile
    >>> plain((1, (Pile(3, 99),)))
    [1, [{'number': 3, 'top': 99}]]
    """
    if isinstance(value, tuple):
        if hasattr(value, "_asdict"):
            return {name: plain(part) for name, part in value._asdict().items()}
        return [plain(part) for part in value]
    return value


def legal_to_json(legal: tuple[int, ...] | TurnOptions) -> Any:
    """What may be chosen: numbers, or the turns of 11 nimmt! as the wire describes them.

    >>> legal_to_json(TurnOptions({3: (34, 36)}, 1, False, (3, 7)))
    {'plays': {'3': [34, 36]}, 'max_piles': 1, 'many': False, 'takes': [3, 7]}
    """
    if isinstance(legal, TurnOptions):
        return {
            "plays": {str(pile): list(cards) for pile, cards in legal.plays.items()},
            "max_piles": legal.max_piles,
            "many": legal.many,
            "takes": list(legal.takes),
        }
    return list(legal)


class Bridge:
    """One person's seat, from Hello to Goodbye."""

    def __init__(self) -> None:
        self._about: dict[str, Any] = {}
        self._open: dict[int, str] = {}
        """The kinds of the asks that wait for the person."""

    async def play(self, address: str) -> None:
        """Speak with the referee until Goodbye."""
        async with grpc.aio.insecure_channel(address, options=list(OPTIONS)) as channel:
            # Any: the stub package of grpc asks for arguments that the library does not need.
            method: Any = channel.stream_stream
            call = method(METHOD)()
            hello = pb.Hello(sdk="bridge 1", max_batch=1, events=True, protocol=codec.PROTOCOL)
            await call.write(pb.FromBot(hello=hello).SerializeToString())
            listening = asyncio.ensure_future(self._listen(call))
            try:
                while (data := await call.read()) is not _EOF:
                    if self._handle(data):
                        await call.done_writing()
                        return
            finally:
                listening.cancel()

    def _handle(self, data: bytes) -> bool:
        """Pass one message on; says whether it was the last."""
        message, asks, _ = fast.split_message(data)
        if message.HasField("welcome"):
            welcome = message.welcome
            options = codec.options_from_wire(welcome.options)
            self._about = {"rules": welcome.rules, "options": options}
            self._about["move_ms"] = welcome.time.move_ms
        for start in message.game_starts:
            seated = {"seat": start.seat, "players": start.players}
            say({"type": "start", **self._about, **seated})
        for part in message.events:
            events = [codec.event_from_wire(event) for event in part.events]
            say({"type": "events", "events": [to_json(one) for one in events if one is not None]})
        for over in message.game_overs:
            say({"type": "over", "points": list(over.points), "places": list(over.places)})
        for raw in asks:
            self._ask(fast.read_ask(raw))
        return message.HasField("goodbye")

    def _ask(self, ask: fast.PlainAsk) -> None:
        self._open = {ask.ask_id: ask.kind}
        say(
            {
                "type": "ask",
                "id": ask.ask_id,
                "kind": ask.kind,
                "view": plain(ask.view),
                "legal": legal_to_json(ask.legal),
                "move_ms": ask.move_ms,
            }
        )

    async def _listen(self, call: Any) -> None:
        """Answer with what the person chose; the end of stdin is the end of this process."""
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            given = json.loads(line)
            kind = self._open.pop(given["id"], None)
            if kind is not None:
                answer = pb.Answer(ask_id=given["id"])
                codec.fill_choice(answer, kind, choice_from_json(kind, given["choice"]))
                answers = pb.Answers(answers=[answer])
                await call.write(pb.FromBot(answers=answers).SerializeToString())
        os._exit(0)


def say(message: dict[str, Any]) -> None:
    """One line for the supervisor."""
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(Bridge().play(sys.argv[1]))
