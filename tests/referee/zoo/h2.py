"""Just enough HTTP/2 by hand to misbehave below gRPC: frames, and the headers of one call."""

import os
import socket
import struct

from wire.v1 import bot_pb2 as pb

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE = 4


def connect() -> socket.socket:
    path = os.environ["BULLRING_REFEREE"].removeprefix("unix://")
    wire = socket.socket(socket.AF_UNIX)
    wire.connect(path)
    return wire


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return (
        struct.pack(">I", len(payload))[1:]
        + bytes((kind, flags))
        + struct.pack(">I", stream)
        + payload
    )


def settings(**values: int) -> bytes:
    numbers = {"initial_window_size": INITIAL_WINDOW_SIZE}
    payload = b"".join(struct.pack(">HI", numbers[name], v) for name, v in values.items())
    return frame(SETTINGS, 0, 0, payload)


def headers(stream: int = 1, path: str = "/bullring.v1.Referee/Play") -> bytes:
    """A POST as gRPC makes it, every header spelled out."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "localhost",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    block = b"".join(
        b"\x00" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()
        for name, value in fields.items()
    )
    return frame(HEADERS, END_HEADERS, stream, block)


def message(data: bytes, *, claim: int | None = None) -> bytes:
    """A gRPC message: its length, true or not, and its bytes."""
    return b"\x00" + struct.pack(">I", len(data) if claim is None else claim) + data


def hello() -> bytes:
    return message(pb.FromBot(hello=pb.Hello(sdk="by hand")).SerializeToString())


def opening(**values: int) -> bytes:
    """Everything up to Hello."""
    return PREFACE + settings(**values) + headers() + frame(DATA, 0, 1, hello())


def say_hello(**values: int) -> socket.socket:
    wire = connect()
    wire.sendall(opening(**values))
    return wire


def read_until_closed(wire: socket.socket) -> None:
    """Read and forget, so that the other side is never held up by us."""
    try:
        while wire.recv(65536):
            pass
    except OSError:
        pass
