"""The files of a league whose disk is on another machine: replays go there and come back for
reviews, uploads come from there. The other end is `dashboard/http/files.py`."""

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from store.blobs import CHUNK, Blobs
from store.errors import BlobDamaged, BlobError, BlobMissing, BlobsAway, NoRoom

SECONDS = 60.0
INSUFFICIENT_STORAGE = 507


class Readable(Protocol):
    """What can be read in pieces until an empty one."""

    def read(self, size: int, /) -> bytes:
        """The next piece."""


class _Whole:
    """An answer that must not end before its announced length: to http.client that is no error."""

    def __init__(self, answer: http.client.HTTPResponse, what: str) -> None:
        self._answer = answer
        self._what = what
        self._left = int(answer.headers.get("Content-Length", 0))

    def read(self, size: int, /) -> bytes:
        """The next piece; BlobsAway when the connection ended too early."""
        data = self._answer.read(size)
        self._left -= len(data)
        if not data and self._left > 0:
            raise BlobsAway(f"{self._what} was cut off {self._left} bytes before its end")
        return data


class RemoteFiles:
    """A connection to the file service of a league."""

    def __init__(self, url: str, password: str, seconds: float = SECONDS) -> None:
        self._url = url.rstrip("/")
        self._seconds = seconds
        self._password = password

    def check(self) -> None:
        """See that the service would take a replay from us. Raises BlobError with the reason."""
        with self._ask("GET", "/check"):
            pass

    def put_replay(self, file: IO[bytes], sha256: str) -> None:
        """Store a finished replay file under its hash; there it is checked and made to last."""
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        headers = {"Content-Length": str(size)}
        with self._ask("PUT", f"/replays/{sha256}", file, headers):
            pass

    def replay(self, sha256: str) -> bytes:
        """A replay file that was stored as an archive."""
        with self._ask("GET", f"/replays/{sha256}") as answer:
            whole = _Whole(answer, f"replay {sha256}")
            return b"".join(iter(lambda: whole.read(CHUNK), b""))

    @contextmanager
    def upload(self, name: str) -> Iterator[Readable]:
        """A submitted file, as a stream."""
        with self._ask("GET", f"/uploads/{name}") as answer:
            yield _Whole(answer, f"upload {name}")

    def remove_upload(self, name: str) -> None:
        """Remove what has become an image; gone is fine."""
        with self._ask("DELETE", f"/uploads/{name}"):
            pass

    @contextmanager
    def _ask(
        self,
        method: str,
        path: str,
        body: IO[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Iterator[http.client.HTTPResponse]:
        sent = {"Authorization": f"Bearer {self._password}", **(headers or {})}
        request = urllib.request.Request(self._url + path, body, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as answer:
                yield answer
        except urllib.error.HTTPError as error:
            with error:
                answer = error.read(500).decode("utf-8", "replace")
            raise _refusal(error.code, f"{method} {path}: {answer}") from None
        except (OSError, http.client.HTTPException) as error:
            raise BlobsAway(
                f"the league's files cannot be reached at {self._url} ({error}); check"
                " that `bullring files` runs there"
            ) from error


def _refusal(status: int, answer: str) -> BlobError:
    if status == INSUFFICIENT_STORAGE:
        return NoRoom(answer)
    if status == 404:
        return BlobMissing(answer)
    if status >= 500:
        return BlobsAway(answer)
    return BlobError(f"the league's files answered {status}: {answer}")


class RemoteBlobs(Blobs):
    """Replays written here for a moment, and kept by the file service, which has them to read."""

    def __init__(self, scratch: Path, files: RemoteFiles) -> None:
        super().__init__(scratch)
        self._files = files

    def _publish(self, file: IO[bytes], target: Path) -> None:
        file.flush()
        with Path(file.name).open("rb") as written:
            self._files.put_replay(written, target.name.partition(".")[0])

    def _read(self, sha256: str) -> tuple[Path, bytes]:
        path = self.path(sha256)
        packed = self._files.replay(sha256)
        if hashlib.sha256(packed).hexdigest() != sha256:
            raise BlobDamaged(f"got another file than replay {sha256} from the league's files")
        return path, packed
