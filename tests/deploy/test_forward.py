"""The way from a worker's loopback to the league's registry: bytes in, the same bytes out."""

import asyncio
import socket

from deploy.forward import forward


def test_everything_goes_through_in_both_directions() -> None:
    sent = bytes(range(256)) * 4096

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Only at the end of the question comes the answer: half-closed connections must survive.
        writer.write((await reader.read())[::-1])
        writer.close()

    async def talk() -> bytes:
        target = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = target.sockets[0].getsockname()[1]
        way = await forward(0, f"127.0.0.1:{port}", "127.0.0.1")
        async with target, way:
            here = way.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection("127.0.0.1", here)
            writer.write(sent)
            writer.write_eof()
            got = await reader.read()
            writer.close()
            await writer.wait_closed()
            return got

    assert asyncio.run(asyncio.wait_for(talk(), 60)) == sent[::-1]


def test_a_league_that_is_away_hangs_up_and_the_way_stays_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        gone = nobody.getsockname()[1]

    async def talk() -> list[bytes]:
        way = await forward(0, f"127.0.0.1:{gone}", "127.0.0.1")
        async with way:
            here = way.sockets[0].getsockname()[1]
            answers = []
            for _ in range(2):
                reader, writer = await asyncio.open_connection("127.0.0.1", here)
                answers.append(await reader.read())
                writer.close()
                await writer.wait_closed()
            return answers

    assert asyncio.run(asyncio.wait_for(talk(), 60)) == [b"", b""]
