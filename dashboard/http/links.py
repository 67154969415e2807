"""The addresses of one-time links; the links themselves are made by `league.authors`."""

from dashboard.settings import Settings
from league.authors import link_for_first_organiser
from store import Store


def link_address(settings: Settings, secret: str) -> str:
    """The address to pass on."""
    return f"{settings.base_url.rstrip('/')}/link/{secret}"


def organiser_link(settings: Settings, store: Store) -> str | None:
    """A fresh link for the first organiser while there is none; print it at every start."""
    secret = link_for_first_organiser(store)
    return None if secret is None else link_address(settings, secret)
