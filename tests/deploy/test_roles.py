"""The worker's PostgreSQL role: enough to play and to check, and not a row more."""

import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine, make_url

import store
from league.matches import Player
from league.matches.inprocess import InProcessStage
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.submissions import CheckReport, FolderUploads, SubmissionProcessor
from league.submissions.check.report import Step
from league.wiring import join_store, open_store
from league.worker import tick
from sandbox.intake import Accepted
from store import (
    MatchState,
    SeasonState,
    Store,
    StoreError,
    SubmissionKind,
    SubmissionState,
)
from store.matches import LEAGUE_QUEUES
from store.roles import NOTHING, WORKER_RIGHTS, grant_worker
from tests.factories import add_bots
from tests.league.world import season_in

CLOSED = sorted(name for name, rights in WORKER_RIGHTS.items() if rights is NOTHING)
PASSWORD = "a word with 'quotes'"


@dataclass(frozen=True)
class League:
    """One database, as its owner and as a worker see it."""

    owner: Store
    worker: Store
    settings: LeagueSettings


@pytest.fixture
def league(postgres_url: str, tmp_path: Path) -> Iterator[League]:
    role = f"bullring_test_{secrets.token_hex(6)}"
    owner = Store(postgres_url, tmp_path / "replays")
    owner.migrate()
    grant_worker(postgres_url, "the first password", role)
    # A second run changes the password and nothing else.
    grant_worker(postgres_url, PASSWORD, role)
    url = make_url(postgres_url).set(username=role, password=PASSWORD)
    settings = LeagueSettings(
        data_dir=tmp_path, database_url=url.render_as_string(hide_password=False)
    )
    worker = join_store(settings)
    yield League(owner, worker, settings)
    worker.close()
    with owner.engine.begin() as connection:
        connection.execute(sa.text(f"DROP OWNED BY {role}"))
        connection.execute(sa.text(f"DROP ROLE {role}"))
    owner.close()


def refused(league: League, statement: str) -> bool:
    """Whether PostgreSQL itself says no; any other error fails the test."""
    with league.worker.engine.connect() as connection:
        try:
            connection.execute(sa.text(statement))
        except sa.exc.ProgrammingError as error:
            if "InsufficientPrivilege" not in str(error):
                raise
            return True
    return False


def test_every_table_says_what_a_worker_may_do_to_it() -> None:
    assert set(WORKER_RIGHTS) == set(store.METADATA.tables)


@pytest.mark.postgres
def test_a_worker_plays_and_stores_a_season_with_its_role(league: League) -> None:
    plan = SeasonPlan(name="small", rules="six-nimmt", boards=4)
    bots = add_bots(league.owner, ("highest", "random", "greedy", "taker"))
    season = season_in(league.owner, SeasonState.RUNNING, plan, bots)
    player = Player(league.worker, league.settings, InProcessStage(), "a worker", Event())
    with league.worker.write() as session:
        store.workers.beat(session, store.Worker(name="a worker", host="here", pid=1))
    bells = tick.fill(league.owner, league.settings)
    assert bells
    for bell in bells:
        player.play(bell.match_id)
    with league.worker.write() as session:
        store.attempts.reap(session, dead_worker="a worker")
        store.workers.sign_off(session, "a worker")
    with league.owner.read() as session:
        played = store.match_lists.matches(session, season_id=season.id)
        assert {match.state for match in played} == {MatchState.DONE}
        assert all(store.results.blob_of(session, match.id) for match in played)


class AllIsWell:
    """A workshop that accepts everything: here it is about the rows, not the image."""

    async def take_in(
        self, kind: SubmissionKind, source: str, data: AsyncIterator[bytes] | None
    ) -> Accepted:
        return Accepted(image="sha256:" + "0" * 64, name="n", fingerprint="f", unpacked=1, files=1)

    async def check(
        self, accepted: Accepted, rules: list[str], on_step: Callable[[str], None]
    ) -> CheckReport:
        step = Step(name="starts", ok=True, says="it does")
        return CheckReport(runner="docker", rules=tuple(rules), steps=(step,))


