"""The documentation, as pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dashboard.pages.page import Ctx, found, show
from dashboard.references import api_reference, protocol_reference
from dashboard.render import DocPage, without_number
from league.bots import CONTRACT


def _pages(ctx: Ctx) -> Mapping[str, DocPage]:
    """All pages, those that are made from the API's schema and the protocol's contract included."""

    def made() -> dict[str, str]:
        return {
            "api-reference": api_reference(ctx.request.app.openapi()),
            "protocol-reference": protocol_reference(CONTRACT.read_text(encoding="utf-8")),
        }

    return ctx.site.docs.pages(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A way into the documentation, for one kind of reader."""

    title: str
    words: str
    pages: Sequence[DocPage]


DOORS: Sequence[tuple[str, str, Sequence[str]]] = (
    (
        "Learn the games",
        "Three card games, each explained in a few minutes.",
        ("six-nimmt", "eleven-nimmt", "x-nimmt", "play", "rules"),
    ),
    (
        "Write a bot",
        "From nothing to a rated bot, in Python or any other language.",
        (
            "tutorial",
            "write-a-bot",
            "submit",
            "ci",
            "search-bot",
            "training",
            "other-languages",
            "sandbox",
            "protocol",
            "protocol-reference",
        ),
    ),
    (
        "Watch and understand",
        "What the viewer shows, and what every number means.",
        ("watch", "ratings", "review", "ladder-and-gate"),
    ),
    (
        "Run a tournament",
        "From the first plan to the archive, on one machine or many.",
        ("handbook", "operate", "deploy", "runbook", "scale"),
    ),
    (
        "Build on it",
        "Programs that read results, and changes to Bullring itself.",
        ("api", "api-reference", "architecture", "add-rules", "speed"),
    ),
)
"""The pages by what a reader wants; the first of each is where to begin."""


def docs(ctx: Ctx) -> Response:
    """The ways in. Pages that no door names yet stand at the last."""
    pages = _pages(ctx)
    named = {slug for _, _, slugs in DOORS for slug in slugs}
    rest = [slug for slug in pages if slug not in named and slug != "index"]
    doors = [
        Door(title=title, words=words, pages=[pages[slug] for slug in slugs if slug in pages])
        for title, words, slugs in (*DOORS[:-1], (*DOORS[-1][:2], (*DOORS[-1][2], *rest)))
    ]
    return ctx.render("docs_home.html", doors=doors)


def docs_page(ctx: Ctx, slug: str) -> Response:
    """One page."""
    pages = _pages(ctx)
    plain = without_number(slug)
    if slug not in pages and plain in pages:
        return RedirectResponse(f"/docs/{plain}", 301)
    page = found(pages.get(slug), "page")
    return ctx.render("docs.html", page=page, pages=list(pages.values()))


def routes() -> list[Route]:
    """The documentation."""
    return [show("/docs", docs, cached=True), show("/docs/{slug}", docs_page, cached=True)]
