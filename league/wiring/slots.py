"""The cores of this machine: who plays on which, and who watches them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sandbox.canary import Canary, free_cores
from sandbox.host_sampler import HostSampler

if TYPE_CHECKING:
    from league.matches import Slot, Slots
    from league.settings import LeagueSettings


@contextmanager
def home_slot(*, void: bool) -> Iterator[Slot]:
    """The slot of a match or check at home: watched, but nobody waits for a calm machine.

    With `void`, lateness on an unfit host raises HostUnfit; otherwise it is told. Several
    commands at once share the cores, and each is foreign to the others.
    """
    from league.matches import Slot
    from league.settings import LeagueSettings

    [cores] = share_cores(1)
    if not cores or not LeagueSettings().fair_host:
        yield Slot(hold=False, void=void)
        return
    sampler, others = HostSampler(), free_cores(cores)
    sampler.start()
    try:
        with sampler.table(cores) as table:
            yield Slot(cores=cores, others=others, table=table, hold=False, void=void)
    finally:
        sampler.stop()


def share_cores(slots: int) -> list[tuple[int, ...]]:
    """The cores of this machine, by slot."""
    from league.matches import share_out, usable_cores

    return share_out(usable_cores(), slots)


def friendly_slot(settings: LeagueSettings) -> Slot:
    """Where friendly matches are played: on the tables' cores, or those that no match owns.

    Nobody watches these cores: such a match waits for nothing and is never void, it counts nowhere.
    """
    from league.matches import Slot, set_aside, spare_cores, usable_cores

    matches, tables = set_aside(usable_cores(), settings.slots, settings.table_slots)
    cores = tuple(tables) or spare_cores(matches, settings.slots)
    return Slot(cores=cores, hold=False, void=False)


def canary_cores(others: Sequence[int], tables: Sequence[int]) -> tuple[int, ...]:
    """Where the canary lives: on no core of any bot, tables' and friendlies' bots included.

    They could make it late, and with it hold the matches of others. Only where no other core is
    left does it share one.

    >>> canary_cores([0, 3], [3]), canary_cores([0], [])
    ((0,), (0,))
    """
    return tuple(core for core in others if core not in tables) or tuple(others)


def make_slots(settings: LeagueSettings) -> Slots:
    """The slots of a worker on this machine, and who watches them."""
    from league.matches import Slots, set_aside, share_out, usable_cores

    cores, tables = set_aside(usable_cores(), settings.slots, settings.table_slots)
    shares = share_out(cores, settings.slots)
    others = free_cores(core for share in shares for core in share)
    sampler = None
    if settings.fair_host:
        quiet = canary_cores(others, tables)
        canary = Canary(quiet) if quiet and any(shares) else None
        sampler = HostSampler(canary=canary)
    return Slots(shares, sampler, others=others, patience_s=settings.unfit_seconds)


def table_slots(settings: LeagueSettings) -> list[Slot]:
    """Where tables with people are played: a core each, or those that no match owns.

    Nobody watches these cores: a table waits for nothing and is never void, it counts nowhere.
    """
    from league.matches import Slot, set_aside, spare_cores, usable_cores

    usable, count = usable_cores(), settings.table_slots
    matches, own = set_aside(usable, settings.slots, count)
    if own:
        return [Slot(cores=(core,), hold=False, void=False) for core in own]
    spare = spare_cores(matches, settings.slots)
    return [Slot(cores=spare, hold=False, void=False)] * count
