"""The documentation, as pages."""

from pathlib import Path

from starlette.responses import Response
from starlette.routing import Route

from dashboard.docs_pages import MADE, DocPage
from dashboard.kit import Ctx, found, show
from dashboard.references import api_reference, protocol_reference

CONTRACT = Path(__file__).resolve().parents[2] / "proto" / "wire" / "v1" / "bot.proto"


def _pages(ctx: Ctx) -> list[DocPage]:
    """All pages, those that are made from schemas included."""
    docs = ctx.site.docs
    if MADE[0] not in docs.pages:
        docs.add(MADE[0], api_reference(ctx.request.app.openapi()))
        docs.add(MADE[1], protocol_reference(CONTRACT.read_text(encoding="utf-8")))
    return list(docs.pages.values())


def docs(ctx: Ctx) -> Response:
    """The first page."""
    pages = _pages(ctx)
    return ctx.render("docs.html", page=pages[0], pages=pages)


def docs_page(ctx: Ctx, slug: str) -> Response:
    """One page."""
    pages = _pages(ctx)
    page = found(ctx.site.docs.pages.get(slug), "page")
    return ctx.render("docs.html", page=page, pages=pages)


def routes() -> list[Route]:
    """The documentation."""
    return [show("/docs", docs, cached=True), show("/docs/{slug}", docs_page, cached=True)]
