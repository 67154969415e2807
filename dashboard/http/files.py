"""The file service: workers of every machine put replays here, read them, and fetch submissions.

A process of its own, for workers alone: it holds no database, and its port is never public.
"""

import errno
import hmac
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio.from_thread
import anyio.to_thread
from fastapi import Depends, FastAPI, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from prometheus_client import CollectorRegistry, Counter, Gauge

from store.blobs import ARCHIVE_SUFFIX, MAX_BYTES, Blobs
from store.errors import BlobDamaged, BlobMissing, NoRoom

UPLOAD_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


class Refused(Exception):
    """A request that is answered with a status and one line of text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class FilesMetrics:
    """What the service counts, for Prometheus on a port of its own."""

    def __init__(self, root: Path) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "bullring_files_requests",
            "Requests by method and status; 401 is a worker with a wrong password.",
            ("method", "status"),
            registry=self.registry,
        )
        free = Gauge("bullring_files_disk_free_bytes", "Room for replays.", registry=self.registry)
        free.set_function(lambda: shutil.disk_usage(root if root.is_dir() else root.parent).free)


def create_files_app(
    blobs: Blobs, uploads: Path, password: str, metrics: FilesMetrics | None = None
) -> FastAPI:
    """The application; `password` is what workers show."""
    app = FastAPI(title="Bullring files", docs_url=None, redoc_url=None, openapi_url=None)
    counts = metrics or FilesMetrics(blobs.root)

    @app.middleware("http")
    async def count(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await answer(request)
        counts.requests.labels(request.method, str(response.status_code)).inc()
        return response

    known = [Depends(_keeper(password))]

    @app.exception_handler(Refused)
    def refused(_: Request, error: Exception) -> Response:
        status = error.status if isinstance(error, Refused) else 500
        return PlainTextResponse(str(error), status)

    @app.get("/healthz")
    def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/check", dependencies=known, status_code=204)
    def check() -> None:
        try:
            blobs.check()
        except NoRoom as error:
            raise Refused(507, str(error)) from error
        except OSError as error:
            raise Refused(503, f"no replay could be stored: {error.strerror}") from error

    @app.put("/replays/{sha256}", dependencies=known, status_code=204)
    async def put_replay(sha256: str, request: Request) -> None:
        await anyio.to_thread.run_sync(_adopt, blobs, request.stream(), sha256)

    @app.get("/replays/{sha256}", dependencies=known)
    def get_replay(sha256: str) -> FileResponse:
        return FileResponse(_archive(blobs, sha256), media_type="application/octet-stream")

    @app.get("/uploads/{name}", dependencies=known)
    def get_upload(name: str) -> FileResponse:
        path = _upload(uploads, name)
        if not path.is_file():
            raise Refused(404, f"there is no upload {name!r}")
        return FileResponse(path, media_type="application/octet-stream")

    @app.delete("/uploads/{name}", dependencies=known, status_code=204)
    def delete_upload(name: str) -> None:
        _upload(uploads, name).unlink(missing_ok=True)

    return app


def _keeper(password: str) -> Callable[[Request], None]:
    expected = f"Bearer {password}".encode()

    def check(request: Request) -> None:
        given = request.headers.get("authorization", "").encode("latin-1")
        if not hmac.compare_digest(given, expected):
            raise Refused(401, "expected the file service's password (BULLRING_FILES_PASSWORD)")

    return check


def _adopt(blobs: Blobs, stream: AsyncIterator[bytes], sha256: str) -> None:
    try:
        blobs.adopt(_pull(stream), sha256)
    except BlobMissing as error:
        raise Refused(404, str(error)) from error
    except BlobDamaged as error:
        raise Refused(422, str(error)) from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise Refused(507 if full else 503, f"no replay stored: {error.strerror}") from error


def _pull(stream: AsyncIterator[bytes]) -> Iterator[bytes]:
    """The body of a request, in the thread that writes it; never more than a replay may have."""

    async def following() -> bytes | None:
        return await anext(stream, None)

    size = 0
    while (piece := anyio.from_thread.run(following)) is not None:
        size += len(piece)
        if size > MAX_BYTES:
            raise BlobDamaged(f"got more than {MAX_BYTES} bytes, expected a replay file")
        yield piece


def _archive(blobs: Blobs, sha256: str) -> Path:
    """A replay file. Notes of bots lie here too and are private, but never in this form."""
    try:
        path = blobs.path(sha256)
    except BlobMissing as error:
        raise Refused(404, str(error)) from error
    if not path.name.endswith(ARCHIVE_SUFFIX) or not path.is_file():
        raise Refused(404, f"there is no archive of replays {sha256}")
    return path


def _upload(folder: Path, name: str) -> Path:
    """A name that an upload was stored under, never a path from a request."""
    if UPLOAD_NAME.fullmatch(name) is None or ".." in name:
        raise Refused(404, f"there is no upload {name!r}")
    return folder / name


def serve_files(app: FastAPI, sock: Any) -> None:
    """Until a signal comes."""
    import uvicorn

    config = uvicorn.Config(
        app, log_config=None, access_log=False, proxy_headers=False, timeout_graceful_shutdown=5
    )
    uvicorn.Server(config).run(sockets=[sock])
