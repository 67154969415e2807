"""Bots as they are typed on the command line, for the commands that play with them."""

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli.rules import refuse

if TYPE_CHECKING:
    from league.finding import LocalBot


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


def find_bots(texts: Sequence[str], sandbox: SandboxKind) -> list["LocalBot"]:
    """The bots, ready to be started; a name that is none ends the command."""
    from league.finding import UnknownBot, find_bot

    try:
        if sandbox is SandboxKind.PROCESS:
            return [find_bot(text) for text in texts]
        return asyncio.run(_contained(texts))
    except UnknownBot as error:
        refuse(str(error))


async def _contained(texts: Sequence[str]) -> list["LocalBot"]:
    from league.contained import find_contained
    from sandbox.api import PlatformFault
    from sandbox.engine import Engine
    from sandbox.owner import Owner

    try:
        engine = Engine()
    except PlatformFault as error:
        refuse(f"{error} `bullring doctor` says more.")
    owner = Owner()
    try:
        return await find_contained(texts, engine, owner)
    except PlatformFault as error:
        refuse(str(error))
    finally:
        engine.close()
        owner.close()
