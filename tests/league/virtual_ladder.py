"""A ladder in virtual time: slots, a clock, matches of uneven length, and no games at all."""

from collections import Counter, deque
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random

from league.ladder.draw import choose, feasible_wait, most_at_once
from league.ladder.entrants import LadderBot, LadderSettings, LadderTable

TICK = 2.0
QUEUE_AHEAD = 2
REMEMBERED = 200


@dataclass(slots=True)
class Report:
    """What happened on the ladder."""

    tables: list[LadderTable] = field(default_factory=list)
    waits: Counter[str] = field(default_factory=Counter)
    """The longest that each bot was idle, in whole seconds."""
    busy: float = 0.0
    """Share of the slots' time in which they played."""
    promised: float = 0.0

    def near_repeats(self, back: int = 5) -> int:
        """Tables that are one of the few before them again."""
        sets = [frozenset(table.bots) for table in self.tables]
        return sum(one in sets[max(0, i - back) : i] for i, one in enumerate(sets))

    def meetings(self) -> Counter[frozenset[str]]:
        return Counter(
            frozenset(pair) for table in self.tables for pair in combinations(table.bots, 2)
        )


@dataclass(slots=True)
class VirtualLadder:
    """Bots with a pace of their own: a match takes as long as its bots think."""

    bots: list[LadderBot]
    slots: int
    seats: int = 4
    cap: int = 2
    seed: int = 1
    fast: float = 1.0
    slow: float = 6.0
    """Seconds that a bot adds to a match: the first the least, the last the most."""

    def pace(self, name: str) -> float:
        names = [bot.bot for bot in self.bots]
        share = names.index(name) / max(1, len(names) - 1)
        return self.fast + (self.slow - self.fast) * share

    def settings(self) -> LadderSettings:
        usual = self.seats * (self.fast + self.slow) / 2 + 1
        at_once = min(self.slots, most_at_once(len(self.bots), self.seats, self.cap))
        wait = max(60.0, feasible_wait(len(self.bots), self.seats, usual, at_once))
        return LadderSettings(seats=self.seats, cap=self.cap, longest_wait=wait)

    def run(self, matches: int) -> Report:
        """Play until this many tables are drawn."""
        rng = Random(self.seed)
        settings = self.settings()
        report = Report(promised=settings.longest_wait)
        free_since = dict.fromkeys([bot.bot for bot in self.bots], 0.0)
        flying: Counter[str] = Counter()
        queued: deque[LadderTable] = deque()
        running: list[tuple[float, LadderTable]] = []
        recent: deque[LadderTable] = deque(maxlen=REMEMBERED)
        now = played = 0.0
        while len(report.tables) < matches:
            # Slots take what is queued the moment they are free; the clock draws at every tick.
            due = sorted(one for one in running if one[0] <= now)
            for ended, table in due:
                running.remove((ended, table))
                for bot in table.bots:
                    flying[bot] -= 1
                    free_since[bot] = ended
                if queued:
                    played += self._start(running, queued.popleft(), ended, rng)
            if any(end <= now for end, _ in running):
                continue
            states = [
                replace(bot, in_flight=flying[bot.bot], idle_seconds=now - free_since[bot.bot])
                for bot in self.bots
            ]
            for state in states:
                if not state.in_flight:
                    wait = int(state.idle_seconds)
                    report.waits[state.bot] = max(report.waits[state.bot], wait)
            met = Counter(
                frozenset(pair) for table in recent for pair in combinations(table.bots, 2)
            )
            room = QUEUE_AHEAD * self.slots - len(queued)
            drawn = choose(
                states, count=room, seed=rng.getrandbits(32), settings=settings, meetings=met
            )
            for table in drawn:
                report.tables.append(table)
                recent.append(table)
                queued.append(table)
                flying.update(table.bots)
            while queued and len(running) < self.slots:
                played += self._start(running, queued.popleft(), now, rng)
            now += TICK
        report.busy = played / (now * self.slots)
        return report

    def _start(
        self,
        running: list[tuple[float, LadderTable]],
        table: LadderTable,
        now: float,
        rng: Random,
    ) -> float:
        seconds = 1.0 + sum(self.pace(bot) for bot in table.bots) * rng.uniform(0.5, 1.5)
        running.append((now + seconds, table))
        return seconds
