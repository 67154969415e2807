"""Real services for tests: a fixture each, and one rule for what happens when one is missing.

A missing service is a visible skip on somebody's machine and a failure where BULLRING_REQUIRE=all.
Redis and PostgreSQL are taken from BULLRING_TEST_REDIS_URL and BULLRING_TEST_POSTGRES_URL, else a
private throwaway server is started on loopback when its program is installed.
"""

import gc
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import docker
import psycopg
import pytest
import redis
from psycopg import sql

START_SECONDS = 60
CHROMIUM_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chromium-headless-shell",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
POSTGRES_FOLDERS = ("/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin")


def missing(service: str, advice: str) -> NoReturn:
    """Skip the test with the reason, or fail it where every service is required."""
    if os.environ.get("BULLRING_REQUIRE") == "all":
        pytest.fail(f"{service} is required here (BULLRING_REQUIRE=all) and missing: {advice}")
    pytest.skip(f"needs {service}: {advice}")


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[docker.DockerClient]:
    """A client of a running Docker engine."""
    client = connect_docker()
    if isinstance(client, str):
        missing("a Docker engine", f"start one or set DOCKER_HOST ({client})")
    yield client
    client.close()


def connect_docker() -> docker.DockerClient | str:
    """A client of the engine, or why there is none."""
    with warnings.catch_warnings():
        # The Docker library forgets to close its socket when nobody listens.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            # "auto" asks the engine for its version, so it fails when none is there.
            return docker.from_env(version="auto")
        except docker.errors.DockerException as error:
            reason = str(error)
        gc.collect()
        return reason


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The program file of a Chromium or Chrome."""
    names = (os.environ.get("BULLRING_TEST_CHROMIUM", ""), *CHROMIUM_NAMES)
    for name in names:
        found = shutil.which(name) if name else None
        if found:
            return found
    missing("Chromium", "install chromium or set BULLRING_TEST_CHROMIUM to its program file")


@pytest.fixture(scope="session")
def bubblewrap() -> str:
    """The program file of a bubblewrap that may make namespaces here."""
    program = shutil.which("bwrap")
    if program is None:
        missing("bubblewrap", "install bubblewrap")
    trial = subprocess.run(
        [program, "--ro-bind", "/", "/", "--unshare-all", "true"], capture_output=True, text=True
    )
    if trial.returncode != 0:
        missing("bubblewrap", f"it may not make namespaces here ({trial.stderr.strip()})")
    return program


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The URL of a Redis server that tests may fill and empty."""
    given = os.environ.get("BULLRING_TEST_REDIS_URL")
    if given:
        yield given
        return
    program = shutil.which("redis-server")
    if program is None:
        missing("Redis", "install redis-server or set BULLRING_TEST_REDIS_URL")
    with scratch_folder(owner=None) as folder:
        serve, url = redis_in(program, folder)
        with running(serve, folder, ready=lambda: ping_redis(url)):
            yield url


def redis_in(program: str, folder: Path) -> tuple[list[str], str]:
    """The command that serves a private Redis, which keeps nothing when it ends, and its URL."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    return [program, *options], f"redis://127.0.0.1:{port}/0"


@pytest.fixture
def redis_url(redis_server: str, worker_index: int) -> Iterator[str]:
    """An empty Redis database of this test process."""
    # Test processes share a server that was given from outside, and 16 databases are the default.
    url = f"{redis_server.rsplit('/', 1)[0]}/{worker_index % 16}"
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield url
        client.flushdb()


@pytest.fixture(scope="session")
def worker_index() -> int:
    """The number of this pytest-xdist process, 0 when the tests run in one process."""
    return int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server on which tests may create databases."""
    given = os.environ.get("BULLRING_TEST_POSTGRES_URL")
    if given:
        yield given.replace("postgresql+psycopg://", "postgresql://")
        return
    programs = find_postgres()
    if programs is None:
        missing("PostgreSQL", "install postgresql or set BULLRING_TEST_POSTGRES_URL")
    owner = server_account()
    with scratch_folder(owner) as folder:
        serve, url = make_postgres(programs, folder, owner)
        with running(serve, folder, ready=lambda: ping_postgres(url), owner=owner):
            yield url


def make_postgres(programs: Path, folder: Path, owner: str | None) -> tuple[list[str], str]:
    """Make the data of a private PostgreSQL; returns the command that serves them, and its URL."""
    password = secrets.token_hex(16)
    password_file = folder / "password"
    password_file.write_text(password)
    give(password_file, owner)
    data = folder / "data"
    create = [str(programs / "initdb"), "--username=bullring", "--auth=scram-sha-256"]
    create += [f"--pwfile={password_file}", "--encoding=UTF8", "--no-sync", str(data)]
    subprocess.run(create, user=owner, cwd=folder, check=True, capture_output=True)
    port = free_port()
    serve = [str(programs / "postgres"), "-D", str(data), "-p", str(port)]
    serve += ["-h", "127.0.0.1", "-k", "", "-c", "fsync=off"]
    return serve, f"postgresql://bullring:{password}@127.0.0.1:{port}/postgres"


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The SQLAlchemy URL of a fresh, empty database, dropped after the test."""
    with fresh_database(postgres_server) as url:
        yield url


@contextmanager
def fresh_database(server: str, template: str = "template1") -> Iterator[str]:
    """A new database on `server`, a copy of `template`, dropped at the end."""
    name = f"bullring_test_{secrets.token_hex(8)}"
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            base = server.rsplit("/", 1)[0].removeprefix("postgresql://")
            yield f"postgresql+psycopg://{base}/{name}"
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(name)))


def find_postgres() -> Path | None:
    """The folder with initdb and postgres; Debian keeps it off PATH."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    for pattern in POSTGRES_FOLDERS:
        folders = sorted(Path("/").glob(pattern.removeprefix("/")))
        if folders:
            return folders[-1]
    return None


def server_account() -> str | None:
    """PostgreSQL refuses to run as root, so root starts it as somebody else."""
    if os.geteuid() != 0:
        return None
    accounts = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in accounts else "nobody"


def give(path: Path, owner: str | None) -> None:
    """Hand a file or folder to the account that the server runs as."""
    if owner is not None:
        shutil.chown(path, user=owner)


@contextmanager
def scratch_folder(owner: str | None) -> Iterator[Path]:
    """A folder outside pytest's own, which other accounts may not enter."""
    with tempfile.TemporaryDirectory(prefix="bullring-test-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        give(folder, owner)
        yield folder


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(
    command: list[str], folder: Path, ready: Callable[[], bool], owner: str | None = None
) -> Iterator[None]:
    """Run a server until the block ends; its output is shown when it does not come up."""
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, user=owner, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"{command[0]} did not come up:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)
        yield
    finally:
        # SIGINT is the fast shutdown of PostgreSQL and an orderly one of Redis.
        process.send_signal(2)
        try:
            process.wait(timeout=START_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def ping_redis(url: str) -> bool:
    """Whether the server answers."""
    try:
        with redis.Redis.from_url(url) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def ping_postgres(url: str) -> bool:
    """Whether the server accepts connections."""
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
