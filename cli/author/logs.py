"""`bullring logs`: the log of a submission, or what your bot wrote and did in a match."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.author.remote.options import JsonOption, ServerOption, TokenOption, connected
from cli.author.status import full_name, submission, submission_line, submissions
from cli.options import refuse
from cli.terminal import say, say_json, say_text

if TYPE_CHECKING:
    from api_models.output import MoveOut, OutputOut
    from cli.author.remote.client import Client

Params = dict[str, str | int | list[str]]
FAULTS = (
    "timeout",
    "illegal_choice",
    "protocol",
    "crashed",
    "out_of_memory",
    "refused_start",
    "output_flood",
)


def logs(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="SUBMISSION|BOT",
            help="The number of a submission, or one of your bots. Default: the newest submission.",
        ),
    ] = None,
    match: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Of a bot: this match. Default: its latest."),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help=f"Only these faults: {', '.join(FAULTS)}. Repeatable."),
    ] = None,
    moves: Annotated[
        bool, typer.Option("--moves", help="Of a match: every move, with its time and note.")
    ] = False,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a match: save all moves as NDJSON.")
    ] = None,
    as_json: JsonOption = False,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Of a submission: until its check is over.")
    ] = False,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """The log of building and checking a submission; or your bot's own output in a match.

    Of a match: what the bot wrote, its think times, and its faults with the asks that caused them.
    Only you and the organisers can read it.
    """
    from api_models.words import whole_number

    number = None if what is None else whole_number(what)
    if what is None or number is not None:
        if match is not None or fault or moves or to is not None:
            got = "no bot" if what is None else repr(what)
            refuse(f"got {got}, expected one of your bots: bullring logs BOT --match N")
        _submission_log(number, follow, server, token)
        return
    for kind in fault or ():
        if kind not in FAULTS:
            refuse(f"got --fault {kind!r}, expected one of: {', '.join(FAULTS)}")
    if follow:
        refuse("--follow is for submissions; to follow a bot's matches: bullring watch BOT")
    with connected(server, token) as client:
        name = full_name(client, what)
        chosen = match or _latest(client, name)
        asked: Params = {"bot": name, "fault": list(fault or ())}
        found = _outputs(client, chosen, asked)
        if to is not None:
            _save(client, found, fault, to)
            return
        for one in found:
            _tell(client, one, fault, moves=moves, as_json=as_json)


def _submission_log(
    number: int | None, follow: bool, server: str | None, token: str | None
) -> None:
    from cli.author.remote.following import follow as follow_log
    from cli.author.submit import show_report

    with connected(server, token) as client:
        if number is None:
            newest = submissions(client)[:1]
            if not newest:
                refuse("you have not submitted anything yet; begin with: bullring submit FOLDER")
            number = newest[0].id
        found = submission(client, number)
        say(submission_line(found), err=True)
        if follow and found.finished_at is None:
            show_report(follow_log(client, number, say), client.url)
            return
        say_text(client.text(f"/submissions/{number}/log"))


def _latest(client: "Client", name: str) -> int:
    from api_models.base import Page
    from api_models.matches import MatchOut

    asked: Params = {"bot": name, "state": ["done"], "limit": 1}
    found = client.get("/matches", Page[MatchOut], asked).items
    if not found:
        refuse(f"{name} has not finished a match yet; what it waits for: bullring status {name}")
    return found[0].id


def _outputs(client: "Client", match: int, asked: Params) -> list["OutputOut"]:
    from api_models.output import OutputOut

    return client.get(f"/matches/{match}/output", list[OutputOut], asked)


def _tell(
    client: "Client", one: "OutputOut", fault: list[str] | None, *, moves: bool, as_json: bool
) -> None:
    if as_json and not moves:
        say_json(one.model_dump(mode="json"))
        return
    if as_json:
        for line in _move_lines(client, one, fault):
            say(line.decode())
        return
    say(f"{one.bot} version {one.version} in match {one.match}: {client.url}/matches/{one.match}")
    say(f"{one.decisions} decisions in {one.games} games{_times(one)}")
    _tell_faults(one, fault)
    if moves:
        _tell_moves(client, one, fault)
    if one.log:
        say("What it wrote, at its end:")
        say_text(one.log, indent="  ")
    else:
        say("It wrote nothing.")


def _times(one: "OutputOut") -> str:
    named = (("mean", one.mean_ms), ("median", one.median_ms), ("longest", one.worst_ms))
    times = [f"{name} {value:.1f} ms" for name, value in named if value is not None]
    memory = [] if not one.memory_peak else [f"{one.memory_peak / 2**20:.0f} MiB of memory"]
    return "".join(f", {text}" for text in times + memory)


def _tell_faults(one: "OutputOut", kinds: list[str] | None) -> None:
    which = f" of kind {', '.join(kinds)}" if kinds else ""
    say(f"{len(one.faults)} faults{which}" + (":" if one.faults else "."))
    for fault in one.faults:
        out = ", and was out of the pass" if fault.out else ""
        say(f"  {fault.kind}{_where(fault.pass_no, fault.game_no, fault.round_no)}{out}:")
        say(f"    {fault.cause}")
        if fault.ask is not None:
            say(f"    {fault.ask.words}")
            if fault.ask.move.note:
                say(f"    its note: {fault.ask.move.note}")


def _where(pass_no: int | None, game_no: int | None, round_no: int | None) -> str:
    """People count from 1, replays and the API from 0."""
    named = (("pass", pass_no), ("game", game_no), ("round", round_no))
    known = [f"{name} {number + 1}" for name, number in named if number is not None]
    return f" in {', '.join(known)}" if known else ""


def _tell_moves(client: "Client", one: "OutputOut", kinds: list[str] | None) -> None:
    from api_models.output import MoveOut

    say("Moves:")
    for line in _move_lines(client, one, kinds):
        say(f"  {_move_words(MoveOut.model_validate_json(line))}")


def _move_words(move: "MoveOut") -> str:
    import json

    where = _where(move.pass_no, move.game_no, move.round_no).removeprefix(" in ")
    ms = "" if move.ms is None else f", {move.ms:.1f} ms"
    fault = "" if move.fault is None else f", {move.fault}"
    note = "" if move.note is None else f": {move.note}"
    return f"{where}, {move.kind} {json.dumps(move.choice)} by {move.by}{ms}{fault}{note}"


def _move_lines(client: "Client", one: "OutputOut", kinds: list[str] | None) -> Iterator[bytes]:
    """The moves of a seat, a document each, as they come."""
    query = "&".join(f"fault={kind}" for kind in kinds or ())
    rest = b""
    for piece in client.download(f"/matches/{one.match}/output/{one.seat}/moves?{query}"):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines


def _save(client: "Client", found: list["OutputOut"], kinds: list[str] | None, to: Path) -> None:
    if to.exists():
        refuse(f"{to} already exists; name another file with --to")
    count = 0
    # Written under another name, so that half a file never looks like a whole one.
    part = to.with_name(f".{to.name}.part")
    try:
        with part.open("wb") as out:
            for one in found:
                for line in _move_lines(client, one, kinds):
                    out.write(line + b"\n")
                    count += 1
        part.replace(to)
    except OSError as error:
        refuse(f"got --to {to}, which cannot be written ({error.strerror}); name another file")
    say(f"{to}: {count} moves of {found[0].bot} in match {found[0].match}, one a line.")


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(logs)
