"""Connections that are opened and then say nothing: closed after a few seconds.

Whoever has a request half sent holds a connection, and many of those hold all there are.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 10.0
"""From the first byte of a request, or from the connection, to the end of its headers."""
BODY_SECONDS = 30.0
"""The longest silence in the middle of a body; a slow upload that goes on is welcome."""


class PatientProtocol(H11Protocol):
    """uvicorn's protocol with an end to its patience."""

    head_seconds = HEAD_SECONDS
    body_seconds = BODY_SECONDS
    _limit: asyncio.TimerHandle | None = None
    _in_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client: its first request begins now."""
        super().connection_made(transport)
        self._begin_head()

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request: of its head, which has one limit, or of its body."""
        # Before the first request there is none, whatever the library's types say.
        cycle: RequestResponseCycle | None = self.cycle
        if (cycle is None or cycle.response_complete) and not self._in_head:
            # The next request on a connection that was kept open.
            self._begin_head()
        super().data_received(data)
        if self.cycle is not cycle:
            self._in_head = False
        if not self._in_head:
            self._wait_for_body()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more to wait for."""
        self._stop()
        super().connection_lost(exc)

    def _begin_head(self) -> None:
        self._stop()
        self._in_head = True
        self._limit = self.loop.call_later(self.head_seconds, self._close)

    def _wait_for_body(self) -> None:
        self._stop()
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and cycle.more_body:
            self._limit = self.loop.call_later(self.body_seconds, self._close)

    def _stop(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _close(self) -> None:
        # An answer may be under way although its body never came whole: that one is let end.
        if self._in_head or (self.cycle.more_body and not self.cycle.response_started):
            self.transport.abort()
