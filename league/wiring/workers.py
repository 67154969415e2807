"""The processes that play and keep the clock, with everything that they need."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from league.wiring.checks import worker_checks
from league.wiring.sandboxes import docker_engine, fetch_images, league_sandbox, reap
from league.wiring.slots import friendly_slot, make_slots, table_slots
from league.wiring.workshop import make_processor
from sandbox.api import Sandbox
from sandbox.owner import Owner

if TYPE_CHECKING:
    from league.live import Watch
    from league.matches import SandboxStage, Slots, TableBot
    from league.settings import LeagueSettings
    from league.worker import Standing, Work, Worker
    from referee.plan import MatchPlan
    from referee.result import MatchResult
    from store import Store


class NoStage:
    """Where a lone clock would play, if it played."""

    runner = "none"

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        """Never called: a lone clock consumes no queue of matches."""
        from league.matches import VoidMatch

        raise VoidMatch("this process keeps the clock and plays no matches")


def make_clock(settings: LeagueSettings, database: Store) -> Worker:
    """Only the clock: dates, queue, lost matches, ratings. It needs no sandbox."""
    from league.worker import Worker

    return Worker(settings, database, NoStage(), clock=True, plays=False)


def make_worker(
    settings: LeagueSettings, database: Store, *, clock: bool = True, watch: Watch | None = None
) -> Worker:
    """A worker that plays in the sandbox of these settings.

    Raises PlatformFault or OSError where this machine is not ready for one, and leaves nothing.
    """
    from league.matches import HostGuard, SandboxStage, Zygote
    from league.worker import Admission, Worker, worker_name

    host = _machine(settings)
    owner, found_dead = _own(settings, host)
    slots = make_slots(settings)

    def sandbox() -> Sandbox:
        # House bots are trusted programs of this checkout and play beside the containers.
        return league_sandbox(settings, owner)

    guard = None
    if settings.sandbox == "docker":
        guard = HostGuard(partial(docker_engine, settings.engine_seconds))
    zygote = Zygote()
    stage = SandboxStage(sandbox, owner, guard, settings.referee_uid, zygote.start)

    def let_go() -> None:
        zygote.close()
        owner.close()

    name = worker_name()
    return Worker(
        settings,
        database,
        stage,
        work=[
            *_other_work(settings, database, owner, name, slots),
            *_friendlies(settings, database, stage, name, watch, _fetcher(settings, owner)),
            *_tables(settings, database, stage, name, owner),
        ],
        clock=clock,
        watch=watch,
        name=name,
        host=host,
        owner=owner.token,
        found_dead=found_dead,
        slots=slots,
        admitted=partial(stage.admitted, slots),
        let_go=let_go,
        fetch=_fetcher(settings, owner),
        admission=Admission(worker_checks(settings, database)),
    )


def _own(settings: LeagueSettings, host: str) -> tuple[Owner, list[str]]:
    """This process as an owner, and who of this machine was found dead; their things are gone."""
    owner = Owner(host=host)
    try:
        # Socket folders of processes that died are of no further use.
        found_dead = owner.sweep()
        if settings.sandbox == "docker":
            asyncio.run(reap(owner, settings))
    except BaseException:
        owner.close()
        raise
    return owner, found_dead


def _other_work(
    settings: LeagueSettings, database: Store, owner: Owner, name: str, slots: Slots
) -> list[Work]:
    """What a worker does beside matches: a new kind of work is one more entry of this list."""
    from league.worker import match_reviews, submission_checks

    check: Callable[[int], None] = _not_here
    if settings.sandbox == "docker":
        check = make_processor(settings, database, owner, name, slots)
    work = [submission_checks(database, check)]
    if settings.reviews:
        work.append(match_reviews(_review_maker(settings, database, name)))
    return work


def _friendlies(
    settings: LeagueSettings,
    database: Store,
    stage: SandboxStage,
    name: str,
    watch: Watch | None,
    fetch: Callable[[Sequence[str]], object],
) -> list[Work]:
    """Friendly matches, in slots of their own."""
    from league.matches import Player
    from league.worker import FRIENDLIES, friendly_matches

    if not settings.friendly_slots:
        return []
    place = stage.in_slot(friendly_slot(settings))

    def player_for(standing: Standing) -> Player:
        return Player(
            database,
            settings,
            place,
            name,
            standing.stopping,
            watch,
            is_fit=standing.is_fit,
            fetch=fetch,
            queues=(FRIENDLIES,),
        )

    return [friendly_matches(database, player_for, settings.friendly_slots)]


def _tables(
    settings: LeagueSettings, database: Store, stage: SandboxStage, name: str, owner: Owner
) -> list[Work]:
    """Tables with people, in slots of their own."""
    from league.people import LEASE_SECONDS, TablePlayer
    from league.worker import people_tables

    free = table_slots(settings)
    if not free:
        return []
    lease = min(settings.lease_seconds, LEASE_SECONDS)
    own_settings = settings.model_copy(update={"lease_seconds": lease})
    fetch = _fetcher(settings, owner)

    @contextmanager
    def seated(leaving: threading.Event) -> Iterator[TablePlayer]:
        # As many threads as slots come here, so one is always free.
        slot = free.pop()
        try:
            yield TablePlayer(
                database,
                own_settings,
                stage.in_slot(slot),
                name,
                leaving,
                fetch=fetch,
                queues=("people",),
                referee_uid=settings.referee_uid,
            )
        finally:
            free.append(slot)

    return [people_tables(database, seated, settings.table_slots)]


def _fetcher(settings: LeagueSettings, owner: Owner) -> Callable[[Sequence[str]], object]:
    if settings.sandbox != "docker":
        return lambda _: None
    return lambda images: asyncio.run(fetch_images(settings, owner, images))


def _review_maker(
    settings: LeagueSettings, database: Store, name: str
) -> Callable[[threading.Event], bool]:
    """What makes reviews in this worker, away from the cores of its slots."""
    from league.matches import spare_cores, usable_cores
    from league.reviews import ReviewMaker

    cores = spare_cores(usable_cores(), settings.slots)
    maker = ReviewMaker(
        database=database, worker=name, cores=cores, rollouts=settings.review_rollouts
    )
    return maker.make_next


def _not_here(submission_id: int) -> None:
    """Without containers nothing that was uploaded may run: it waits for a worker with Docker."""


def _machine(settings: LeagueSettings) -> str:
    """The name of this machine: the engine's, because a worker in a container of its own has a
    name that no other has, and would not find what its predecessor left."""
    if settings.sandbox != "docker":
        return socket.gethostname()
    engine = docker_engine()
    try:
        return str(asyncio.run(engine.info())["Name"])
    finally:
        engine.close()


def spectators(settings: LeagueSettings, pipe: int | None = None) -> Watch | None:
    """Where a worker in a process of its own tells what is being played: to Redis, or by a pipe to
    the process with the pages; None where no process listens."""
    from league.live import Broadcast, Relay, to_pipe, to_redis

    broadcast = Broadcast()
    if settings.redis_url is not None:
        Relay(broadcast, to_redis(settings.redis_url, settings.redis_seconds))
    elif pipe is not None:
        Relay(broadcast, to_pipe(pipe))
    else:
        return None
    return broadcast
