"""Who is asking, and their tokens."""

from starlette.requests import Request
from starlette.responses import Response

from api_models.models import MeOut, NewToken, NewTokenOut, TokenOut
from dashboard.api.common import BEARER, Id, api_router, begin, errors, send, send_all
from dashboard.http import Refused, signed_in_owner
from league import authors
from league.authors import Scope
from store import Token, accounts, inbox

router = api_router("account")


def public_token(token: Token) -> TokenOut:
    """A token without its secret."""
    return TokenOut.model_validate(token.model_dump(include=set(TokenOut.model_fields)))


@router.get("/me", response_model=MeOut, responses=errors(401), openapi_extra=BEARER)
def me_get(request: Request) -> Response:
    """Whose token this is."""
    site, viewer = begin(request)
    owner = viewer.owner
    if owner is None:
        raise Refused(
            401, "you are not signed in; send a token", headers={"www-authenticate": "Bearer"}
        )
    scopes = None if viewer.scopes is None else sorted(viewer.scopes)
    with site.store.read() as session:
        unread = inbox.unread(session, owner.id)
    return send(
        request, MeOut(handle=owner.handle, role=owner.role.value, scopes=scopes, unread=unread)
    )


@router.get(
    "/tokens", response_model=list[TokenOut], responses=errors(401, 403), openapi_extra=BEARER
)
def token_list(request: Request) -> Response:
    """Your tokens, without their secrets."""
    site, viewer = begin(request)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    with site.store.read() as session:
        found = accounts.tokens(session, owner.id)
    return send_all(request, [public_token(token) for token in found])


@router.post(
    "/tokens",
    response_model=NewTokenOut,
    status_code=201,
    responses=errors(401, 403),
    openapi_extra=BEARER,
)
def token_create(request: Request, wanted: NewToken) -> Response:
    """Make a token with at most the scopes of the one you use, and that ends no later."""
    site, viewer = begin(request, write=True)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    with site.store.write() as session:
        token, secret = authors.make_token(
            session,
            owner,
            wanted.name,
            wanted.scopes,
            owner,
            days=wanted.days,
            own=viewer.scopes,
            until=viewer.expires_at,
        )
    public = NewTokenOut(**public_token(token).model_dump(), secret=secret)
    return send(request, public, 201)


@router.delete(
    "/tokens/{token_id}",
    status_code=204,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def token_delete(request: Request, token_id: Id) -> Response:
    """End one of your tokens."""
    site, viewer = begin(request, write=True)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    with site.store.write() as session:
        authors.end_token(session, owner, token_id, owner)
    return Response(status_code=204)
