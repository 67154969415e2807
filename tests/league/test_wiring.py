"""How the parts of a league are put together."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from league.settings import LeagueSettings
from league.wiring import open_store
from league.wiring.slots import friendly_slot, make_slots, table_slots
from league.wiring.workers import _own
from sandbox.api import PlatformFault


def test_a_new_data_folder_is_for_its_own_account_alone(tmp_path: Path) -> None:
    settings = LeagueSettings(data_dir=tmp_path / "leagues" / "cup")
    database = open_store(settings)
    database.blobs.write([b"{}"])
    database.close()
    assert settings.data_dir.stat().st_mode & 0o777 == 0o700


def test_a_data_folder_that_is_there_keeps_the_mode_its_owner_chose(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    open_store(LeagueSettings(data_dir=tmp_path)).close()
    assert tmp_path.stat().st_mode & 0o777 == 0o750


@dataclass(frozen=True)
class CoresOf:
    """Who got which cores."""

    matches: list[list[int]]
    canary: tuple[int, ...]
    tables: set[int]
    friendlies: set[int]


@pytest.fixture
def cores_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., CoresOf]:
    """The cores that the parts of a worker get on a machine with so many."""

    def look(count: int, **chosen: Any) -> CoresOf:
        canaries: list[tuple[int, ...]] = []

        def canary(cores: tuple[int, ...]) -> None:
            canaries.append(cores)

        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(count)), raising=False)
        monkeypatch.setattr("league.wiring.slots.Canary", canary)
        settings = LeagueSettings(fair_host=True, **chosen)
        said = make_slots(settings).describe()["cores"]
        assert isinstance(said, list)
        [alone] = canaries
        tables = {core for slot in table_slots(settings) for core in slot.cores}
        return CoresOf(said, alone, tables, set(friendly_slot(settings).cores))

    return look


@pytest.mark.parametrize(
    ("count", "chosen", "matches", "tables"),
    [
        (3, {}, [[1]], {2}),
        (4, {}, [[1, 2]], {3}),
        (8, {"slots": 4}, [[1, 5], [2, 6], [3], [4]], {7}),
        (8, {"slots": 4, "table_slots": 3}, [[1], [2], [3], [4]], {5, 6, 7}),
    ],
)
def test_no_bot_of_a_table_or_friendly_match_shares_a_core_with_the_canary_or_a_match(
    cores_of: Callable[..., CoresOf],
    count: int,
    chosen: dict[str, int],
    matches: list[list[int]],
    tables: set[int],
) -> None:
    assert cores_of(count, **chosen) == CoresOf(matches, (0,), tables, tables)


@pytest.mark.parametrize(
    ("count", "chosen", "matches"),
    [(2, {}, [[1]]), (4, {"slots": 3}, [[1], [2], [3]]), (4, {"table_slots": 0}, [[1, 2, 3]])],
)
def test_without_cores_for_tables_friendlies_share_the_canarys(
    cores_of: Callable[..., CoresOf], count: int, chosen: dict[str, int], matches: list[list[int]]
) -> None:
    found = cores_of(count, **chosen)
    assert (found.matches, found.canary, found.friendlies) == (matches, (0,), {0})


def test_a_worker_that_cannot_be_made_leaves_nothing_and_can_be_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    monkeypatch.setattr("sandbox.owner.default_state_dir", lambda: run)
    engine = [PlatformFault("the engine went away")]

    async def reap(*_: object) -> None:
        if engine:
            raise engine.pop()

    monkeypatch.setattr("league.wiring.workers.reap", reap)
    settings = LeagueSettings(data_dir=tmp_path / "data", sandbox="docker")
    with pytest.raises(PlatformFault, match="went away"):
        _own(settings, "here")
    assert list(run.iterdir()) == []
    owner, _ = _own(settings, "here")
    owner.close()
