"""The fixtures for real services: what they give, and what happens when a service is missing."""

import subprocess

import docker
import psycopg
import pytest
import redis

from tests import services


def test_docker_engine_answers(docker_engine: docker.DockerClient) -> None:
    assert docker_engine.version()["ApiVersion"]


def test_redis_database_is_empty_and_writable(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("card", 55)
        assert client.get("card") == b"55"


@pytest.mark.parametrize("attempt", [1, 2])
def test_postgres_database_is_fresh_for_every_test(postgres_url: str, attempt: int) -> None:
    url = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE cards (number integer)")
        connection.execute("INSERT INTO cards VALUES (%s)", (attempt,))
        assert connection.execute("SELECT * FROM cards").fetchall() == [(attempt,)]


@pytest.mark.browser
def test_chromium_says_its_version(chromium_path: str) -> None:
    answer = subprocess.run([chromium_path, "--version"], capture_output=True, text=True)
    assert "Chrom" in answer.stdout


def test_bubblewrap_hides_the_network(bubblewrap: str) -> None:
    command = [bubblewrap, "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-all"]
    answer = subprocess.run([*command, "cat", "/proc/net/dev"], capture_output=True, text=True)
    devices = [line.split(":")[0].strip() for line in answer.stdout.splitlines()[2:]]
    assert devices == ["lo"]


def test_a_missing_service_skips_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BULLRING_REQUIRE", raising=False)
    with pytest.raises(pytest.skip.Exception, match="needs Redis: install it"):
        services.missing("Redis", "install it")


def test_a_missing_service_fails_where_all_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BULLRING_REQUIRE", "all")
    with pytest.raises(pytest.fail.Exception, match="Redis is required here"):
        services.missing("Redis", "install it")
