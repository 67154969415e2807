"""What a match takes at rest: its archive beside the zstd file of earlier releases.

Run `python -m bench.league_archive` (seconds): plays one real match and stores it both ways. Bytes
and CPU time are compared within the run, so a busy machine changes little; best of five.
"""

import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

import store
from bench.options import described
from bench.scale_costs import real_match
from league.settings import LeagueSettings
from league.wiring import open_store
from store import Blob, Blobs

RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form of a match at rest; CPU in milliseconds."""

    size: int
    write: float
    read: float
    """All games."""
    read_one: float
    """A game in the middle, as a page shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Both forms of one match."""

    games: int
    text: int
    """Bytes of its replays as they are downloaded."""
    played: float
    """CPU of the whole match, bots included."""
    old: Form
    new: Form


def compare(folder: Path, boards: int) -> Compared:
    """Play a match and store it both ways; what is read back is compared byte for byte."""
    match = real_match(folder / "league", boards)
    database = open_store(LeagueSettings(data_dir=folder / "league"))
    with database.read() as session:
        blob = store.results.blob_of(session, 1)
    assert blob is not None, "the match was not stored"
    lines = list(database.blobs.lines(blob.sha256))
    database.close()
    blobs = Blobs(folder / "both")
    return Compared(
        games=len(lines),
        text=sum(map(len, lines)) + len(lines),
        played=1000 * match.cpu,
        old=_form(blobs, lines, plain=True),
        new=_form(blobs, lines, plain=False),
    )


def _form(blobs: Blobs, lines: list[bytes], *, plain: bool) -> Form:
    def write() -> Blob:
        return blobs.write(lines, plain=plain)

    blob = write()
    assert (blob.plain is None) is not plain, f"stored in full: {blob.plain}"
    assert list(blobs.lines(blob.sha256)) == lines, "what is read is what was written"
    return Form(
        size=blob.size,
        write=_cpu(write),
        read=_cpu(lambda: list(blobs.lines(blob.sha256))),
        read_one=_cpu(lambda: blobs.line(blob.sha256, len(lines) // 2)),
    )


def _cpu(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(RUNS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return 1000 * min(taken)


def told(found: Compared) -> Iterable[tuple[str, str, str, str]]:
    """The table: what, before, now, ratio."""
    old, new = found.old, found.new
    yield (
        f"a match of {found.games} games at rest",
        f"{old.size / 1024:.1f} KiB",
        f"{new.size / 1024:.1f} KiB",
        f"{new.size / old.size:.2f}",
    )
    for what, before, now in (
        ("store it, in CPU time", old.write, new.write),
        ("read all its games", old.read, new.read),
        ("read one of them", old.read_one, new.read_one),
    ):
        yield what, f"{before:.1f} ms", f"{now:.1f} ms", f"{now / before:.2f}"


def main() -> None:
    """Measure and print one table."""
    parser = described(__doc__)
    parser.add_argument("--boards", type=int, default=100, help="of the match")
    with tempfile.TemporaryDirectory() as name:
        found = compare(Path(name), parser.parse_args().boards)
    shown = Table(title=f"A match at rest ({found.text / 2**20:.1f} MiB as replays)")
    for column in ("what", "zstd lines", "archive", "ratio"):
        shown.add_column(column)
    for row in told(found):
        shown.add_row(*row)
    console = Console(width=100)
    console.print(shown)
    console.print(f"The whole match took {found.played:.0f} ms of CPU, bots included.")


if __name__ == "__main__":
    main()
