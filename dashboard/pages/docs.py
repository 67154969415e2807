"""The documentation, as pages."""

from starlette.responses import Response
from starlette.routing import Route

from dashboard.kit import Ctx, found, show


def docs(ctx: Ctx) -> Response:
    """The first page."""
    pages = list(ctx.site.docs.pages.values())
    page = found(pages[0] if pages else None, "page")
    return ctx.render("docs.html", page=page, pages=pages)


def docs_page(ctx: Ctx, slug: str) -> Response:
    """One page."""
    page = found(ctx.site.docs.pages.get(slug), "page")
    return ctx.render("docs.html", page=page, pages=list(ctx.site.docs.pages.values()))


def routes() -> list[Route]:
    """The documentation."""
    return [show("/docs", docs, cached=True), show("/docs/{slug}", docs_page, cached=True)]
