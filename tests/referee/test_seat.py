"""A seat: its socket, its limits on the path, and writes to a call that is over."""

import asyncio
import contextlib
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import grpc
import grpc.aio
import pytest

from referee.seat import BROKEN, METHOD, Seat
from tests.referee.zoo.h2 import PING, PREFACE, SETTINGS, frame


class Deaf:
    def message(self, bot: int, data: bytes) -> None: ...
    def second_call(self, bot: int, method: str) -> None: ...
    def ended(self, bot: int, code: object) -> None: ...


class BrokenCall:
    def __init__(self, error: Exception) -> None:
        self.error = error

    async def write(self, data: bytes) -> None:
        raise self.error


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="bs") as name:
        yield Path(name)


@pytest.mark.anyio
async def test_only_its_owner_may_dial_and_the_door_can_be_shut(folder: Path) -> None:
    seat = Seat(0, folder, 0o600, Deaf())
    await seat.open()
    try:
        assert stat.S_IMODE(seat.path.stat().st_mode) == 0o600
        seat.shut_door()
        assert not seat.path.exists()
        seat.shut_door()
    finally:
        await seat.close()


@pytest.mark.anyio
async def test_a_connection_on_which_nobody_calls_is_hung_up_even_while_it_sends(
    folder: Path,
) -> None:
    seat = Seat(0, folder, 0o600, Deaf())
    await seat.open()
    reader, writer = await asyncio.open_unix_connection(seat.path)
    try:
        writer.write(PREFACE + frame(SETTINGS, 0, 0, b""))

        async def sending() -> None:
            while True:
                # Frames of a kind that nobody knows have to be borne, says the standard.
                writer.write(frame(0xF0, 0, 0, b"anything"))
                await writer.drain()
                await asyncio.sleep(0.05)

        flood = asyncio.ensure_future(sending())
        try:
            async with asyncio.timeout(60):
                with contextlib.suppress(ConnectionError):
                    while await reader.read(4096):
                        pass
        finally:
            flood.cancel()
            await asyncio.gather(flood, return_exceptions=True)
    finally:
        writer.close()
        await seat.close()


async def is_served(path: Path) -> tuple[bool, asyncio.StreamWriter]:
    """Dial as HTTP/2 does; says whether anybody answers with a frame."""
    reader, writer = await asyncio.open_unix_connection(path)
    with contextlib.suppress(ConnectionError):
        writer.write(PREFACE + frame(SETTINGS, 0, 0, b""))
        await writer.drain()
        return bool(await asyncio.wait_for(reader.read(9), 30)), writer
    return False, writer


@pytest.mark.anyio
async def test_one_live_connection_is_all_a_bot_gets_and_a_flood_of_pings_meets_a_shut_door(
    folder: Path,
) -> None:
    heard: list[bytes] = []
    ends: list[object] = []

    class Listening(Deaf):
        def message(self, bot: int, data: bytes) -> None:
            heard.append(data)

        def ended(self, bot: int, code: object) -> None:
            ends.append(code)

    seat = Seat(0, folder, 0o600, Listening())
    await seat.open()
    writers = []
    try:
        async with grpc.aio.insecure_channel(f"unix:{seat.path}") as channel:
            call = channel.stream_stream(METHOD, None, None)(None)
            await call.write(b"hello")
            served = 0
            for _ in range(60):
                answered, writer = await is_served(seat.path)
                served += answered
                writers.append(writer)
                with contextlib.suppress(ConnectionError):
                    writer.write(frame(PING, 0, 0, b"12345678") * 200)
                    await writer.drain()
            assert served == 0
            await call.write(b"again")
            while len(heard) < 2:
                await asyncio.sleep(0.01)
            assert ends == []
            seat.finish()
    finally:
        for writer in writers:
            writer.close()
        await seat.close()
    assert heard == [b"hello", b"again"]


@pytest.mark.anyio
@pytest.mark.timeout(60)
async def test_after_the_end_of_its_connection_a_bot_may_dial_again(folder: Path) -> None:
    seat = Seat(0, folder, 0o600, Deaf())
    await seat.open()
    try:
        for _ in range(3):
            # The server hears of the end of the last one a moment later.
            while True:
                served, writer = await is_served(seat.path)
                if served:
                    break
                writer.close()
                await asyncio.sleep(0.01)
            again, second = await is_served(seat.path)
            assert not again
            second.close()
            writer.close()
    finally:
        await seat.close()


@pytest.mark.anyio
async def test_a_path_too_long_for_a_socket_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="longer than 100 bytes"):
        await Seat(0, tmp_path / ("x" * 90), 0o600, Deaf()).open()


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [*BROKEN, grpc.aio.InternalError, grpc.aio.UsageError])
async def test_writing_to_a_call_that_is_over_is_no_error_of_ours(
    kind: type[Exception], tmp_path: Path
) -> None:
    seat = Seat(0, tmp_path, 0o600, Deaf())
    seat._context = BrokenCall(kind("gone"))
    await seat.write(b"anything")


@pytest.mark.anyio
async def test_a_call_that_we_have_ended_is_not_written_to(tmp_path: Path) -> None:
    seat = Seat(0, tmp_path, 0o600, Deaf())
    seat._context = BrokenCall(AssertionError("written to"))
    seat.finish()
    await asyncio.wait_for(seat.write(b"anything"), 1)


@pytest.mark.anyio
async def test_a_port_asks_for_the_token_of_its_seat(tmp_path: Path) -> None:
    heard: list[bytes] = []
    came = asyncio.Event()

    class Listening(Deaf):
        def message(self, bot: int, data: bytes) -> None:
            heard.append(data)
            came.set()

        def second_call(self, bot: int, method: str) -> None:
            raise AssertionError("a stranger is no fault of the bot")

    seat = Seat(0, tmp_path, 0o600, Listening(), tcp=True)
    await seat.open()
    address, token = seat.environment["BULLRING_REFEREE"], seat.environment["BULLRING_TOKEN"]
    # A stranger who dials and says nothing keeps no bot out.
    _, silent = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            for shown in ((), (("bullring-token", "guessed"),)):
                call = channel.stream_stream(METHOD, None, None)(None, metadata=shown)
                assert await call.code() is grpc.StatusCode.UNAUTHENTICATED
            call = channel.stream_stream(METHOD, None, None)(
                None, metadata=(("bullring-token", token),)
            )
            await call.write(b"hello")
            await asyncio.wait_for(came.wait(), 30)
            seat.finish()
            assert await call.code() is grpc.StatusCode.OK
    finally:
        silent.close()
        await seat.close()
    assert heard == [b"hello"]
