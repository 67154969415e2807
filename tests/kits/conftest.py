"""Fixtures of the kits' tests: every test that asks for `kit` runs once for each language."""

import pytest

from tests.kits.toolchains import LANGUAGES, Kit, prepared
from tests.tiers import HEAVY, wants_heavy

# The first C++ test compiles the kit, and a busy machine takes minutes for it.
BUILD_SECONDS = 1000
QUICK = ("python", "javascript")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/kits" in item.path.as_posix() and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(BUILD_SECONDS))


@pytest.fixture(scope="session", params=LANGUAGES)
def kit(request: pytest.FixtureRequest) -> Kit:
    """One language after the other, its kit built; skipped when its tools are missing."""
    if request.param not in QUICK and not wants_heavy(request.config):
        # Not marked as heavy: marked tests begin on every process, and all would wait for one make.
        pytest.skip(f"{HEAVY} (compiling C++ and Go and starting Ruby take long)")
    return prepared(request.param)
