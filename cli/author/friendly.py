"""`bullring friendly`: an unrated match on the league now, against chosen bots."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.author.remote.options import JsonOption, ServerOption, TokenOption, connected
from cli.author.status import full_name
from cli.local import BankMsOption, DuplicateOption, MoveMsOption
from cli.options import OptionOption, parse_options, refuse
from cli.terminal import cell, console, say, say_json

if TYPE_CHECKING:
    from api_models.friendlies import FriendlyOut
    from cli.author.remote.client import Client

LOOK_SECONDS = 0.5
"""How often the league is asked how far the match is."""
GIVE_UP = 30
"""After this many failed requests in a row it stops looking; the match goes on."""
FAILED = 3
"""Exit code when the match came to nothing."""


def friendly(
    bot: Annotated[
        str, typer.Argument(metavar="MY-BOT", help="One of your bots; my-bot@3 is its version 3.")
    ],
    opponents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OPPONENT…",
            help="OWNER/NAME; your own bots and the platform's by their name alone.",
        ),
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help="The rules, where all of them play more than one.")
    ] = None,
    boards: Annotated[int, typer.Option("--boards", "-b", min=1, help="How many boards.")] = 20,
    option: OptionOption = None,
    duplicate: DuplicateOption = None,
    move_ms: MoveMsOption = 100,
    bank_ms: BankMsOption = 1000,
    detach: Annotated[bool, typer.Option("--detach", help="Do not wait for the result.")] = False,
    takes: Annotated[
        bool | None,
        typer.Option(
            "--accept/--refuse",
            help="Let others ask for friendly matches against MY-BOT, or no longer.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Play an unrated match on the league now: your bot against others, on fresh boards.

    It counts nowhere, and only you and the organisers see it until you share it. Ctrl-C stops
    looking; the match goes on, and `bullring friendlies N` looks again. Exit code 3: it came to
    nothing.

    For example: bullring friendly my-bot gap random ada/greedy --boards 40
    """
    if not opponents and takes is None:
        refuse("name one or more opponents, such as: bullring friendly my-bot gap random")
    with connected(server, token) as client:
        if takes is not None:
            _set_takes(client, bot, takes)
        if not opponents:
            return
        wanted: dict[str, Any] = {
            "bot": bot,
            "opponents": opponents,
            "rules": rules,
            "options": parse_options(option),
            "boards": boards,
            "duplicate": duplicate,
            "move_ms": move_ms,
            "bank_ms": bank_ms,
        }
        _ask(client, wanted, detach=detach, as_json=as_json)


def _set_takes(client: "Client", bot: str, takes: bool) -> None:
    from api_models.models import BotOut

    full = full_name(client, bot)
    changed = client.change("PATCH", f"/bots/{full}", BotOut, {"friendlies": takes})
    words = "Others may ask" if changed.friendlies else "Others may no longer ask"
    say(f"{words} for friendly matches against {changed.bot}.")


def _ask(client: "Client", wanted: dict[str, Any], *, detach: bool, as_json: bool) -> None:
    from api_models.friendlies import FriendlyOut

    made = client.change("POST", "/friendlies", FriendlyOut, wanted)
    say(f"Friendly match {made.match}: {client.url}{made.url}", err=True)
    if detach:
        if as_json:
            say_json(made.model_dump(mode="json"))
        return
    _finish(client, made, as_json)


