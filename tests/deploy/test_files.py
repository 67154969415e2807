"""The file service: a worker without the data folder stores replays and fetches submissions."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn

from dashboard.http import create_files_app
from league.submissions import RemoteUploads
from league.wiring.stores import remote_files
from store import Blobs, BlobsAway
from store.errors import BlobError, BlobMissing
from store.remote import RemoteBlobs, RemoteFiles
from tests.black_hole import BlackHole
from tests.dashboard.viewer.samples import sample
from tests.league.world import settings

PASSWORD = "between workers"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "uploads").mkdir()
    app = create_files_app(Blobs(tmp_path / "replays"), tmp_path / "uploads", PASSWORD)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def test_a_replay_written_elsewhere_lies_in_the_data_folder(address: str, tmp_path: Path) -> None:
    scratch = tmp_path / "elsewhere"
    blobs = RemoteBlobs(scratch, RemoteFiles(address, PASSWORD))
    written = blobs.write([b'{"game": 1}', b'{"game": 2}'])
    again = blobs.write([b'{"game": 1}', b'{"game": 2}'])
    assert written == again
    assert list(Blobs(tmp_path / "replays").lines(written.sha256)) == [
        b'{"game": 1}',
        b'{"game": 2}',
    ]
    assert [path for path in scratch.rglob("*") if path.is_file()] == []


def test_archives_of_replays_can_be_read_and_nothing_else(address: str, tmp_path: Path) -> None:
    replays = [json.dumps(sample("six"), separators=(",", ":")).encode()]
    remote = RemoteBlobs(tmp_path / "scratch", RemoteFiles(address, PASSWORD))
    archive = remote.write(replays)
    assert json.loads(remote.line(archive.sha256, 0)) == sample("six")
    notes = Blobs(tmp_path / "replays").write([b'{"notes": []}'])
    with pytest.raises(BlobMissing):
        list(remote.lines(notes.sha256))


def test_an_upload_is_fetched_and_removed(address: str, tmp_path: Path) -> None:
    (tmp_path / "uploads" / "bot.tar").write_bytes(b"x" * 600_000)
    uploads = RemoteUploads(RemoteFiles(address, PASSWORD))

    async def read() -> bytes:
        return b"".join([piece async for piece in uploads.read("bot.tar")])

    assert asyncio.run(read()) == b"x" * 600_000
    uploads.remove("bot.tar")
    uploads.remove("bot.tar")
    with pytest.raises(BlobMissing, match=r"no upload 'bot\.tar'"):
        asyncio.run(read())


@pytest.mark.parametrize("name", ["..%2Fsecret", "%2e%2e", ".secret", "a/../../secret"])
def test_nothing_beside_the_uploads_can_be_reached(address: str, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("the site's secret")
    with pytest.raises(BlobMissing), RemoteFiles(address, PASSWORD).upload(name):
        pass


def test_who_does_not_know_the_password_gets_nothing(address: str, tmp_path: Path) -> None:
    (tmp_path / "uploads" / "bot.tar").write_bytes(b"a bot")
    stranger = RemoteFiles(address, "a guess")
    with pytest.raises(BlobError, match="BULLRING_FILES_PASSWORD"), stranger.upload("bot.tar"):
        pass
    with pytest.raises(BlobError, match="BULLRING_FILES_PASSWORD"):
        RemoteBlobs(tmp_path / "elsewhere", stranger).write([b"{}"])


def test_a_file_that_is_not_what_its_name_says_is_refused(address: str, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"other bytes")
    with damaged.open("rb") as file, pytest.raises(BlobError, match="expected 0000"):
        RemoteFiles(address, PASSWORD).put_replay(file, "0" * 64)
    with pytest.raises(BlobError):
        next(Blobs(tmp_path / "replays").lines("0" * 64))


def test_an_upload_that_is_cut_off_is_no_short_upload() -> None:
    def answer(sock: socket.socket) -> None:
        connection, _ = sock.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf a bot")

    async def read(url: str) -> list[bytes]:
        return [piece async for piece in RemoteUploads(RemoteFiles(url, PASSWORD)).read("bot.tar")]

    with socket.create_server(("127.0.0.1", 0)) as sock:
        thread = threading.Thread(target=answer, args=[sock])
        thread.start()
        with pytest.raises(BlobsAway, match=r"bot\.tar was cut off 90 bytes before its end"):
            asyncio.run(read(f"http://127.0.0.1:{sock.getsockname()[1]}"))
        thread.join()


def test_a_service_that_is_away_is_worth_another_try(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    nobody = RemoteFiles(f"http://127.0.0.1:{port}", PASSWORD)
    with pytest.raises(BlobsAway, match="bullring files"):
        RemoteBlobs(tmp_path, nobody).write([b"{}"])


def check(files: RemoteFiles, tmp_path: Path) -> None:
    files.check()


def put(files: RemoteFiles, tmp_path: Path) -> None:
    RemoteBlobs(tmp_path / "scratch", files).write([b'{"game": 1}'])


def get(files: RemoteFiles, tmp_path: Path) -> None:
    replay = json.dumps(sample("six"), separators=(",", ":")).encode()
    kept = Blobs(tmp_path / "replays").write([replay])
    assert RemoteBlobs(tmp_path / "scratch", files).line(kept.sha256, 0) == replay


def fetch(files: RemoteFiles, tmp_path: Path) -> None:
    (tmp_path / "uploads" / "bot.tar").write_bytes(b"a bot")
    with files.upload("bot.tar") as upload:
        assert upload.read(100) == b"a bot"


def remove(files: RemoteFiles, tmp_path: Path) -> None:
    files.remove_upload("bot.tar")


@pytest.mark.parametrize("act", [check, put, get, fetch, remove])
def test_a_service_that_swallows_everything_is_given_up_and_the_next_try_works(
    address: str, tmp_path: Path, act: Callable[[RemoteFiles, Path], None]
) -> None:
    hole = BlackHole("127.0.0.1", int(address.rpartition(":")[2]))
    files = RemoteFiles(f"http://127.0.0.1:{hole.port}", PASSWORD, seconds=1.0)
    try:
        hole.swallows.set()
        # Without a limit of ours each of these would wait for ever.
        with pytest.raises(BlobsAway, match="timed out"):
            act(files, tmp_path)
        hole.swallows.clear()
        # However busy this machine is now, the answer comes.
        act(RemoteFiles(f"http://127.0.0.1:{hole.port}", PASSWORD), tmp_path)
    finally:
        hole.close()


def test_a_service_that_falls_silent_in_mid_file_is_given_up() -> None:
    over = threading.Event()

    def answer(sock: socket.socket) -> None:
        connection, _ = sock.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf a bot")
            over.wait()

    async def read(url: str) -> list[bytes]:
        files = RemoteUploads(RemoteFiles(url, PASSWORD, seconds=0.5))
        return [piece async for piece in files.read("bot.tar")]

    with socket.create_server(("127.0.0.1", 0)) as sock:
        thread = threading.Thread(target=answer, args=[sock])
        thread.start()
        try:
            with pytest.raises(BlobsAway, match="timed out"):
                asyncio.run(read(f"http://127.0.0.1:{sock.getsockname()[1]}"))
        finally:
            over.set()
            thread.join()


def test_the_setting_says_how_long_a_worker_waits_for_the_file_service(tmp_path: Path) -> None:
    hole = socket.create_server(("127.0.0.1", 0))
    chosen = settings(
        tmp_path, files_url=f"http://127.0.0.1:{hole.getsockname()[1]}", files_seconds=0.5
    )
    files = remote_files(chosen)
    assert files is not None
    with hole, pytest.raises(BlobsAway, match="timed out"):
        files.check()
