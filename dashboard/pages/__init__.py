"""The pages: server-rendered, readable without JavaScript. Each module has `routes()`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.pages.page import problem_page
    from dashboard.pages.routes import first_routes, page_routes
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
