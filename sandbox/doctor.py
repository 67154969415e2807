"""Is this machine fit to run bots? Every check is a pure function of the facts of the host.

For `bullring doctor`: what is found, what it enables, what is risky, what to do.
"""

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass

from sandbox import seccomp
from sandbox.api import PlatformFault
from sandbox.base.make import BASE_TAG
from sandbox.host_facts import HostFacts
from sandbox.limits import bot_limits, build_limits, uid_range

BUSY_SHARE = 0.5
"""Of the bots' cores; more than this in use is worth a word."""

TABLE = 4
"""Bots at the usual table."""


class Level(enum.StrEnum):
    """How much a finding matters."""

    OK = "ok"
    """As it should be."""
    NOTE = "note"
    """Good to know; nothing has to be done."""
    RISK = "risk"
    """Bots run, but less safely or less fairly than they could."""
    BROKEN = "broken"
    """Contained bots cannot run until this is fixed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the doctor's report."""

    name: str
    level: Level
    found: str
    means: str
    do: str = ""


def _version(text: str) -> tuple[int, ...]:
    found = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(part or 0) for part in found.groups()) if found else (0, 0, 0)


def check_engine(facts: HostFacts) -> Finding:
    """Is there an engine?"""
    if facts.engine_error is not None:
        return Finding(name="engine", level=Level.BROKEN, found=facts.engine_error,
                       means="Only trusted bots can run, as plain processes, uncontained.",
                       do="Start Docker and let this user use its socket.")  # fmt: skip
    text = str(facts.version.get("Version", "?"))
    if _version(text) < (25, 0, 0):
        return Finding(name="engine", level=Level.NOTE, found=f"Docker {text}",
                       means="Old: its own call list lets vsock and io_uring through. Ours, which "
                       "every bot gets, does not; build steps get the engine's.",
                       do="Upgrade to Docker 25 or newer when you can.")  # fmt: skip
    return Finding(name="engine", level=Level.OK, found=f"Docker {text}",
                   means="Contained bots can run.")  # fmt: skip


def check_runc(facts: HostFacts) -> Finding:
    """Is the runtime one with known ways out?"""
    parts = {part.get("Name"): part.get("Version", "") for part in
             facts.version.get("Components") or []}  # fmt: skip
    text = str(parts.get("runc", "unknown"))
    if _version(text) < (1, 2, 8):
        return Finding(name="runc", level=Level.RISK, found=f"runc {text}",
                       means="Below 1.2.8 there are known ways out of a container, unless your "
                       "distribution has fixed them in its own package.",
                       do="Upgrade runc, or look for CVE-2024-21626 and CVE-2025-31133 in the "
                       "changelog of your package.")  # fmt: skip
    return Finding(name="runc", level=Level.OK, found=f"runc {text}", means="No known way out.")


def check_seccomp(facts: HostFacts) -> Finding:
    """Does the engine filter system calls, and is there a list for this machine?"""
    options = " ".join(facts.info.get("SecurityOptions") or [])
    try:
        seccomp.profile(facts.machine)
    except PlatformFault as fault:
        return Finding(name="system calls", level=Level.BROKEN, found=facts.machine,
                       means=str(fault), do="Use an amd64 machine for bots.")  # fmt: skip
    if "seccomp" not in options:
        return Finding(name="system calls", level=Level.BROKEN, found="no seccomp in the engine",
                       means="Bots could reach every part of the kernel.",
                       do="Use a kernel and an engine with seccomp.")  # fmt: skip
    return Finding(name="system calls", level=Level.OK, found=f"a list for {facts.machine}",
                   means="Bots can make only the calls that are on it.")  # fmt: skip


def check_cgroups(facts: HostFacts) -> Finding:
    """Can bots be frozen and counted quickly?"""
    if facts.cgroup_version is None:
        return Finding(name="cgroups", level=Level.RISK, found="cgroup files are out of reach",
                       means="Waiting bots are paused by the engine instead, a hundred times "
                       "slower, and usage comes from the engine.",
                       do="Run the worker on the host, as a user that may write "
                       "/sys/fs/cgroup.")  # fmt: skip
    return Finding(name="cgroups", level=Level.OK, found=f"version {facts.cgroup_version}",
                   means="Waiting bots are frozen in under a millisecond.")  # fmt: skip


