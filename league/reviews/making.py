"""Making reviews, one at a time: claimed in the database, made by a child that steps back.

A worker makes at most one, in a process of its own on cores that no slot owns, so that no rated
match loses time to it.
"""

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import structlog

import store
from league.reviews.summary import summary_of
from nimmt import replay as nimmt_replay
from review import DEFAULT_ROLLOUTS
from store import BlobError, Match, NotFound, Review, Store

LOG = structlog.get_logger("league")
ROOT = Path(__file__).resolve().parents[2]
BEAT_SECONDS = 2.0
"""How often the work is told to the database, where a page may be waiting for it."""
STALL_SECONDS = 1800.0
"""How long one decision may take; a child that is silent for longer is stuck."""
LOOK_SECONDS = 0.2
PASSED_ON = "NIMMT_"
"""What the child gets of the environment: where the compiled core lies, and whether to use it."""


class ReviewFailed(Exception):
    """There will be no review; says why."""


class Interrupted(Exception):
    """The worker stops, or the review is another's by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewMaker:
    """Makes reviews for one worker."""

    database: Store
    worker: str
    cores: Sequence[int] = ()
    """Cores that no slot owns; none: the child uses only time that nobody wants."""
    rollouts: int = DEFAULT_ROLLOUTS
    command: Sequence[str] = (sys.executable, "-Es", "-m", "review.child")

    def make_next(self, stopping: threading.Event) -> bool:
        """Claim and make one review; False: none is wanted. It is left when `stopping` is set."""
        with self.database.read() as session:
            wanted = store.reviews.next_wanted(session)
        if wanted is None:
            return False
        with self.database.write() as session:
            review = store.reviews.claim(session, wanted, self.worker)
        if review is not None:
            self._make(review, stopping)
        return True

    def _make(self, review: Review, stopping: threading.Event) -> None:
        try:
            document = self._replay(review)
            made = self._review(review, document, stopping)
            summary = summary_of(made, document["result"]["places"])
            with self.database.write() as session:
                store.reviews.finish(session, review.id, self.worker, made, summary)
        except Interrupted:
            with self.database.write() as session:
                store.reviews.give_back(session, review.id, self.worker)
        except (ReviewFailed, NotFound, BlobError) as error:
            LOG.warning("no review", review=review.id, match=review.match_id, reason=str(error))
            with self.database.write() as session:
                store.reviews.fail(session, review.id, self.worker, str(error))

    def _replay(self, review: Review) -> dict[str, Any]:
        """The replay with its key, as readers get it: its hash names the review."""
        if review.match_id is None:
            assert review.replay is not None
            stored: dict[str, Any] = json.loads(self.database.blobs.line(review.replay, 0))
            return stored
        with self.database.read() as session:
            match = store.present(session, Match, review.match_id)
            sha256, line = store.results.replay_line(
                session, review.match_id, review.pass_no, review.game_no
            )
        document: dict[str, Any] = json.loads(self.database.blobs.line(sha256, line))
        if document.get("key") is None:
            try:
                document = nimmt_replay.reveal(document, match.key)
            except ValueError as error:
                raise ReviewFailed(
                    f"the replay does not fit the key of its match: {error}"
                ) from None
        return document

    def _review(
        self, review: Review, document: dict[str, Any], stopping: threading.Event
    ) -> dict[str, Any]:
        request = {"replay": document, "seed": 0, "rollouts": self.rollouts}
        with tempfile.TemporaryFile() as errors, self._child(errors) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
            for news in self._news(child.stdout, self._beat(review, stopping)):
                if "error" in news:
                    raise ReviewFailed(news["error"])
                if "review" in news:
                    made: dict[str, Any] = news["review"]
                    return made
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
        raise ReviewFailed(f"the process that makes it ended: {(last or ['no reason given'])[0]}")

    @contextmanager
    def _child(self, errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        cores = ",".join(map(str, self.cores))
        child = subprocess.Popen(
            [*self.command, cores],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)},
            start_new_session=True,
        )
        try:
            yield child
        finally:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()

    def _beat(self, review: Review, stopping: threading.Event) -> Callable[[int, int, bool], None]:
        """Tells the database how far the work is, now and then; raises Interrupted."""
        told = [float("-inf")]

        def beat(done: int, total: int, last: bool) -> None:
            if stopping.is_set():
                raise Interrupted
            if not last and time.monotonic() - told[0] < BEAT_SECONDS:
                return
            told[0] = time.monotonic()
            with self.database.write() as session:
                if not store.reviews.advance(session, review.id, self.worker, done, total):
                    raise Interrupted

        return beat

    def _news(
        self, stdout: IO[bytes], beat: Callable[[int, int, bool], None]
    ) -> Iterator[dict[str, Any]]:
        """What the child says, line by line, with a beat all the while."""
        rest = b""
        done, total = 0, 0
        heard = time.monotonic()
        while True:
            beat(done, total, False)
            if not select.select([stdout], [], [], LOOK_SECONDS)[0]:
                if time.monotonic() - heard > STALL_SECONDS:
                    raise ReviewFailed(f"one decision took longer than {STALL_SECONDS:.0f} s")
                continue
            piece = os.read(stdout.fileno(), 1 << 16)
            if not piece:
                return
            heard = time.monotonic()
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                news: dict[str, Any] = json.loads(line)
                done, total = news.get("done", done), news.get("total", total)
                if "review" in news:
                    # A quick review may be over before anything was told of it.
                    beat(done, total, True)
                yield news
