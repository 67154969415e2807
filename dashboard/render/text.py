"""Words and numbers as pages show them; hostile characters are made visible and harmless here."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from api_models.words import NOTHING, clean, since
from dashboard.render.passing import note_change
from league.words import game_words
from store import utc_now

if TYPE_CHECKING:
    from store import Ladder

RULES_TITLES = {"six-nimmt": "6 nimmt!", "eleven-nimmt": "11 nimmt!", "x-nimmt": "X nimmt!"}
KIND_WORDS = {"practice": "friendly"}
"""Kinds of matches that are stored under another word than people use."""
FAULT_WORDS = {
    "timeout": "took too long",
    "illegal_choice": "sent an illegal choice",
    "protocol": "broke the protocol",
    "crashed": "crashed",
    "out_of_memory": "ran out of memory",
    "refused_start": "did not start",
    "output_flood": "wrote too much output",
    "left": "left the table",
}


def short(text: object, length: int = 80) -> str:
    """Clean text on one line, cut with an ellipsis."""
    line = " ".join(clean(text).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def number(value: float | None, digits: int = 0) -> str:
    """A number with spaces between thousands at which no line breaks, and a real minus.

    >>> number(1234.5, 1), number(-3), number(None)
    ('1\\xa0234.5', '−3', '–')
    """
    if value is None:
        return NOTHING
    return f"{value:,.{digits}f}".replace(",", "\N{NO-BREAK SPACE}").replace("-", "−")


def signed(value: float | None, digits: int = 0) -> str:
    """A number that always carries its sign."""
    if value is None:
        return NOTHING
    return ("+" if value > 0 else "") + number(value, digits)


def percent(share: float | None, digits: int = 0) -> str:
    """A share of one as a percentage; never a rounded 0 or 100 for what is not.

    >>> percent(0.004), percent(0.5), percent(0.9999)
    ('<1 %', '50 %', '>99 %')
    """
    if share is None:
        return NOTHING
    if digits == 0 and 0 < share < 0.005:
        return "<1 %"
    if digits == 0 and 0.995 < share < 1:
        return ">99 %"
    return f"{100 * share:.{digits}f} %"


def milliseconds(value: float | None) -> str:
    """A think time in the unit people can picture."""
    if value is None:
        return NOTHING
    if 0 < value < 0.005:
        return "<0.01 ms"
    if value < 1:
        return f"{value:.2f} ms"
    return f"{value:.1f} ms" if value < 100 else f"{value / 1000:.2f} s"


def moment(at: datetime | None) -> Markup:
    """A time element: exact for machines, short for people."""
    if at is None:
        return Markup(NOTHING)
    words = at.strftime("%-d %b %Y, %H:%M") + " UTC"
    iso = at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(iso, words, ago(at))


def exactly(at: datetime | None) -> Markup:
    """A time element that names the minute, for what people have to be in time for."""
    if at is None:
        return Markup(NOTHING)
    words = at.strftime("%-d %b %Y, %H:%M") + " UTC"
    return Markup('<time datetime="{}" data-exact>{}</time>').format(
        at.strftime("%Y-%m-%dT%H:%MZ"), words
    )


def ago(at: datetime) -> str:
    """How long since, or until."""
    now = utc_now()
    note_change(now, (now - at).total_seconds())
    return since(at, now)


def this_minute() -> datetime:
    """When the minute began that it is now, by the clock that pages go by."""
    return utc_now().replace(second=0, microsecond=0)


def time_is_up(until: float) -> bool:
    """Whether this moment (seconds since 1970) has come, by the clock that pages go by."""
    return utc_now().timestamp() >= until


def last_sign(at: datetime) -> Markup:
    """How long ago to the second: of a sign of life a minute is too coarse."""
    gap = max(0.0, (utc_now() - at).total_seconds())
    words = at.strftime("%-d %b %Y, %H:%M:%S") + " UTC"
    shown = f"{gap:.0f} s ago" if gap < 600 else ago(at)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(at.isoformat(), words, shown)


def rules_title(name: str) -> str:
    """What the rules are called on the box."""
    return RULES_TITLES.get(name, clean(name))


def game_title(name: str, options: Mapping[str, object]) -> str:
    """What a game at a table is called, by the name of its rules."""
    return game_words(rules_title(name), options)


def ladder_name(ladder: "Ladder") -> str:
    """What pages call a ladder."""
    return clean(ladder.title) or f"{rules_title(ladder.rules)} ladder"


def ladder_words(ladder: "Ladder") -> str:
    """What tells a ladder from all others: its title, else its rules and table size."""
    named = ladder_name(ladder)
    return named if ladder.title else f"{named}, tables of {ladder.table_size}"


def options_words(options: Mapping[str, object]) -> str:
    """The options that tell one table from another, in words."""
    words = []
    if "rounds" in options:
        count = options["rounds"]
        words.append("1 round" if count == 1 else f"{count} rounds")
    if "limit" in options:
        words.append(f"to {options['limit']} points")
    if options.get("advanced"):
        words.append("with draft")
    if options.get("opening_picks"):
        words.append(f"{options['opening_picks']} cards by chance")
    if "next_start" in options:
        words.append(f"{options['next_start']} points start")
    return ", ".join(clean(word) for word in words)


def state_word(value: object) -> str:
    """A state or kind as a word for people.

    >>> state_word("image_archive"), state_word("practice")
    ('image archive', 'friendly')
    """
    word = str(getattr(value, "value", value))
    return KIND_WORDS.get(word, word.replace("_", " "))


def log_lines(text: str) -> Markup:
    """A log, cleaned and escaped, one numbered element a line."""
    lines = clean(text).splitlines()
    return Markup("\n").join(Markup("<span>{}</span>").format(escape(line)) for line in lines)