def check_swap(facts: HostFacts) -> Finding:
    """Could memory pressure turn into waiting?"""
    if facts.swap_bytes:
        return Finding(name="swap", level=Level.RISK, found=f"{facts.swap_bytes >> 20} MiB",
                       means="A busy host may swap bots or the referee out: unfair timing.",
                       do="swapoff -a on a machine for rated play.")  # fmt: skip
    return Finding(name="swap", level=Level.OK, found="none", means="Bots stay in memory.")


def check_cores(facts: HostFacts) -> Finding:
    """Are there cores for bots beside one for us?"""
    if facts.cores < 2:
        return Finding(name="cores", level=Level.RISK, found=str(facts.cores),
                       means="Bots, referee and engine share one core: timing is not fair.",
                       do="Use two cores or more for rated play.")  # fmt: skip
    return Finding(name="cores", level=Level.OK, found=str(facts.cores),
                   means=f"At most {facts.cores - 1} bots may think at once in rated "
                   "play.")  # fmt: skip


def check_other_work(facts: HostFacts) -> Finding:
    """Does something else use the cores of the bots?"""
    name = "other work"
    if facts.busy_share is None:
        return Finding(name=name, level=Level.NOTE, found="cannot be measured here",
                       means="Bots are judged by the clock alone, however busy the host is; their "
                       "matches are marked \"host not measured\".",
                       do="Use Linux with two cores or more for rated play.")  # fmt: skip
    found = f"{facts.busy_share:.0%} of the bots' cores in use now"
    if facts.busy_share > BUSY_SHARE:
        return Finding(name=name, level=Level.NOTE, found=found,
                       means="If that is not a match, matches take longer: time that other work "
                       "takes from bots is given back to their clocks. On a machine ten times too "
                       "busy they wait.",
                       do="If no match is being played, look with top for what uses them, and stop "
                       "it or bind it to the first core.")  # fmt: skip
    return Finding(name=name, level=Level.OK, found=found, means="Fit for rated play.")


def check_clock(facts: HostFacts) -> Finding:
    """Is reading the clock cheap and steady?"""
    good = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "xen")
    if facts.clock_source not in good:
        return Finding(name="clock", level=Level.RISK, found=facts.clock_source,
                       means="Reading this clock is slow and may be uneven.",
                       do="Boot with a stable tsc if the hardware has one.")  # fmt: skip
    return Finding(name="clock", level=Level.OK, found=facts.clock_source, means="Fast, steady.")


def check_disk(facts: HostFacts) -> Finding:
    """Is there room for submissions?"""
    need = build_limits().min_free_disk
    if facts.free_disk < need:
        return Finding(name="disk", level=Level.RISK, found=f"{facts.free_disk >> 20} MiB free",
                       means=f"Below {need >> 20} MiB no submission is taken.",
                       do="docker system df shows what can go.")  # fmt: skip
    return Finding(name="disk", level=Level.OK, found=f"{facts.free_disk >> 20} MiB free",
                   means="Submissions can be taken.")  # fmt: skip


def check_memory(facts: HostFacts) -> Finding:
    """Is there room for a table of bots?"""
    name, need = "memory", TABLE * bot_limits().memory
    found = f"{facts.free_memory >> 20} MiB available"
    if facts.free_memory < need:
        return Finding(name=name, level=Level.RISK, found=found,
                       means=f"A table of {TABLE} bots may take {need >> 20} MiB; without them the "
                       "kernel kills processes, perhaps ours.",
                       do="End what else runs here, or give the machine more memory.")  # fmt: skip
    return Finding(name=name, level=Level.OK, found=found,
                   means=f"A table of {TABLE} bots takes {need >> 20} MiB at most.")  # fmt: skip


def check_users(facts: HostFacts) -> Finding:
    """Do the uids of bots exist for this engine?"""
    options = " ".join(facts.info.get("SecurityOptions") or [])
    if "rootless" in options or "userns" in options:
        return Finding(name="users", level=Level.BROKEN, found="a remapped or rootless engine",
                       means=f"It has no uid {uid_range().first} to give to a bot.",
                       do="Lower [uids] in sandbox/limits.toml into its range, for example first "
                       "= 20000, count = 40000.")  # fmt: skip
    return Finding(name="users", level=Level.OK, found="the host's own uids",
                   means="Every bot gets a uid of its own.")  # fmt: skip


