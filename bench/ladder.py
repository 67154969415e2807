"""A ladder of the sample bots on the embedded league: does it find the order that is known?

Run `python -m bench.ladder --minutes 60`. It plays real matches in a temporary league and reports
the table, the pairs on which it contradicts sample_bots/README.md, what became of two copies of
one bot, and how long each bot had to wait against what was promised.
"""

import re
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import store
from bench.options import described
from bench.samples import BEGIN, FIELDS, README
from league import ladder as ladders
from league.bots import SAMPLES
from league.ladder import field as ladder_field
from league.ladder import plan_from
from league.ratings import publish
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from store import Ladder, Store

ACTOR = "the benchmark"
COPIED = "gap"
LOOK_SECONDS = 5.0
TELL_SECONDS = 300.0


class Known(NamedTuple):
    """What sample_bots/README.md says of a bot."""

    low: int
    high: int
    rating: float
    half: float


@dataclass(slots=True)
class Waits:
    """The longest a bot was idle, and the largest share of the promise that this was."""

    seconds: float = 0.0
    share: float = 0.0

    def see(self, idle: float, promised: float) -> None:
        self.seconds = max(self.seconds, idle)
        self.share = max(self.share, idle / promised)


@dataclass(slots=True)
class Watch:
    """Looks at a running ladder now and then."""

    database: Store
    ladder_id: int
    waits: dict[str, Waits] = field(default_factory=dict)
    promises: list[float] = field(default_factory=list)

    def look(self) -> None:
        with self.database.read() as session:
            found = store.present(session, Ladder, self.ladder_id)
            bots = ladder_field.read_field(session, found)
            promised = ladder_field.matchmaking(session, found, bots).longest_wait
        self.promises.append(promised)
        for bot in bots:
            # Who plays or is queued is not waiting to be drawn.
            if not bot.anchor and not bot.in_flight:
                self.waits.setdefault(bot.bot, Waits()).see(bot.idle_seconds, promised)


def known() -> dict[str, Known]:
    """The first table of sample_bots/README.md."""
    part = README.read_text(encoding="utf-8").partition(BEGIN)[2].split("\n### ")[1]
    row = re.compile(r"\| (\d+)(?: to (\d+))? \| \[(\w+)\]\(.*?\) \| (\d+) \| (\d+) \|")
    return {
        name: Known(int(low), int(high or low), float(elo), float(half))
        for low, high, name, elo, half in row.findall(part)
    }


def add_samples(database: Store, playouts: int) -> None:
    """Each sample under an owner of its own, because one owner's bots never meet; one twice."""
    field_ = FIELDS[0]
    with database.write() as session:
        # sleuth counts no playouts, and here it would think for most of a second.
        bots = [name for name in field_.bots if name != "sleuth"]
        for name in (*bots, f"{COPIED}-copy"):
            sample = name.removesuffix("-copy")
            program = [sys.executable, str(SAMPLES / sample / "bot.py")]
            if sample == "montecarlo":
                program += ["--playouts", str(playouts)]
            owner = store.accounts.add_owner(session, f"owner-of-{name}")
            bot = store.bots.add_bot(session, owner.id, name, [field_.rules])
            made = store.bots.add_version(session, bot.id, program=program, fingerprint=name)
            store.bots.accept_version(session, made.id)


def run(folder: Path, minutes: float, boards: int, slots: int, playouts: int) -> Watch:
    """Open the ladder and let it play until the end."""
    chosen = LeagueSettings(data_dir=folder, database_url=None, redis_url=None, slots=slots)
    database = open_store(chosen)
    add_samples(database, playouts)
    contest = FIELDS[0]
    game = {"rules": contest.rules, "options": contest.options, "table": contest.seats}
    # Strength is measured here, not speed: on a busy machine no bot may lose by its clock.
    calm = {"move_ms": 1000, "bank_ms": 60_000, "start_ms": 120_000}
    plan = plan_from({**game, **calm, "boards": boards})
    worker = make_worker(chosen, database)
    worker.start()
    with database.write() as session:
        watch = Watch(database, ladders.open_ladder(session, plan, ACTOR).id)
    end = time.monotonic() + 60 * minutes
    reported = time.monotonic()
    try:
        while time.monotonic() < end:
            time.sleep(LOOK_SECONDS)
            watch.look()
            if time.monotonic() - reported > TELL_SECONDS:
                reported = time.monotonic()
                print(f"{(end - reported) / 60:.0f} minutes left", flush=True)
                report(watch)
    finally:
        worker.stop()
    return watch


def report(watch: Watch) -> bool:
    """Print the table and what it says; False when something is not as it should be."""
    if publish.refresh(watch.database, watch.ladder_id) is None:
        print("nothing played yet")
        return False
    with watch.database.read() as session:
        table: Any = store.scales.scale(session, watch.ladder_id).standings
    rows = {row["bot"].partition("/")[2]: row for row in table["rows"]}
    expected = known()
    print(f"{table['games']} games, {table['blocks']} blocks")
    print("place  bot          rating ±95 %   group  README         games  longest wait")
    for name, row in rows.items():
        half, other = row["official_half"], expected.get(name)
        wait = watch.waits.get(str(row["version_id"]), Waits())
        print(
            f"{row['low']}-{row['high']:<4} {name:12} {row['official']:6.0f}"
            f" {'' if half is None else f'{half:5.0f}':>5}   {row['group']:5}"
            f"  {'' if other is None else f'{other.rating:.0f} ± {other.half:.0f}':13}"
            f"  {row['games']:6}  {wait.seconds:4.0f} s, {100 * wait.share:3.0f} % of the promise"
        )
    print(f"promised longest wait: {min(watch.promises):.0f} to {max(watch.promises):.0f} s")
    wrong = contradictions(rows, expected)
    print(f"pairs in the other order than in the README, beyond both intervals: {wrong or 'none'}")
    tied = COPIED in rows and f"{COPIED}-copy" in rows and _tied(rows)
    print(f"{COPIED} and its copy are {'tied' if tied else 'NOT tied'}", flush=True)
    starved = [name for name, wait in watch.waits.items() if wait.share > 1]
    return not wrong and tied and not starved


def contradictions(rows: dict[str, Any], expected: dict[str, Known]) -> list[str]:
    """Pairs that both tables separate, in opposite order."""
    return [
        f"{one} before {other}"
        for one in rows
        for other in rows
        if one in expected and other in expected
        if rows[one]["high"] < rows[other]["low"] and expected[other].high < expected[one].low
    ]


def _tied(rows: dict[str, Any]) -> bool:
    return bool(set(rows[COPIED]["group"]) & set(rows[f"{COPIED}-copy"]["group"]))


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="of play")
    parser.add_argument("--boards", type=int, default=20, help="in a match")
    parser.add_argument("--slots", type=int, default=1, help="matches at once")
    parser.add_argument("--playouts", type=int, default=30, help="of montecarlo")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bullring-ladder-") as folder:
        watch = run(Path(folder), given.minutes, given.boards, given.slots, given.playouts)
        good = report(watch)
        watch.database.close()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
