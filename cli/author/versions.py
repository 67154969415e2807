"""`bullring versions`: list them, roll back, and ask the league whether a new one is better."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.author.remote.options import ServerOption, TokenOption, connected
from cli.author.status import BotName, full_name
from cli.options import refuse
from cli.terminal import say

if TYPE_CHECKING:
    from cli.author.remote.client import Client


def versions(
    bot: BotName,
    use: Annotated[
        int | None,
        typer.Option("--use", min=1, help="Let this version play; rolls back or forward."),
    ] = None,
    rest: Annotated[
        bool, typer.Option("--rest", help="Rest: no version plays until --use N.")
    ] = False,
    gate: Annotated[
        int | None,
        typer.Option("--gate", min=1, help="Compare this version with the one that plays."),
    ] = None,
    ladder: Annotated[
        int | None, typer.Option(min=1, help="With --gate: the ladder, if there are several.")
    ] = None,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """All versions of a bot, which one plays, and what gates said; `--use N` rolls back.

    `--rest` takes it out of all future play without leaving anything; `--use N` brings it back.

    `--gate N` lets version N and the present one play the same seat against the same opponents, in
    matches that move no rating. N takes the place if it is better; attempts share one error budget.
    """
    from api_models.models import BotOut

    if rest and use is not None:
        refuse("got both --rest and --use, expected one of them")
    if rest and gate is not None:
        refuse(
            "got both --rest and --gate, expected one of them: a gate compares with the version"
            " that plays, and none would"
        )
    if ladder is not None and gate is None:
        refuse("got --ladder without --gate, expected both: it says on which ladder the gate is")
    with connected(server, token) as client:
        full = full_name(client, bot)
        if rest:
            changed = client.change("PATCH", f"/bots/{full}", BotOut, {"rest": True})
            say(f"{changed.bot} rests. It plays again with: bullring versions {bot} --use N")
        if use is not None:
            changed = client.change("PATCH", f"/bots/{full}", BotOut, {"current_version": use})
            say(f"Version {changed.current_version} of {changed.bot} plays from now on.")
        if gate is not None:
            _open_gate(client, full, gate, ladder)
        _tell_versions(client, full)
        _tell_gates(client, full)


def _open_gate(client: "Client", full: str, new: int, ladder: int | None) -> None:
    from api_models.organiser import GateOut

    number = ladder or _only_ladder(client, full)
    asked = {"bot": full, "new": new}
    made = client.change("POST", f"/ladders/{number}/gate", GateOut, asked)
    say(f"Gate {made.gate} is open: version {made.new} against {made.old}.")


def _only_ladder(client: "Client", full: str) -> int:
    """The ladder of the bot's rules, where there is no doubt which one is meant."""
    from api_models.models import BotOut
    from api_models.organiser import LadderOut

    rules = client.get(f"/bots/{full}", BotOut).rules
    found = [one for one in client.get("/ladders", list[LadderOut]) if one.is_open]
    fitting = [one.id for one in found if one.rules in rules]
    if len(fitting) != 1:
        which = ", ".join(map(str, fitting)) or "none"
        refuse(f"name the ladder with --ladder N; open ones of its rules are: {which}")
    return fitting[0]


def _tell_versions(client: "Client", full: str) -> None:
    from api_models.models import VersionOut
    from api_models.words import since

    for one in client.get(f"/bots/{full}/versions", list[VersionOut]):
        mark = "*" if one.is_current else " "
        note = f"  {one.note}" if one.note else ""
        say(f"{mark} {one.number:3}  {one.state.value:10} {since(one.created_at)}{note}")


def _tell_gates(client: "Client", full: str) -> None:
    from api_models.organiser import GateOut
    from api_models.words import gate_words

    for one in client.get(f"/bots/{full}/gates", list[GateOut]):
        words = gate_words(one.report)
        say(f"gate {one.gate}: {one.new} against {one.old}, {one.state.value}. {words}")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(versions)