def check_files(facts: HostFacts) -> Finding:
    """Can the files of images be read in before a bot starts?"""
    name = "files of images"
    if facts.files_in_reach:
        return Finding(name=name, level=Level.OK, found="in reach",
                       means="They are read in before every start, so no bot finds a sign of its "
                       "own last pass in them.")  # fmt: skip
    return Finding(name=name, level=Level.RISK, found="out of reach",
                   means="A bot can tell its own next pass of a duplicate match what it saw, by "
                   "which of its files are in memory.",
                   do="Use the overlay2 storage driver, and let the worker read the engine's "
                   "folder (BULLRING_DOCKER_ROOT in docker-compose.yml).")  # fmt: skip


def check_gvisor(facts: HostFacts) -> Finding:
    """Is there a stronger wall, and is it used?"""
    known = facts.info.get("Runtimes") or {}
    if facts.runtime is not None and facts.runtime not in known:
        return Finding(name="gVisor", level=Level.BROKEN,
                       found=f"BULLRING_RUNTIME is {facts.runtime}, which the engine does not have",
                       means="No bot can start.",
                       do="Register it in the engine (docs/sandbox.md), or unset "
                       "BULLRING_RUNTIME.")  # fmt: skip
    if facts.runtime is not None:
        return Finding(name="gVisor", level=Level.OK, found=f"bots run under {facts.runtime}",
                       means="A second kernel stands between them and the host's, if it is "
                       "gVisor's.")  # fmt: skip
    if "runsc" in known:
        return Finding(name="gVisor", level=Level.OK, found="runsc is installed",
                       means="Bots can run behind a second kernel: set "
                       "BULLRING_RUNTIME=runsc.")  # fmt: skip
    return Finding(name="gVisor", level=Level.NOTE, found="no runsc",
                   means="A bug in the host's kernel is the last wall that a bot would have to "
                   "break.", do="Install runsc for play among strangers.")  # fmt: skip


def check_bubblewrap(facts: HostFacts) -> Finding:
    """Can trusted processes at least be kept apart?"""
    if facts.bubblewrap is None:
        return Finding(name="bubblewrap", level=Level.NOTE, found="not installed",
                       means="Trusted bots run as plain processes of this user.",
                       do="Install bubblewrap for local play.")  # fmt: skip
    return Finding(name="bubblewrap", level=Level.OK, found=facts.bubblewrap,
                   means="Trusted bots run without network and write nothing outside a "
                   "folder in memory. It does not contain strangers.")  # fmt: skip


def check_base(facts: HostFacts) -> Finding:
    """Can authors' two-line Dockerfiles be built?"""
    if not facts.base_image:
        return Finding(name="base image", level=Level.NOTE, found=f"no {BASE_TAG}",
                       means="Submissions that build on it are refused.",
                       do="python -m sandbox.base.make")  # fmt: skip
    return Finding(name="base image", level=Level.OK, found=BASE_TAG,
                   means="Python bots can be built.")  # fmt: skip


def check_orphans(facts: HostFacts) -> Finding:
    """Has something died and left containers?"""
    if facts.orphans:
        return Finding(name="leftovers", level=Level.RISK, found=f"{facts.orphans} containers",
                       means="A worker died; its bots may still use CPU and memory.",
                       do="bullring doctor --reap")  # fmt: skip
    return Finding(name="leftovers", level=Level.OK, found="none", means="The machine is clean.")


CHECKS: tuple[Callable[[HostFacts], Finding], ...] = (
    check_engine, check_runc, check_seccomp, check_cgroups, check_users, check_cores,
    check_other_work, check_swap, check_clock, check_disk, check_memory, check_files,
    check_gvisor, check_bubblewrap, check_base, check_orphans,
)  # fmt: skip

WITHOUT_ENGINE = (
    check_engine, check_cores, check_other_work, check_swap, check_clock, check_memory,
    check_bubblewrap,
)  # fmt: skip


def examine(facts: HostFacts) -> list[Finding]:
    """Every finding about a machine; without an engine, those that do not need one."""
    checks = CHECKS if facts.engine_error is None else WITHOUT_ENGINE
    return [check(facts) for check in checks]
