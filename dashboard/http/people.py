"""Who sits at a table: a guest by a signed cookie, or the person of an account."""

import hmac

from sqlmodel import Session
from starlette.requests import HTTPConnection
from starlette.responses import Response

from dashboard.http.identity import Viewer, client_address
from dashboard.site import Site
from store import Person, sittings

COOKIE = "bullring_person"
DAYS = 365


def person_cookie_name(site: Site) -> str:
    """By https the name itself makes browsers refuse a cookie from a neighbouring site."""
    return f"__Host-{COOKIE}" if site.settings.secure else COOKIE


def find_person(
    session: Session, site: Site, connection: HTTPConnection, viewer: Viewer
) -> Person | None:
    """Who this is at tables; None: somebody who never sat at one.

    The person of an account is known to whoever is signed in to it, and to nobody else.
    """
    if viewer.owner is not None:
        known = sittings.person_of(session, viewer.owner.id)
        if known is not None:
            return known
    guest = _guest(session, site, connection)
    return None if guest is None or guest.owner_id is not None else guest


def take_person(session: Session, site: Site, connection: HTTPConnection, viewer: Viewer) -> Person:
    """Who this is from now on; writes, so only for those who sit down."""
    person = find_person(session, site, connection, viewer)
    owner = viewer.owner
    if person is None:
        return sittings.add_person(session, None if owner is None else owner.id)
    if owner is not None and person.owner_id is None:
        return sittings.attach(session, person.id, owner.id)
    return person


def keep_person(site: Site, response: Response, person: Person) -> None:
    """Let the browser of a guest say who it is; an account says so itself."""
    if person.owner_id is not None:
        return
    response.set_cookie(
        person_cookie_name(site),
        f"{person.id}.{_mark(site, person.id)}",
        max_age=DAYS * 86400,
        httponly=True,
        samesite="lax",
        secure=site.settings.secure,
        path="/",
    )


def address_hash(site: Site, connection: HTTPConnection) -> str:
    """Where this comes from, as a keyed hash: enough to count by."""
    return site.mac("table address", client_address(connection, site.settings)).hex()


def _guest(session: Session, site: Site, connection: HTTPConnection) -> Person | None:
    given = connection.cookies.get(person_cookie_name(site), "")
    person_id, _, mark = given.partition(".")
    if not mark or not hmac.compare_digest(mark.encode(), _mark(site, person_id).encode()):
        return None
    return sittings.find_person(session, person_id)


def _mark(site: Site, person_id: str) -> str:
    return site.mac("person", person_id).hex()[:40]
