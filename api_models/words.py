"""How the API's values are said, on the pages and by the command line alike."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
"""Of a bot, or a season."""
NOTHING = "–"
DIGITS = 9
"""PostgreSQL refuses to look for a row with a number above 2,147,483,647."""
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
# C0 and C1 controls, and the characters that turn the direction of text around.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


def whole_number(text: str) -> int | None:
    """The number that was typed or stands in an address; None: none that a row could have.

    >>> whole_number("12"), whole_number("-1"), whole_number("٣"), whole_number("9999999999")
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None


def clean(text: object) -> str:
    """Text from strangers: colours removed, controls and direction marks shown as a box.

    >>> clean("a\\x1b[31mred\\x00")
    'ared\\ufffd'
    """
    plain = _ANSI.sub("", str(text).replace("\r\n", "\n"))
    return _UNSAFE.sub("\ufffd", plain)


def size(count: int) -> str:
    """A number of bytes.

    >>> size(512), size(3 * 1024 * 1024)
    ('512 B', '3.0 MiB')
    """
    if count < 1024:
        return f"{count} B"
    amount = count / 1024
    for unit in ("KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def duration(seconds: float | None) -> str:
    """A length of time, roughly.

    >>> duration(42), duration(3700), duration(200000)
    ('42 s', '1 h 1 min', '2 d 7 h')
    """
    if seconds is None:
        return NOTHING
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if minutes < 60:
        return f"{minutes} min"
    if hours < 48:
        return f"{hours} h {minutes % 60} min"
    return f"{days} d {hours % 24} h"


def since(at: datetime, now: datetime | None = None) -> str:
    """How long since, or until; `now` is the present, unless told.

    >>> noon = datetime(2031, 10, 1, 12, tzinfo=UTC)
    >>> since(noon, noon + timedelta(minutes=5)), since(noon, noon - timedelta(hours=2))
    ('5 min ago', 'in 2 h 0 min')
    """
    gap = (now or datetime.now(UTC)) - at
    if gap < timedelta(0):
        return "in " + duration(-gap.total_seconds())
    if gap < timedelta(seconds=60):
        return "just now"
    if gap < timedelta(days=14):
        return duration(gap.total_seconds()).split(" ", 2)[0] + _unit(gap) + " ago"
    return at.strftime("%-d %b %Y")


def _unit(gap: timedelta) -> str:
    return " min" if gap < timedelta(hours=1) else " h" if gap < timedelta(hours=48) else " d"


NOT_COUNTED = ("not_counted_because", "hindrance")
"""Why passing a gate would not count, in its report: the name, and the one that it had before.

Gates that ended under the old name keep it, and so do leagues and commands of that version.
"""


def why_not_counted(report: Mapping[str, Any] | None) -> str:
    """Why passing this gate would not let the version play; empty: it would.

    >>> why_not_counted({"hindrance": "it was asked for late"})
    'it was asked for late'
    """
    known = report or {}
    return str(next((known[name] for name in NOT_COUNTED if name in known), None) or "")


def with_both_names(report: Mapping[str, object]) -> dict[str, object]:
    """A report as it is sent: commands of the version before look for the old name."""
    return {**report, **dict.fromkeys(NOT_COUNTED, why_not_counted(report))}


def gate_words(report: Mapping[str, Any] | None) -> str:
    """What a gate says, and whether it only informs."""
    known = report or {}
    why = why_not_counted(known)
    only = f" For information only: {why}." if why else ""
    company = known.get("company")
    against = f" {company['words']}" if isinstance(company, dict) and company.get("words") else ""
    return f"{known.get('words', '')}{against}{only}"
