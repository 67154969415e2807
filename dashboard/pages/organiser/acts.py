"""An act on the desk: done and told on the next page, or refused on the same one."""

from collections.abc import Callable

from sqlmodel import Session
from starlette.responses import Response

from dashboard.pages.page import Ctx
from league.errors import LeagueRefusal
from store import Conflict, NotFound, Owner

REFUSALS = (LeagueRefusal, Conflict, NotFound)
Act = Callable[[Session, Owner], tuple[str, str]]
"""Returns the address of the next page, and the sentence that it shows."""


def actor(ctx: Ctx) -> Owner:
    """The organiser; their pages let nobody else in."""
    assert ctx.viewer.owner is not None
    return ctx.viewer.owner


def carry_out(ctx: Ctx, act: Act, again: Callable[[str], Response]) -> Response:
    """Do it and go on; a refusal is shown by `again`, and nothing is left behind."""
    try:
        with ctx.site.store.write() as session:
            address, words = act(session, actor(ctx))
    except REFUSALS as error:
        return again(str(error))
    return ctx.go(address, words)
