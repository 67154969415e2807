"""Reads `limits.toml` into records. The numbers themselves are only in that file."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sandbox.api import Limits

LIMITS_FILE = Path(__file__).with_name("limits.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class UidRange:
    """The uids that containers get, one each."""

    first: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageLimits:
    """What an author may send."""

    archive_bytes: int
    unpacked_bytes: int
    files: int
    layers: int
    manifest_bytes: int
    labels: int
    label_bytes: int
    context_bytes: int
    dockerfile_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildLimits:
    """What building one image may use."""

    seconds: float
    memory: int
    disk: int
    min_free_disk: int
    disk_rate: int
    log_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLimits:
    """Beyond which the engine fails."""

    engine_silence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FairLimits:
    """Beyond which a host is too busy with others' work for a fair match."""

    lost_share: float
    fit_seconds: float
    canary_ask: float
    canary_start: float


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(LIMITS_FILE.read_text("utf-8"))


def bot_limits() -> Limits:
    """The limits every bot of this installation plays under."""
    return Limits(**_tables()["bot"])


def uid_range() -> UidRange:
    """The uids that containers may get."""
    return UidRange(**_tables()["uids"])


def image_limits() -> ImageLimits:
    """The limits of intake."""
    return ImageLimits(**_tables()["image"])


def build_limits() -> BuildLimits:
    """The limits of one build."""
    return BuildLimits(**_tables()["build"])


def host_limits() -> HostLimits:
    """When the engine is too silent to be fair."""
    return HostLimits(**_tables()["host"])


def fair_limits() -> FairLimits:
    """When a host is too busy with others' work for a fair match."""
    return FairLimits(**_tables()["fair"])
