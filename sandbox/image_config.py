"""The configuration of a stranger's image: the few fields that are kept, and what is refused."""

import posixpath
import re
from collections.abc import Sequence
from typing import Any

from sandbox.api import SubmissionRejected
from sandbox.limits import ImageLimits

UNFIT = re.compile(r"[\0\ud800-\udfff]")
"""What JSON can say, and no command line or environment can hold."""


NOT_OURS = ("/proc", "/sys", "/dev", "/run/bullring")
"""Where the sandbox mounts something of its own, in which no bot can work."""


def checked_config(document: object, architecture: str, limits: ImageLimits) -> dict[str, Any]:
    """The few fields of an image configuration that we keep, or a refusal."""
    if not isinstance(document, dict) or not isinstance(document.get("config") or {}, dict):
        raise SubmissionRejected("bad_config", "The image has no configuration.", "Rebuild it.")
    if (document.get("os"), document.get("architecture")) != ("linux", architecture):
        got = f"{document.get('os')}/{document.get('architecture')}"
        raise SubmissionRejected(
            "architecture", f"The image is for {got[:60]!r}, this server runs "
            f"linux/{architecture}.", f"Build it with --platform linux/{architecture}.",
        )  # fmt: skip
    config = document.get("config") or {}
    for key, word in (("Volumes", "VOLUME"), ("Healthcheck", "HEALTHCHECK"),
                      ("OnBuild", "ONBUILD")):  # fmt: skip
        if config.get(key):
            raise SubmissionRejected(
                word.lower(), f"The image declares {word}, which is not allowed.",
                f"Remove {word} from its Dockerfile, and from its base image.",
            )  # fmt: skip
    labels = config.get("Labels") or {}
    if not isinstance(labels, dict) or len(labels) > limits.labels:
        raise SubmissionRejected(
            "bad_config", f"The image has more than {limits.labels} labels.", "Remove some."
        )
    command = {
        "Entrypoint": _strings(config.get("Entrypoint"), "ENTRYPOINT", limits, ()),
        "Cmd": _strings(config.get("Cmd"), "CMD", limits, ()),
        "Env": _named(_strings(config.get("Env"), "ENV", limits, ())),
        "WorkingDir": _folder(
            _strings([config.get("WorkingDir") or "/"], "WORKDIR", limits, ())[0]
        ),
    }
    if not command["Entrypoint"] and not command["Cmd"]:
        raise SubmissionRejected(
            "no_command", "The image has neither CMD nor ENTRYPOINT.",
            'Add CMD ["python3", "/bot/bot.py"], or what starts your bot.',
        )  # fmt: skip
    return command


def _named(environment: list[str]) -> list[str]:
    for item in environment:
        name, equals, _ = item.partition("=")
        if not name or not equals:
            raise SubmissionRejected(
                "env", f"The ENV entry {item[:60]!r} has no name or no value, expected NAME=value.",
                "Give it a name, or remove it from the Dockerfile and its base image.",
            )  # fmt: skip
    return environment


def _folder(given: str) -> str:
    # Two slashes at the start mean one, except to this function.
    place = posixpath.normpath("/" + given.lstrip("/"))
    if not given.startswith("/") or f"{place}/".startswith(tuple([f"{no}/" for no in NOT_OURS])):
        raise SubmissionRejected(
            "workdir", f"WORKDIR is {given[:100]!r}, expected an absolute path outside "
            f"{', '.join(NOT_OURS)}.", "Use a folder of your image, such as /bot.",
        )  # fmt: skip
    return place


def _strings(value: object, what: str, limits: ImageLimits, default: Sequence[str]) -> list[str]:
    if value is None:
        return list(default)
    good = isinstance(value, list) and all(isinstance(item, str) for item in value)
    if not isinstance(value, list) or not good:
        raise SubmissionRejected("bad_config", f"{what} is not a list of strings.", "Rebuild it.")
    if any(UNFIT.search(item) for item in value):
        raise SubmissionRejected(
            "bad_config",
            f"{what} holds a character that cannot be passed to a program.",
            "Rebuild it.",
        )
    if len(value) > limits.labels or any(len(item.encode()) > limits.label_bytes for item in value):
        raise SubmissionRejected(
            "bad_config", f"{what} has too many or too long entries: at most {limits.labels} of "
            f"{limits.label_bytes} bytes.", "Shorten it.",
        )  # fmt: skip
    return value
