"""The documentation, as pages."""

from collections.abc import Mapping
from pathlib import Path

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dashboard.pages.page import Ctx, found, show
from dashboard.references import api_reference, protocol_reference
from dashboard.render import DocPage, without_number

CONTRACT = Path(__file__).resolve().parents[2] / "proto" / "wire" / "v1" / "bot.proto"


def _pages(ctx: Ctx) -> Mapping[str, DocPage]:
    """All pages, those that are made from the API's schema and the protocol's contract included."""

    def made() -> dict[str, str]:
        return {
            "api-reference": api_reference(ctx.request.app.openapi()),
            "protocol-reference": protocol_reference(CONTRACT.read_text(encoding="utf-8")),
        }

    return ctx.site.docs.pages(made)


def docs(ctx: Ctx) -> Response:
    """The first page."""
    pages = list(_pages(ctx).values())
    return ctx.render("docs.html", page=pages[0], pages=pages)


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