@pytest.mark.postgres
def test_a_worker_checks_a_submission_and_tells_its_owner(league: League) -> None:
    with league.owner.write() as session:
        owner = store.accounts.add_owner(session, "ada")
        bot = store.bots.add_bot(session, owner.id, "gap", ["x-nimmt"])
        made, _ = store.bots.submit(
            session, owner.id, bot.id, SubmissionKind.REFERENCE, "registry/gap@sha256:0"
        )
    uploads = FolderUploads(league.settings.uploads)
    processor = SubmissionProcessor(league.worker, uploads, AllIsWell(), "a worker")
    processor.process(made.id)
    with league.owner.read() as session:
        found = store.bots.submission(session, made.id)
        assert found.state is SubmissionState.ACCEPTED, found.log
        assert store.inbox.unread(session, owner.id) == 1


@pytest.mark.postgres
def test_accounts_tokens_and_audit_are_closed_to_workers(league: League) -> None:
    assert {"audit_log", "invitations", "sign_ins", "tokens"} <= set(CLOSED)
    for table in CLOSED:
        assert refused(league, f"SELECT 1 FROM {table}"), table
        assert refused(league, f"INSERT INTO {table} DEFAULT VALUES"), table
        assert refused(league, f"DELETE FROM {table}"), table
    assert refused(league, "SELECT password_hash FROM owners")
    assert refused(league, "UPDATE owners SET role = 'organiser'")
    assert refused(league, "INSERT INTO owners (handle) VALUES ('mallory')")
    assert refused(league, "SELECT body FROM inbox")
    assert not refused(league, "SELECT id, handle FROM owners")


@pytest.mark.postgres
def test_a_worker_can_neither_change_the_schema_nor_give_itself_rights(league: League) -> None:
    assert refused(league, "CREATE TABLE mine (id int)")
    assert refused(league, "ALTER TABLE matches ADD COLUMN mine int")
    assert refused(league, "CREATE ROLE mallory SUPERUSER")
    assert refused(league, "UPDATE alembic_version SET version_num = '0'")
    assert refused(league, "UPDATE seasons SET state = 'finished'")


@pytest.fixture
def ordinary(postgres_url: str) -> Iterator[tuple[str, Engine]]:
    """The address of an empty database of a user without any privilege, and a superuser."""
    name = f"bullring_plain_{secrets.token_hex(6)}"
    admin = sa.create_engine(Store(postgres_url, "unused").url, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE ROLE {name} LOGIN PASSWORD 'plain'"))
        connection.execute(sa.text(f"CREATE DATABASE {name} OWNER {name}"))
    plain = make_url(postgres_url).set(username=name, password="plain", database=name)
    yield plain.render_as_string(hide_password=False), admin
    with admin.connect() as connection:
        connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
        connection.execute(sa.text(f"DROP ROLE IF EXISTS {name}_worker"))
        connection.execute(sa.text(f"DROP ROLE {name}"))
    admin.dispose()


@pytest.mark.postgres
def test_an_upgrade_needs_no_superuser_and_says_what_one_has_to_do_once(
    ordinary: tuple[str, Engine], tmp_path: Path
) -> None:
    address, admin = ordinary
    open_store(LeagueSettings(data_dir=tmp_path, database_url=address)).close()
    role = f"{make_url(address).username}_worker"
    with pytest.raises(StoreError, match=f"CREATE ROLE {role} LOGIN"):
        grant_worker(address, PASSWORD, role)
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE ROLE {role} LOGIN PASSWORD 'x'"))
    grant_worker(address, PASSWORD, role)
    worker = make_url(address).set(username=role, password="x")
    url = worker.render_as_string(hide_password=False)
    database = join_store(LeagueSettings(data_dir=tmp_path, database_url=url))
    with database.read() as session:
        assert store.attempts.any_queued(session, LEAGUE_QUEUES) is False
    database.close()
