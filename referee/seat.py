"""One seat's gRPC server on its own unix socket: bytes in, bytes out. Identity is the socket.

Knows neither rules nor clocks. Whatever a client does ends here as one of four calls to `SeatHost`.
"""

import asyncio
import contextlib
import os
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import grpc
import grpc.aio

from wire.codec import ANSWER_BYTES, MAX_BATCH

METHOD = "/bullring.v1.Referee/Play"
SOCKET_NAME = "referee.sock"
TOKEN_METADATA = "bullring-token"
MAX_PATH_BYTES = 100
"""The kernel takes 107; whoever chooses directories must stay below this."""

OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", ANSWER_BYTES * MAX_BATCH),
    ("grpc.max_metadata_size", 8192),
    ("grpc.max_concurrent_streams", 2),
    # Identity only: a small compressed message may be a large one.
    ("grpc.compression_enabled_algorithms_bitset", 1),
    ("grpc.so_reuseport", 0),
    ("grpc.server_handshake_timeout_ms", 2000),
    # The library cuts off a bot that pings too often.
    ("grpc.http2.min_ping_interval_without_data_ms", 1000),
    ("grpc.http2.max_ping_strikes", 2),
    # A connection without a call must not keep its place for the whole pass.
    ("grpc.max_connection_idle_ms", 2000),
)


CONNECTIONS = "grpc.max_allowed_incoming_connections"
ON_SOCKET, ON_PORT = 1, 4
"""Frames that are not messages cost us time and are counted nowhere: a bot gets one live connection
and no more. The library hangs up on others before it reads a byte; after the end of the first one a
bot may dial again. On a port, which is for trusted bots, a stranger may be the first to dial.
"""


# The stub package of grpc leaves this name out.
_EOF: Any = grpc.aio.EOF  # type: ignore[attr-defined]


BROKEN = (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError, RuntimeError)
"""What the library raises when a message is written to a call that is over."""


class SeatHost(Protocol):
    """What a seat reports about its bot."""

    def message(self, bot: int, data: bytes) -> None:
        """The bot sent one message, not parsed yet."""

    def second_call(self, bot: int, method: str) -> None:
        """The bot made a call besides the one that it plays in."""

    def ended(self, bot: int, code: grpc.StatusCode | None) -> None:
        """The bot's call is over, and not because we closed it."""


class Seat:
    """The server of one bot in one pass."""

    def __init__(
        self, bot: int, folder: Path, mode: int, host: SeatHost, *, tcp: bool = False
    ) -> None:
        self.bot = bot
        self.environment: dict[str, str] = {}
        """What the bot must find in its environment beside the path of its socket."""
        self._token = secrets.token_urlsafe(24) if tcp else None
        self.path = folder / SOCKET_NAME
        self._mode = mode
        self._host = host
        self._server: grpc.aio.Server | None = None
        self._context: Any = None
        self._finished = asyncio.Event()
        self._writing = asyncio.Lock()

    async def open(self) -> None:
        """Listen; the socket is there for its bot alone when this returns."""
        if len(os.fsencode(self.path)) > MAX_PATH_BYTES:
            raise ValueError(
                f"the socket path {str(self.path)!r} is longer than {MAX_PATH_BYTES} bytes; choose "
                "a shorter state directory"
            )
        most = ON_SOCKET if self._token is None else ON_PORT
        options = [*OPTIONS, (CONNECTIONS, most)]
        server = grpc.aio.server(options=options, maximum_concurrent_rpcs=4)
        server.add_generic_rpc_handlers((_Calls(self._play, self._other_call),))
        if self._token is not None:
            port = server.add_insecure_port("127.0.0.1:0")
            address = f"127.0.0.1:{port}"
            self.environment = {"BULLRING_REFEREE": address, "BULLRING_TOKEN": self._token}
            await server.start()
        else:
            server.add_insecure_port(f"unix:{self.path}")
            await server.start()
            self.path.chmod(self._mode)
        self._server = server

    def shut_door(self) -> None:
        """Remove the socket: the open call lives on, and no other process can dial."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    async def write(self, data: bytes) -> None:
        """Send one message; returns when the library has taken it, which is when the bot reads."""
        if self._context is not None and not self._finished.is_set():
            try:
                async with self._writing:
                    await self._context.write(data)
            except BROKEN:
                # A broken connection is reported by the reading side, once.
                pass

    def finish(self) -> None:
        """End the call from our side, without any report."""
        self._finished.set()

    async def close(self) -> None:
        """End the call and the server."""
        self.finish()
        if self._server is not None:
            await self._server.stop(grace=0.2)
            self._server = None
        self.shut_door()

    async def _play(self, _requests: Any, context: Any) -> None:
        if not self._is_known(context):
            # Any process on this machine may dial a port, so a stranger is no fault of the bot.
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "show the token of your seat")
        if self._context is not None:
            self._host.second_call(self.bot, METHOD)
            await context.abort(grpc.StatusCode.ALREADY_EXISTS, "one call is all a bot gets")
        self._context = context
        reading = asyncio.ensure_future(self._read(context))
        finished = asyncio.ensure_future(self._finished.wait())
        try:
            await asyncio.wait((reading, finished), return_when=asyncio.FIRST_COMPLETED)
        finally:
            code = _end_of(reading)
            reading.cancel()
            finished.cancel()
            if not self._finished.is_set():
                self._finished.set()
                self._host.ended(self.bot, code)

    def _is_known(self, context: Any) -> bool:
        if self._token is None:
            return True
        shown = dict(context.invocation_metadata() or ()).get(TOKEN_METADATA, "")
        return secrets.compare_digest(str(shown).encode(), self._token.encode())

    async def _read(self, context: Any) -> None:
        while (data := await context.read()) is not _EOF:
            self._host.message(self.bot, data)

    async def _other_call(self, method: str, context: Any) -> None:
        if self._is_known(context):
            self._host.second_call(self.bot, method)
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, f"there is only {METHOD}")


def _end_of(reading: "asyncio.Future[None]") -> grpc.StatusCode | None:
    """The status behind the end of a stream; None for an orderly end."""
    if not reading.done() or reading.cancelled():
        return grpc.StatusCode.CANCELLED
    error = reading.exception()
    if isinstance(error, grpc.RpcError):
        code = getattr(error, "code", None)
        return code() if callable(code) else grpc.StatusCode.UNKNOWN
    if error is None:
        return None
    if isinstance(error, grpc.aio.BaseError):
        return grpc.StatusCode.INTERNAL
    raise error


class _Calls(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in the stubs alone
    """Routes the one method to the seat, and every other to its refusal, as raw bytes."""

    def __init__(
        self,
        play: Callable[[Any, Any], Awaitable[None]],
        other: Callable[[str, Any], Awaitable[None]],
    ) -> None:
        self._play = grpc.stream_stream_rpc_method_handler(play)
        self._other = other

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        """The handler of one incoming call."""
        if details.method == METHOD:
            return self._play
        method = str(details.method)

        async def refuse(_requests: Any, context: Any) -> None:
            await self._other(method, context)

        return grpc.stream_stream_rpc_method_handler(refuse)
