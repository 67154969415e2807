"""Options, markers and settings for all tests; the services are in `tests/services.py`."""

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.tiers import (
    HEAVY,
    HEAVY_EXAMPLES,
    LONG_EXAMPLES,
    QUICK_EXAMPLES,
    is_heavy,
    tier,
    wants_heavy,
    wants_long,
)

pytest_plugins = ["tests.services"]

# A marker stands for the service that its fixture asks for; using the fixture sets the marker too.
SERVICE_FIXTURES = {
    "docker": ("docker_engine",),
    "redis": ("redis_server", "redis_url"),
    "postgres": ("postgres_server", "postgres_url"),
    "browser": ("chromium_path",),
    "bubblewrap": ("bubblewrap",),
}
LONG_TIMEOUT_SECONDS = 1800


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the large versions of tests too")
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite tests/golden; review the difference"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if wants_long(config) and config.option.timeout is None:
        # Not only the long tests: every property has twenty times its examples, too.
        config.option.timeout = LONG_TIMEOUT_SECONDS
    # Tests share this machine with one another. Those of a busy host make their own evidence.
    os.environ.setdefault("BULLRING_FAIR_HOST", "0")
    # Speed is never asserted, so a busy machine must not fail a property.
    calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
    settings.register_profile("quick", calm, max_examples=QUICK_EXAMPLES, derandomize=True)
    settings.register_profile("heavy", calm, max_examples=HEAVY_EXAMPLES, derandomize=True)
    settings.register_profile("long", calm, max_examples=LONG_EXAMPLES)
    settings.load_profile(tier(config))
    config.pluginmanager.register(SlowApart())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected goes away before the end, so there is no garbage to look for: not
    while it is collected, which would take half of the time, and not in it later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    long_wanted = wants_long(config)
    heavy_wanted = wants_heavy(config)
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        for marker, names in SERVICE_FIXTURES.items():
            if fixtures.intersection(names):
                item.add_marker(marker)
        if is_heavy(item) and not heavy_wanted:
            item.add_marker(pytest.mark.skip(reason=HEAVY))
        if item.get_closest_marker("long") and not long_wanted:
            item.add_marker(pytest.mark.skip(reason="long: runs with --long"))


def slowness(item: pytest.Item) -> int:
    """3: takes a minute or more; 2: needs a browser; 1: starts whole services, or says that it
    takes its time."""
    if is_heavy(item):
        return 3
    if item.get_closest_marker("browser"):
        return 2
    return int(any(item.get_closest_marker(name) for name in ("long", "timeout", "docker")))


class SlowApart:
    """Every process gets its share of the slow tests, and comes to them at another time.

    pytest-xdist gives each process one run of neighbours (`--dist worksteal`) and moves the rest
    from the slow to the fast ones later, so what takes long must not stand at anybody's end. Slow
    tests wait more than they compute, so not all processes should be at theirs together. The few
    in a browser that are not heavy stay together: every process would start a Chromium of its own.
    """

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        processes = getattr(config, "workerinput", {}).get("workercount", 1)
        kinds: tuple[list[pytest.Item], ...] = ([], [], [], [])
        for item in items:
            kinds[slowness(item)].append(item)
        quick, slow, browser, heavy = kinds
        items[:] = browser
        for k in range(processes):
            own = share(quick, k, processes)
            before = len(own) * k // processes
            items += [*heavy[k::processes], *own[:before]]
            items += [*share(slow, k, processes), *own[before:]]


def share(items: list[pytest.Item], number: int, of: int) -> list[pytest.Item]:
    """One of `of` runs of neighbours: tests of one module share what they set up."""
    return items[len(items) * number // of : len(items) * (number + 1) // of]


@pytest.fixture(autouse=True)
def marked_services(request: pytest.FixtureRequest) -> None:
    """A test that is marked needs its service, whether it names the fixture or not."""
    for marker, names in SERVICE_FIXTURES.items():
        if request.node.get_closest_marker(marker):
            request.getfixturevalue(names[0])


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """True when the golden files are to be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio, as everything in Bullring does."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
async def one_loop(anyio_backend: str) -> None:
    """Keeps one event loop for all async tests of a process, as every Bullring process has one.

    gRPC's poller goes on calling into the loop of an earlier test, closed or not.
    """
