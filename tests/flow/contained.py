"""A league with containers for tests: sample bots that authors submitted, and a season of them."""

import tarfile
from collections.abc import Sequence
from pathlib import Path

import store
from league import seasons, wiring
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from store import SeasonState, Store, SubmissionKind, SubmissionState
from tests.league.world import state_of, wait_for

SAMPLES = Path(__file__).resolve().parents[2] / "sample_bots"
SENT = ("Dockerfile", "Makefile", "bot.py", "bot.js", "bot.cpp", "bot.rb", "bot.go")
# Generous: these tests are about containment, and the machine may be busy.
PATIENT = {"move_ms": 2000, "bank_ms": 20_000, "start_ms": 120_000}
PATIENCE_SECONDS = 600


def submit(
    database: Store, settings: LeagueSettings, bot: str, rules: str, folders: Path = SAMPLES
) -> int:
    """Hand a folder in; `ada/gap` is the sample gap in the name of ada."""
    owner, sample = bot.split("/")
    folder = folders / sample if (folders / sample).is_dir() else SAMPLES / sample
    settings.uploads.mkdir(parents=True, exist_ok=True)
    with tarfile.open(settings.uploads / f"{owner}.tar.gz", "w:gz") as tar:
        for name in SENT:
            if (folder / name).exists():
                tar.add(folder / name, name)
    with database.write() as session:
        person = store.accounts.add_owner(session, owner)
        made = store.bots.add_bot(session, person.id, sample, [rules])
        sent, _ = store.bots.submit(
            session, person.id, made.id, SubmissionKind.BUILD_CONTEXT, f"{owner}.tar.gz"
        )
    return sent.id


def play_season(
    settings: LeagueSettings,
    database: Store,
    bots: Sequence[str],
    plan: SeasonPlan,
    folders: Path = SAMPLES,
) -> int:
    """Hand the bots in, and let a worker build, check and play them; the id of their season.

    Bots are taken from `folders`, or are samples.
    """
    submissions = [submit(database, settings, bot, plan.rules, folders) for bot in bots]
    worker = wiring.make_worker(settings, database)
    worker.start()
    try:
        wait_for(
            lambda: all(_state(database, one).is_final for one in submissions), PATIENCE_SECONDS
        )
        for one in submissions:
            assert _state(database, one) is SubmissionState.ACCEPTED, _log(database, one)
        season = _start(database, bots, plan)
        wait_for(lambda: state_of(database, season) is SeasonState.FINISHED, PATIENCE_SECONDS)
    finally:
        worker.stop()
    return season


def _start(database: Store, bots: Sequence[str], plan: SeasonPlan) -> int:
    with database.write() as session:
        made = seasons.create(session, plan, "test")
        seasons.open_entries(session, made.id, "test")
        for bot in bots:
            seasons.enter(session, made.id, bot, "test")
        seasons.freeze_season(session, made.id, "test")
        seasons.start(session, made.id, "test")
    return made.id


def _state(database: Store, submission_id: int) -> SubmissionState:
    with database.read() as session:
        return store.bots.submission(session, submission_id).state


def _log(database: Store, submission_id: int) -> str:
    with database.read() as session:
        return store.bots.submission(session, submission_id).log
