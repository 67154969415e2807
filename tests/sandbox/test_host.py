"""The doctor and the host watch: pure checks as tables, and one look at this machine."""

import dataclasses
import time
from typing import Any

import pytest

from sandbox.doctor import CHECKS, Level, examine
from sandbox.engine import Engine
from sandbox.health import ASK_SECONDS, HostWatch, free_memory, watch_host
from sandbox.host_facts import HostFacts, collect
from sandbox.limits import host_limits

FIT = HostFacts(
    engine_error=None,
    info={"SecurityOptions": ["name=seccomp,profile=default"], "Runtimes": {"runsc": {}}},
    version={"Version": "29.1.0", "Components": [{"Name": "runc", "Version": "1.3.3"}]},
    machine="x86_64",
    cores=4,
    swap_bytes=0,
    clock_source="tsc",
    bubblewrap="/usr/bin/bwrap",
    free_disk=1 << 40,
    cgroup_version=2,
    base_image=True,
    orphans=0,
    files_in_reach=True,
    busy_share=0.01,
)


def test_a_fit_machine_has_nothing_to_mend() -> None:
    findings = examine(FIT)
    assert len(findings) == len(CHECKS)
    assert {finding.level for finding in findings} == {Level.OK}
    assert all(finding.found and finding.means for finding in findings)


UNFIT: tuple[tuple[str, Level, dict[str, object]], ...] = (
    ("engine", Level.BROKEN, {"engine_error": "no socket"}),
    ("engine", Level.NOTE, {"version": {"Version": "20.10.24+dfsg1"}}),
    ("runc", Level.RISK, {"version": {"Components": [{"Name": "runc", "Version": "1.1.5+ds1"}]}}),
    ("runc", Level.RISK, {"version": {}}),
    ("system calls", Level.BROKEN, {"machine": "aarch64"}),
    ("system calls", Level.BROKEN, {"info": {"SecurityOptions": ["name=apparmor"]}}),
    ("cgroups", Level.RISK, {"cgroup_version": None}),
    ("users", Level.BROKEN, {"info": {"SecurityOptions": ["name=seccomp", "name=rootless"]}}),
    ("cores", Level.RISK, {"cores": 1}),
    ("other work", Level.NOTE, {"busy_share": 0.9}),
    ("other work", Level.NOTE, {"busy_share": None}),
    ("swap", Level.RISK, {"swap_bytes": 1 << 30}),
    ("clock", Level.RISK, {"clock_source": "hpet"}),
    ("disk", Level.RISK, {"free_disk": 1 << 20}),
    ("memory", Level.RISK, {"free_memory": 1 << 29}),
    ("files of images", Level.RISK, {"files_in_reach": False}),
    ("gVisor", Level.NOTE, {"info": {"SecurityOptions": ["name=seccomp"], "Runtimes": {}}}),
    ("gVisor", Level.BROKEN, {"runtime": "nowhere"}),
    ("bubblewrap", Level.NOTE, {"bubblewrap": None}),
    ("base image", Level.NOTE, {"base_image": False}),
    ("leftovers", Level.RISK, {"orphans": 2}),
)


@pytest.mark.parametrize(("name", "level", "change"), UNFIT)
def test_what_is_wrong_is_found_and_says_what_to_do(
    name: str, level: Level, change: dict[str, Any]
) -> None:
    facts = dataclasses.replace(FIT, **change)
    found = {finding.name: finding for finding in examine(facts)}[name]
    assert found.level is level
    assert found.do


def test_a_runtime_that_is_set_and_there_is_named() -> None:
    findings = {found.name: found for found in examine(dataclasses.replace(FIT, runtime="runsc"))}
    assert findings["gVisor"].level is Level.OK
    assert findings["gVisor"].found == "bots run under runsc"


class SomeEngine:
    """Never asked: the test says when it answered."""


def watch_from(began: float) -> HostWatch:
    watch = HostWatch(SomeEngine(), host_limits())  # type: ignore[arg-type]
    watch.answered(began)
    return watch


def test_every_silence_that_was_too_long_is_kept_with_its_times() -> None:
    began = time.monotonic()
    longest = host_limits().engine_silence + ASK_SECONDS
    watch = watch_from(began)
    watch.answered(began + longest)
    assert watch.silences(began + longest) == []
    first = (began + longest, began + 2.1 * longest)
    watch.answered(first[1])
    lasting = (first[1], first[1] + 1.1 * longest)
    assert watch.silences(first[1]) == [first]
    assert watch.silences(lasting[1]) == [first, lasting], "the one that lasts counts too"


@pytest.mark.anyio
async def test_without_an_engine_nothing_is_silent() -> None:
    async with watch_host(None, host_limits()) as watch:
        assert watch.silences(time.monotonic() + 1000.0) == []


def test_the_memory_of_this_machine_is_known() -> None:
    assert free_memory() > 0


@pytest.mark.anyio
@pytest.mark.docker
async def test_this_machine_is_examined(engine: Engine) -> None:
    facts = await collect(engine, None, None)
    assert facts.engine_error is None
    findings = {finding.name: finding for finding in examine(facts)}
    assert findings["system calls"].level is Level.OK
    async with watch_host(engine, host_limits()) as watch:
        assert watch.silences() == []


@pytest.mark.anyio
async def test_a_machine_without_an_engine_is_examined_too() -> None:
    findings = {finding.name: finding for finding in examine(await collect(None, None, "none"))}
    assert findings["engine"].level is Level.BROKEN
    assert "gVisor" not in findings
