"""The league's own bots: the samples of this checkout, which fill tables and hold the scale."""

from pathlib import Path

from sqlmodel import Session

import store
from league.bots.files import SAMPLES
from league.bots.fingerprint import folder_fingerprint
from league.bots.named import find_bot, sample_names, sample_rules
from sandbox.api import CommandProgram, Program
from store import Bot, Owner

HOUSE = "house"
SAMPLE = "sample:"
"""A version's program `sample:gap` is the sample of that name, wherever the checkout lies."""


def ensure_house(session: Session) -> dict[str, Bot]:
    """The samples as platform bots, each with a version for the files as they are now."""
    owner = store.accounts.owner_by_handle(session, HOUSE)
    if owner is None:
        owner = store.accounts.add_owner(session, HOUSE, is_house=True)
    return {name: _sample(session, owner, name) for name in sample_names()}


def _sample(session: Session, owner: Owner, name: str) -> Bot:
    bot = store.bots.find_bot(session, f"{HOUSE}/{name}")
    rules = sample_rules(SAMPLES / name)
    if bot is None:
        bot = store.bots.add_bot(session, owner.id, name, rules, is_anchor=True)
    fingerprint = folder_fingerprint(SAMPLES / name)
    if any(v.fingerprint == fingerprint for v in store.bots.versions(session, bot.id)):
        return bot
    version = store.bots.add_version(
        session, bot.id, program=[SAMPLE + name], fingerprint=fingerprint
    )
    store.bots.accept_version(session, version.id)
    return bot


def program_of(program: tuple[str, ...]) -> Program:
    """What to start for a trusted version's program."""
    if len(program) == 1 and program[0].startswith(SAMPLE):
        return find_bot(program[0].removeprefix(SAMPLE)).program
    return CommandProgram(argv=program, cwd=Path.cwd())