def friendlies(
    match: Annotated[
        int | None, typer.Argument(metavar="MATCH", help="One of them; its result.", min=1)
    ] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="Call MATCH off.")] = False,
    share: Annotated[
        bool | None,
        typer.Option(
            "--share/--hide",
            help="Let everyone with its address see MATCH, or no longer.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """The friendly matches that you asked for, or one of them: its progress and its result."""
    from api_models.base import Page
    from api_models.friendlies import FriendlyOut

    if match is None and (cancel or share is not None):
        refuse("name the match, such as: bullring friendlies 12 --cancel")
    with connected(server, token) as client:
        if match is None:
            found = client.get("/friendlies", Page[FriendlyOut]).items
            _list(found, as_json)
            return
        if share is not None:
            client.change("POST", f"/friendlies/{match}/share", FriendlyOut, {"shared": share})
            say("Everyone with its address sees it." if share else "Only you see it.", err=True)
        if cancel:
            client.change("POST", f"/friendlies/{match}/cancel", FriendlyOut, {})
            say(f"Friendly match {match} is called off.", err=True)
            return
        _finish(client, client.get(f"/friendlies/{match}", FriendlyOut), as_json)


def _list(found: "list[FriendlyOut]", as_json: bool) -> None:
    if as_json:
        say_json([one.model_dump(mode="json") for one in found])
        return
    if not found:
        say("None yet. Ask for one with: bullring friendly my-bot OPPONENT…")
    for one in found:
        table = ", ".join(f"{seat.bot} v{seat.version}" for seat in one.seats)
        own = one.seats[0]
        place = "" if own.mean_place is None else f" mean place {own.mean_place:.2f},"
        say(f"{one.match:6}  {one.state.value:9} {one.rules}:{place} {table}")


def _finish(client: "Client", made: "FriendlyOut", as_json: bool) -> None:
    """Wait for the end of a match, and show what came of it."""
    ended = _follow(client, made)
    if as_json:
        say_json(ended.model_dump(mode="json"))
    else:
        _print(ended, client.url)
    if ended.state.value != "done":
        raise typer.Exit(FAILED)


def _follow(client: "Client", one: "FriendlyOut") -> "FriendlyOut":
    """Look again and again until it is over, and say what has changed."""
    from api_models.friendlies import FriendlyOut
    from cli.author.remote.client import Unanswered

    said, failed = "", 0
    while one.state.value not in ("done", "cancelled", "stuck"):
        words = _words(one)
        if words != said:
            say(f"… {words}", err=True)
            said = words
        time.sleep(LOOK_SECONDS)
        try:
            one = client.get(f"/friendlies/{one.match}", FriendlyOut)
            failed = 0
        except Unanswered as error:
            failed += 1
            if error.status not in (None, 429, 503) or failed >= GIVE_UP:
                raise
    return one


def _words(one: "FriendlyOut") -> str:
    if one.state.value == "running":
        if one.games_over is None:
            return f"playing {one.games} games"
        return f"{one.games_over} of {one.games} games are over"
    if one.reason:
        return f"waiting again: {one.reason}"
    return f"waiting for a slot, {one.ahead} before it" if one.ahead else "waiting for a slot"


def _print(one: "FriendlyOut", url: str) -> None:
    if one.state.value != "done":
        why = f": {one.reason}" if one.reason else ""
        say(f"Friendly match {one.match} is {one.state.value}{why}.")
        return
    console().print(_table(one))
    if any(seat.faults for seat in one.seats):
        say(f"Faults and your bot's output: bullring logs MY-BOT --match {one.match}")
    say(f"Replays: {url}{one.url} or bullring replay get {one.match}")


def _table(one: "FriendlyOut") -> Any:
    from rich.table import Table

    table = Table(
        title=f"{one.rules}, {len(one.seats)} bots, {one.games} games, unrated",
        caption="points a round, share of wins, mean place; time of a decision",
    )
    for name in ("bot", "points", "± 95 %", "wins", "place", "faults", "median", "worst ms"):
        table.add_column(name, justify="left" if name == "bot" else "right")
    for seat in sorted(one.seats, key=lambda seat: (seat.mean_place, seat.points_per_round)):
        out = f" (out in {seat.out_games})" if seat.out_games else ""
        table.add_row(
            cell(f"{seat.bot} v{seat.version}"),
            _number(seat.points_per_round),
            _number(seat.points_half),
            "–" if seat.win_share is None else f"{100 * seat.win_share:.1f} %",
            _number(seat.mean_place),
            f"{seat.faults}{out}",
            _number(seat.median_ms),
            _number(seat.worst_ms),
        )
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(friendly)
    app.command()(friendlies)
