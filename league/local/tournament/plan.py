"""What a tournament plays: its bots, its format, and the table of every match. No file, no process.

The same tournament gives the same tables and boards, so one that was stopped can go on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import nimmt
from league.bots import LocalBot
from league.local.match import DUPLICATE_UP_TO, LocalMatch
from league.local.tournament.formats import BUDGET, GAIN, MEETINGS, Format
from referee.plan import TimeControl
from referee.records import to_json

FORMAT = "bullring-tournament/1"
SEED_STEP = 1_000_003
"""Seeds of matches: far enough apart that two small seeds of tournaments share no board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A bot of a tournament."""

    name: str
    """Different from every other name in it."""
    typed: str
    """What was typed to name it."""
    fingerprint: str
    """Of its files: another one is another bot."""
    bot: LocalBot


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """Everything that decides what is played. `check()` it before use."""

    rules: str
    options: Mapping[str, Any] = field(default_factory=dict)
    bots: tuple[Contestant, ...]
    format: Format = Format.ROUND_ROBIN
    table: int
    """Seats at every table."""
    meetings: int = MEETINGS
    """How often two bots meet; in a gauntlet, the first bot and each of the rest."""
    boards: int = 100
    """Of each match; with one pass, rounded up to whole blocks."""
    duplicate: bool | None = None
    """Every board with every seating; None leaves it to the size of the table."""
    seed: int
    time: TimeControl = field(default_factory=TimeControl)
    in_flight: int = 64
    sandbox: str = "process"
    tcp: bool = False
    gain: float = GAIN
    """Sequential: points per round by which the first bot should be better."""
    budget: int = BUDGET
    """Sequential: the most blocks to play."""

    def check(self) -> None:
        """ValueError says what cannot be played, and what to do."""
        nimmt.get(self.rules, self.options).check_players(self.table)
        bots = len(self.bots)
        if bots < 2:
            raise ValueError(f"a tournament needs two or more bots, got {bots}; name more")
        if self.table > bots:
            raise ValueError(
                f"a table of {self.table} needs as many bots, got {bots}; name more bots, or choose"
                f" --table {bots} or less"
            )

    @property
    def duplicated(self) -> bool:
        """Whether every board is played with every seating."""
        return self.table <= DUPLICATE_UP_TO if self.duplicate is None else self.duplicate

    @property
    def games_per_match(self) -> int:
        """Only whole blocks count, so a single pass has whole laps of the table."""
        laps = -(-self.boards // self.table) * self.table
        return self.boards * self.table if self.duplicated else laps

    @property
    def blocks_per_match(self) -> int:
        """Blocks, in each of which every bot has every seat."""
        return self.games_per_match // self.table

    def tables(self) -> tuple[tuple[int, ...], ...]:
        """The bots of every match, by their index, in the order of play."""
        match self.format:
            case Format.ROUND_ROBIN:
                return self._round_robin()
            case Format.GAUNTLET:
                each = -(-self.meetings * (len(self.bots) - 1) // (self.table - 1))
                return self._dealt((0,), each)
            case Format.SEQUENTIAL:
                return self._dealt((0, 1), -(-self.budget // self.blocks_per_match))

    def _round_robin(self) -> tuple[tuple[int, ...], ...]:
        from league.schedule import Entrant, make_schedule

        names = [one.name for one in self.bots]
        # At home nobody's bots have to be kept apart: each is its own owner's.
        entrants = [Entrant(bot=name, owner=name) for name in names]
        plan = make_schedule(entrants, self.table, meetings=self.meetings, seed=self.seed)
        return tuple(tuple(names.index(name) for name in one.seats) for one in plan.tables)

    def _dealt(self, always: tuple[int, ...], tables: int) -> tuple[tuple[int, ...], ...]:
        """Tables with some bots at all of them, and the other seats dealt evenly to the rest."""
        from league.gate import deal

        rest = [str(index) for index in range(len(always), len(self.bots))]
        hands = deal(rest, self.table - len(always), f"tournament {self.seed}")
        return tuple((*always, *map(int, hand)) for hand in islice(hands, tables))

    def match(self, number: int, table: Sequence[int], thinkers: int | None = None) -> LocalMatch:
        """One match, by its number from 1."""
        return LocalMatch(
            name=f"tournament-{number}",
            rules=self.rules,
            bots=tuple(self.bots[index].bot for index in table),
            names=tuple(self.bots[index].name for index in table),
            options=self.options,
            boards=self.boards if self.duplicated else self.games_per_match,
            duplicate=self.duplicated,
            seed=self.seed * SEED_STEP + number,
            time=self.time,
            in_flight=self.in_flight,
            thinkers=thinkers,
            sandbox=self.sandbox,
            tcp=self.tcp,
        )

    def about(self) -> dict[str, Any]:
        """What decides the results, as JSON: a tournament that differs in this is another one."""
        found: dict[str, Any] = {
            "format": FORMAT,
            "rules": self.rules,
            "options": dict(nimmt.get(self.rules, self.options).options),
            "kind": self.format.value,
            "table": self.table,
            "meetings": self.meetings,
            "boards": self.boards,
            "duplicate": self.duplicated,
            "seed": self.seed,
            "time": to_json(self.time),
            "in_flight": self.in_flight,
            "sandbox": self.sandbox,
            "tcp": self.tcp,
            "gain": self.gain,
            "budget": self.budget,
        }
        bots = [
            {"name": one.name, "typed": one.typed, "fingerprint": one.fingerprint}
            for one in self.bots
        ]
        return {**found, "bots": bots}
