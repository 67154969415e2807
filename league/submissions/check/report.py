"""The report of a check: what its author reads, in words and as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

LOG_SHOWN = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One named thing that was looked at."""

    name: str
    ok: bool
    says: str
    """One line: what was found, and what to do where it is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What the author reads."""

    runner: str
    rules: tuple[str, ...]
    """The rules whose every trial it played to the end."""
    steps: tuple[Step, ...]
    faults: tuple[dict[str, Any], ...] = ()
    """With the offending ask, as the replay has it."""
    log: str = ""
    """The end of the bot's own output."""
    key: str = ""
    """Decided all boards; `bullring check --key` plays them again. Older reports have none."""

    @property
    def ok(self) -> bool:
        """Whether the bot may play."""
        return all(step.ok for step in self.steps)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {**asdict(self), "ok": self.ok}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "CheckReport":
        """The report behind the JSON; raises KeyError or TypeError where it is none."""
        return cls(
            runner=str(document["runner"]),
            rules=tuple(document["rules"]),
            steps=tuple(Step(**step) for step in document["steps"]),
            faults=tuple(document["faults"]),
            log=str(document["log"]),
            key=str(document.get("key", "")),
        )

    @property
    def verdict(self) -> str:
        """The last line of what an author reads."""
        may = "It may play." if self.ok else "It may not play yet."
        return f"{may} Runner: {self.runner}; rules: {', '.join(self.rules) or 'none'}"

    def words(self) -> str:
        """The report for reading."""
        lines = [f"{'ok  ' if step.ok else 'FAIL'} {step.name}: {step.says}" for step in self.steps]
        for fault in self.faults[:5]:
            lines.append(f"     fault {fault['kind']}: {fault['cause']}")
            if fault.get("decision") is not None:
                lines.append(f"     at {fault['where']}: {fault['decision']}")
        if self.log and not self.ok:
            lines += ["     the bot's own output, at its end:", self.log[-LOG_SHOWN:].rstrip()]
        if self.key and not self.ok:
            lines.append(f"     the same boards again: bullring check BOT --key {self.key}")
        return "\n".join(lines)
