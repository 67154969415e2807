"""A way to a server that hands everything on, until it swallows everything and closes nothing."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import make_url


class BlackHole:
    """Loopback in, a server out. While `swallows` is set, no byte passes in either direction.

    A connection that lost a byte stays dead for ever, and open: neither side hears of it. Those
    made later work.
    """

    def __init__(self, host: str, port: int) -> None:
        self.swallows = threading.Event()
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = [self._listener]
        self._door = threading.Thread(target=self._accept, daemon=True)
        self._door.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(client)
            try:
                server = socket.create_connection(self._target)
            except OSError:
                client.close()
                continue
            self._open.append(server)
            dead = threading.Event()
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._copy, args=(*pair, dead), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket, dead: threading.Event) -> None:
        try:
            while data := source.recv(65536):
                if self.swallows.is_set():
                    dead.set()
                if not dead.is_set():
                    target.sendall(data)
            if not self.swallows.is_set() and not dead.is_set():
                target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self) -> None:
        """End, with all connections."""
        # This alone wakes the thread that waits at the door; then nothing is opened any more.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._door.join()
        for one in self._open:
            one.close()


@contextmanager
def behind_black_hole(url: str) -> Iterator[tuple[str, BlackHole]]:
    """The address of a database with the hole on the way to it."""
    parsed = make_url(url)
    hole = BlackHole(parsed.host or "127.0.0.1", parsed.port or 5432)
    try:
        moved = parsed.set(host="127.0.0.1", port=hole.port)
        yield moved.render_as_string(hide_password=False), hole
    finally:
        hole.close()
