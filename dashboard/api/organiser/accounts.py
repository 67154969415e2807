"""Accounts of others, for organisers: their access and roles, and links for a new password."""

from typing import Annotated

from fastapi import Query
from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.organiser import AccountOut, InvitationOut
from dashboard import http
from dashboard.api.common import BEARER, Handle, api_router, begin, errors, send, send_all
from dashboard.api.organiser.acts import REFUSALS, organised
from dashboard.api.organiser_models import AccountQuestionOut, NewAccess
from dashboard.http import organiser_of
from dashboard.site import site_of
from league import authors
from store import Owner

router = api_router("account")


@router.get(
    "/account-links",
    response_model=list[AccountQuestionOut],
    responses=errors(401, 403),
    openapi_extra=BEARER,
)
def account_links(
    request: Request,
    look: Annotated[bool, Query(description="Take in the games too.", examples=[False])] = False,
) -> Response:
    """What links accounts: questions with their evidence, no verdicts.

    `look=true` also takes in the games of the latest seasons and ladders, which takes longer.
    """
    site, viewer = begin(request)
    organiser_of(viewer)
    found = authors.account_questions(site.store, games=look)
    return send_all(
        request,
        [
            AccountQuestionOut(
                owners=list(one.owners),
                kind=one.kind,
                evidence=one.evidence,
                where=one.where,
                question=one.question,
            )
            for one in found
        ],
    )


@router.post(
    "/accounts/{name}/access",
    response_model=AccountOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def account_access(request: Request, name: Handle, wanted: NewAccess) -> Response:
    """Disable an account, enable it again, or change its role."""

    def act(session: Session, actor: Owner) -> AccountOut:
        found = authors.find_account(session, name)
        owner = authors.set_access(session, found.id, wanted.access, actor, wanted.reason)
        return AccountOut(
            handle=owner.handle, role=owner.role.value, disabled=owner.disabled_at is not None
        )

    return send(request, organised(request, act))


@router.post(
    "/accounts/{name}/reset",
    response_model=InvitationOut,
    status_code=201,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def account_reset(request: Request, name: Handle) -> Response:
    """Make a link with which the owner of an account sets a new password; it works once."""

    def act(session: Session, actor: Owner) -> InvitationOut:
        owner = authors.find_account(session, name)
        secret = authors.link_for_password(session, owner.id, actor)
        url = http.link_address(site_of(request).settings, secret)
        return InvitationOut(role=owner.role.value, url=url)

    response = send(request, organised(request, act), 201)
    response.headers["cache-control"] = "no-store"
    return response
