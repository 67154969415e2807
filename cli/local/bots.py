"""Bots as they are typed on the command line, for the commands that play with them."""

import asyncio
import contextlib
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import refuse
from cli.terminal import say

if TYPE_CHECKING:
    from league.bots import LocalBot
    from sandbox.owner import Owner


class SandboxKind(StrEnum):
    """In what bots run."""

    PROCESS = "process"
    DOCKER = "docker"


SandboxOption = Annotated[
    SandboxKind,
    typer.Option(
        help="process: plain processes, for trusted bots. docker: contained, as on a server; "
        "then a bot is image:NAME, a folder with a Dockerfile, or a sample's name."
    ),
]


def find_bots(
    texts: Sequence[str], sandbox: SandboxKind, context: typer.Context
) -> list["LocalBot"]:
    """The bots, ready to be started; an unknown name ends the command."""
    from league.bots import UnknownBot, find_bot
    from sandbox.owner import Owner

    try:
        if sandbox is SandboxKind.PROCESS:
            return [find_bot(text) for text in texts]
        owner = Owner()
        # What was built for this command goes with it, however the command ends.
        context.call_on_close(lambda: _let_go(owner))
        return asyncio.run(_contained(texts, owner))
    except UnknownBot as error:
        refuse(str(error))


async def _contained(texts: Sequence[str], owner: "Owner") -> list["LocalBot"]:
    from league.bots import find_contained
    from sandbox.api import PlatformFault
    from sandbox.engine import Engine

    try:
        engine = Engine()
    except PlatformFault as error:
        refuse(f"{error} `bullring doctor` says more.")
    try:
        return await find_contained(texts, engine, owner, lambda text: say(f"… {text}", err=True))
    except PlatformFault as error:
        refuse(str(error))
    finally:
        engine.close()


def _let_go(owner: "Owner") -> None:
    """Remove the images that were built; what an engine that is gone keeps, the doctor removes."""
    from sandbox.api import PlatformFault
    from sandbox.engine import Engine
    from sandbox.intake import let_all_go

    async def work() -> None:
        engine = Engine()
        try:
            await let_all_go(engine, owner)
        finally:
            engine.close()

    with contextlib.suppress(PlatformFault):
        asyncio.run(work())
    owner.close()
