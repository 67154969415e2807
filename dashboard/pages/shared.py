"""Pages that all readers share: kept while the data they show stay the same, never longer.

The proof are the revisions that the database keeps, read before the data; so a page is right for
every dashboard process, whoever made the last change. A page is made of parts, each with topics of
its own: what changes draws the parts again that show it, and no others.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from sqlmodel import Session

from dashboard.pages.page import Ctx
from dashboard.render import Kept, Marks, Sheet, noted_changes, time_is_up
from store import Store, revisions
from store.revisions import Tokens

WHOLE = ""
"""The name of the part that holds the places of all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What was read for a part. It says nothing about who reads the page."""

    values: Callable[[], Mapping[str, object]]
    """For the template; asked for only when the part is drawn."""
    key: object = None
    """Together with the steady topics all that is drawn: while both are equal, so is the text."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """What is needed to fill the slots, or to see whether the page still holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a page that is read, drawn and kept by itself."""

    template: str
    topics: tuple[str, ...]
    read: Callable[[Tokens], Shown]
    """Gets the tokens of the steady topics."""
    steady: tuple[str, ...] = ()
    """Those topics that change what is drawn although the key is the same."""
    slots: bool = False
    """Whether it shows what depends on the workers' slots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page before it is made: the topics of all its parts, and the parts by name."""

    topics: tuple[str, ...]
    part: Callable[[str], Part]


def shared_sheet(
    ctx: Ctx,
    *query: object,
    begin: Callable[[Session], Page],
    holds: Callable[[Mapping[str, object]], bool] = lambda _facts: True,
) -> Sheet:
    """The sheet of this address and `query`: the one that was kept, or a new one.

    `begin` says what the page is made of, `holds` what no revision tells.
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
            page = begin(session)
            proof = revisions.tokens(session, page.topics, slots=True)
            sheet, until = _whole(ctx, address, page, proof, holds)
        kept = Kept(made=sheet, size=sheet.size, proof=proof, topics=page.topics, until=until)
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


def _whole(
    ctx: Ctx,
    address: tuple[Hashable, ...],
    page: Page,
    proof: Tokens,
    holds: Callable[[Mapping[str, object]], bool],
) -> tuple[Sheet, float]:
    """The page with all its parts, and until when it says the same."""
    made: dict[str, Kept] = {}

    def sheet_of(name: str) -> Sheet:
        if name not in made:
            made[name] = _part(ctx, (*address, "part", name), page.part(name), proof, holds)
        return cast(Sheet, made[name].made)

    sheet = sheet_of(WHOLE).with_parts(sheet_of)
    return sheet, min(kept.until for kept in made.values())


def _part(
    ctx: Ctx,
    address: Hashable,
    part: Part,
    proof: Tokens,
    holds: Callable[[Mapping[str, object]], bool],
) -> Kept:
    """A part as it was kept, or drawn now. Whoever asks is the only one that makes this page."""
    shelf = ctx.site.shelf
    topics = {revisions.MADE, *part.topics} | ({revisions.SLOTS} if part.slots else set())
    own = tuple(one for one in proof if one[0] in topics)
    steady = tuple(one for one in proof if one[0] in {revisions.MADE, *part.steady})
    kept = shelf.get(address)
    if kept is not None and (time_is_up(kept.until) or not holds(cast(Sheet, kept.made).facts)):
        kept = None
    if kept is not None and cast(_Proof, kept.proof).tokens == own:
        return kept
    with noted_changes() as changes:
        shown = part.read(steady)
        now = _Proof(tokens=own, steady=steady, key=shown.key)
        if kept is not None and now.draws_the_same_as(cast(_Proof, kept.proof)):
            sheet = replace(cast(Sheet, kept.made), facts=shown.facts)
            until = min([kept.until, *changes])
        else:
            marks = Marks()
            text = ctx.draw(part.template, marks, part=marks.part, **shown.values())
            sheet = marks.sheet(text, shown.facts)
            until = min(changes, default=float("inf"))
    new = Kept(made=sheet, size=sheet.size, proof=now, until=until)
    shelf.put(address, new)
    return new


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proof:
    """From which data a part was drawn."""

    tokens: Tokens
    steady: Tokens
    key: object

    def draws_the_same_as(self, other: "_Proof") -> bool:
        """Whether the text of one is that of the other, although something has changed."""
        if self.key is None:
            return False
        return (self.steady, self.key) == (other.steady, other.key)
