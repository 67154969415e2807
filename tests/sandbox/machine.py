"""A machine of numbers: cores that spend their time as a test says, and a clock that it moves.

It has a canary of numbers, too, which is late when the test says so.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field

from sandbox.canary import Sighting
from sandbox.host_sampler import HostSampler, TableWatch
from sandbox.host_time import CoreTimes

STEP_S = 0.1


@dataclass
class Machine:
    """Counters of some cores and of one table's bots, moved on by hand."""

    cores: tuple[int, ...] = (1,)
    now: float = 1000.0
    idle: dict[int, float] = field(default_factory=dict)
    steal: float = 50.0
    own: float = 0.0
    waited: float | None = None
    """How long the bots were ready to run and did not; None: this machine does not say."""
    blind: bool = False
    """Whether this machine has no counters of its cores, like macOS."""

    def __post_init__(self) -> None:
        self.idle = dict.fromkeys((0, *self.cores), 500.0)
        self.match = ExitStack()
        """Closed when the match is over."""
        self.seen: list[Sighting] = []
        self.sampler = HostSampler(cores=self.read, clock=lambda: self.now, canary=self)

    def start(self) -> None:
        """As a canary."""

    def stop(self) -> None:
        """As a canary."""

    def sightings(self) -> list[Sighting]:
        return list(self.seen)

    def read(self) -> dict[int, CoreTimes]:
        if self.blind:
            return {}
        # The kernel counts in steps of 10 ms.
        return {
            core: CoreTimes(idle=round(idle, 2), steal=round(self.steal, 2))
            for core, idle in self.idle.items()
        }

    def cpu_seconds(self) -> float:
        return self.own

    def go(
        self,
        seconds: float,
        *,
        own: float = 0.0,
        foreign: float = 0.0,
        steal: float = 0.0,
        waited: float | None = None,
        late: bool = False,
    ) -> tuple[float, float]:
        """Time goes by; own, foreign and stolen time are shares of all the table's cores.

        `waited` is how many of the table's threads wait for a core, `late` is about the canary.
        """
        assert own + foreign + steal <= 1.0 + 1e-9
        began = self.now
        for _ in range(round(seconds / STEP_S)):
            self.now += STEP_S
            for core in self.cores:
                self.idle[core] += STEP_S * (1.0 - own - foreign - steal)
            self.steal += STEP_S * steal
            self.own += STEP_S * own * len(self.cores)
            if waited is not None:
                self.waited = (self.waited or 0.0) + STEP_S * waited
            took = 0.5 if late else 0.01
            self.seen.append(Sighting(kind="ask", began=self.now - took, ended=self.now))
            self.sampler.sample()
        return began, self.now


def watched(machine: Machine) -> TableWatch:
    """The machine's one table, with its bots."""
    table = machine.match.enter_context(machine.sampler.table(machine.cores))
    table.add(machine.cpu_seconds, lambda: machine.waited)
    return table
