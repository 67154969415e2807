"""`bullring doctor`: what this machine can do, what is risky, and what to do about it."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import say, say_json

if TYPE_CHECKING:
    from sandbox.doctor import Finding

_MARKS = {"ok": ("ok", "green"), "note": ("note", None), "risk": ("RISK", "yellow")}


def doctor(
    reap: Annotated[
        bool,
        typer.Option("--reap", help="Remove containers, images and folders of dead processes."),
    ] = False,
    league: Annotated[
        bool, typer.Option("--league", help="Also show what every worker says of itself.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Examine this machine: what is found, what it enables, what is risky, what to do.

    What the settings name (database, Redis, file service, registry, engine) is asked, and how long
    it took to answer is shown. Exit code 1 when contained bots cannot run here, or a service that
    is set does not answer.
    """
    from league.local import examine_machine
    from league.settings import LeagueSettings

    examined = asyncio.run(examine_machine(LeagueSettings(), reap=reap, league=league))
    examined.findings.append(search_engine())
    broken = any(finding.level.value == "broken" for finding in examined.findings)
    if as_json:
        say_json([asdict(finding) for finding in examined.findings])
    else:
        if examined.reaped is not None:
            say(f"Reaped: {examined.reaped}.")
        for finding in examined.findings:
            mark, colour = _MARKS.get(finding.level.value, ("BROKEN", "red"))
            say(f"{mark:6} {finding.name}: {finding.found}", fg=colour)
            say(f"       {finding.means}")
            if finding.do:
                say(f"       Do: {finding.do}")
    if broken:
        raise typer.Exit(1)


def search_engine() -> "Finding":
    """Which engine plays rollouts here."""
    from nimmt.core.library import PURE, engine
    from sandbox.doctor import Finding, Level

    here = engine()
    if here.compiled:
        means = f"Search bots and `simulate` run in C. {PURE}=1 runs them in pure Python instead."
        return Finding(name="search", level=Level.OK, found=here.about, means=means)
    return Finding(
        name="search",
        level=Level.NOTE,
        found=here.found,
        means="Search bots play the same, with some thirtieth of the rollouts.",
        do=here.get,
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(doctor)
