"""Pages that all readers share: kept while the data they show stay the same, never longer.

The proof are the revisions that the database keeps, read before the data; so a page is right for
every dashboard process, whoever made the last change.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from sqlmodel import Session

from dashboard.pages.page import Ctx
from dashboard.render import Kept, Marks, Sheet, noted_changes, time_is_up
from store import Store, revisions


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page that was read, before it is drawn. Its values say nothing about who reads it."""

    template: str
    values: Mapping[str, object]
    facts: Mapping[str, object] = field(default_factory=dict)
    """What is needed to fill the slots, or to see whether the page still holds."""


def shared_sheet(
    ctx: Ctx,
    *query: object,
    topics: Callable[[Session], tuple[str, ...]],
    read: Callable[[Session], Page],
    holds: Callable[[Mapping[str, object]], bool] = lambda _facts: True,
) -> Sheet:
    """The sheet of this address and `query`: the one that was kept, or a new one.

    `topics` says what the page is made of, `holds` what no revision tells.
    """
    shelf, store = ctx.site.shelf, ctx.site.store
    # What organisers see has shelves of its own: nobody else can be given it by mistake.
    address = (ctx.viewer.is_organiser, ctx.request.url.path, *query)
    found = _still_right(store, shelf.get(address), holds)
    if found is not None:
        return found
    with shelf.making(address):
        # Perhaps somebody made it while this one waited.
        found = _still_right(store, shelf.get(address), holds)
        if found is not None:
            return found
        with store.read() as session:
            wanted = topics(session)
            proof = revisions.tokens(session, wanted, slots=True)
            page = read(session)
        marks = Marks()
        with noted_changes() as changes:
            drawn = ctx.draw(page.template, marks, **page.values)
        sheet = marks.sheet(drawn, page.facts)
        until = min(changes, default=float("inf"))
        kept = Kept(made=sheet, size=sheet.size, proof=proof, topics=wanted, until=until)
        shelf.put(address, kept)
        return sheet


def _still_right(
    store: Store, kept: Kept | None, holds: Callable[[Mapping[str, object]], bool]
) -> Sheet | None:
    if kept is None or time_is_up(kept.until):
        return None
    # A session of its own: after waiting, the one before would still see the old data.
    with store.read() as session:
        if revisions.tokens(session, kept.topics, slots=True) != kept.proof:
            return None
    sheet = cast(Sheet, kept.made)
    return sheet if holds(sheet.facts) else None
