"""The questions of `bullring season create` without arguments: each answer is checked at once.

A wrong answer is asked for again, so that earlier answers are not lost.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import typer

import nimmt
from cli.on_store import open_database
from cli.terminal import say
from league.given import Whole, help_of, whole_bound
from league.seasons import USUAL, SeasonWords
from nimmt.six import MAX_ROUNDS


def ask() -> dict[str, Any]:
    """Ask for what matters most, with what is usual as the answer to Return."""
    say("Return takes what is in brackets. Nothing is played before you open it.")
    given: dict[str, Any] = {"name": _ask("Name, for addresses, such as spring-2027", _name)}
    given["title"] = typer.prompt("Title on the pages", default=given["name"])
    games = tuple(nimmt.GAMES)
    given["rules"] = _ask(f"Rules: {', '.join(games)}", _rules, games[0])
    if given["rules"] == "six-nimmt":
        rounds = _ask(
            "Rounds of a game; 0: until one bot has 66 points", _number(Whole(0, MAX_ROUNDS)), "1"
        )
        given["options"] = {"rounds": rounds} if rounds else {}
    given["table"] = _ask("Seats at a table", _seats(given["rules"]), str(USUAL.table))
    for word in ("boards", "meetings"):
        check, usual = _number(whole_bound(SeasonWords, word)), str(getattr(USUAL, word))
        given[word] = _ask(help_of(SeasonWords, word).rstrip("."), check, usual)
    given |= _ask_dates()
    typer.confirm("Make it?", default=True, abort=True)
    return given


def _ask_dates() -> dict[str, str]:
    from league.seasons import read_date

    given: dict[str, str] = {}
    earliest = datetime.now(UTC)
    for name, words in (("opens", "open"), ("freezes", "freeze"), ("starts", "start")):
        if date := _ask(f"When to {words} it, UTC; empty: by hand", _date(earliest), ""):
            given[name], earliest = date, read_date(date)
    return given


def _ask(words: str, check: Callable[[str], Any], default: str | None = None) -> Any:
    """Ask until `check` makes a value of the answer; its ValueError says why it could not."""

    def value(answer: str) -> Any:
        try:
            return check(answer.strip())
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return typer.prompt(words, default=default, value_proc=value, show_default=bool(default))


def _name(answer: str) -> str:
    import store
    from league.errors import LeagueRefusal
    from league.seasons import check_name

    try:
        check_name(answer)
    except LeagueRefusal as error:
        raise ValueError(str(error)) from None
    with open_database().read() as session:
        if store.seasons.by_name(session, answer) is not None:
            raise ValueError(f"got {answer!r}, which is taken; choose another")
    return answer


def _rules(answer: str) -> str:
    if answer not in nimmt.GAMES:
        raise ValueError(f"got {answer!r}, expected one of {', '.join(nimmt.GAMES)}")
    return answer


def _seats(rules: str) -> Callable[[str], int]:
    def seats(answer: str) -> int:
        count = _number(whole_bound(SeasonWords, "table"))(answer)
        nimmt.get(rules, {}).check_players(count)
        return count

    return seats


def _number(bound: Whole) -> Callable[[str], int]:
    from api_models.words import whole_number

    def number(answer: str) -> int:
        known = whole_number(answer)
        if known is None or not bound.low <= known <= bound.high:
            raise ValueError(f"got {answer!r}, expected {bound.expected}")
        return known

    return number


def _date(earliest: datetime) -> Callable[[str], str]:
    from league.seasons import read_date

    def date(answer: str) -> str:
        if answer and read_date(answer) < earliest:
            from_then = f"{earliest:%F %R} on"
            raise ValueError(f"got {answer!r}, expected a date from {from_then}, or nothing")
        return answer

    return date
