"""Signing up, in and out; one-time links; changing a password."""

from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.routing import Route

from dashboard.http import (
    DEVICE_COOKIE,
    DEVICE_DAYS,
    Rank,
    Refused,
    address_mac,
    client_address,
    cookie_name,
    device_cookie,
    hash_password,
    password_fits,
    session_cookie,
    try_of,
)
from dashboard.pages.page import Ctx, act, set_cookie, show
from dashboard.settings import SignUp
from league import authors
from store import Conflict, InvitationKind, Owner, Role, accounts

HANDLE_WORDS = "1 to 40 lower-case letters, digits and inner hyphens"


def safe_next(address: str) -> str:
    """Where to go after signing in: a page of ours, never another site.

    >>> safe_next("/submit"), safe_next("//evil.example"), safe_next("https://evil.example/")
    ('/submit', '/mine', '/mine')
    >>> safe_next("//[")
    '/mine'
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/mine"
    strange = any(ord(letter) < 33 or letter == "\\" for letter in address)
    if parts.scheme or parts.netloc or strange or not address.startswith("/"):
        return "/mine"
    return "/mine" if address.startswith("//") else address


def sign_in_page(ctx: Ctx) -> Response:
    """The form for signing in."""
    return ctx.render("sign_in.html", next=safe_next(ctx.query("next")), wrong=False, handle="")


def sign_in(ctx: Ctx) -> Response:
    """Check the password; the answer does not tell whether the account exists."""
    handle, password = ctx.text("handle").lower(), ctx.form.get("password", [""])[0]
    tried = try_of(ctx.site, ctx.request, handle)
    tried.count()
    with ctx.site.store.read() as session:
        owner = accounts.owner_by_handle(session, handle)
    usable = owner is not None and owner.disabled_at is None
    stored = owner.password_hash if owner is not None and usable else None
    if not password_fits(stored, password) or owner is None:
        return ctx.render(
            "sign_in.html", 403, next=safe_next(ctx.text("next")), wrong=True, handle=handle
        )
    tried.forget()
    return start_session(ctx, owner, safe_next(ctx.text("next")))


def _count_address(ctx: Ctx, what: str = "tries to sign in") -> None:
    """Count a try by where it comes from, whoever is signed in there."""
    settings = ctx.site.settings
    address = client_address(ctx.request, settings)
    ctx.limit(what, settings.sign_in_limit, "address", address)


def start_session(ctx: Ctx, owner: Owner, address: str, notice: str = "") -> Response:
    """Sign the browser in under a fresh secret; an old one ends, so none can be planted."""
    old = session_cookie(ctx.request, ctx.site.settings)
    with ctx.site.store.write() as session:
        if old is not None:
            accounts.sign_out(session, old)
        agent = ctx.request.headers.get("user-agent", "")
        secret = accounts.sign_in(session, owner.id, agent=agent)
        accounts.note_address(session, owner.id, address_mac(ctx.site, ctx.request))
    response = ctx.go(address, notice)
    name = cookie_name(ctx.site.settings)
    set_cookie(ctx.site, response, name, secret, days=accounts.SIGN_IN_DAYS)
    known = device_cookie(ctx.site, owner.handle)
    set_cookie(ctx.site, response, DEVICE_COOKIE, known, days=DEVICE_DAYS)
    return response


def sign_out(ctx: Ctx) -> Response:
    """End this browser's session."""
    secret = session_cookie(ctx.request, ctx.site.settings)
    if secret is not None:
        with ctx.site.store.write() as session:
            accounts.sign_out(session, secret)
    response = ctx.go("/", "You are signed out.")
    settings = ctx.site.settings
    response.delete_cookie(cookie_name(settings), secure=settings.secure, httponly=True)
    return response


def sign_up_page(ctx: Ctx) -> Response:
    """The form for a new account, or why there is none."""
    return ctx.render("sign_up.html", mode=ctx.site.settings.sign_up, error="", handle="", name="")


def sign_up(ctx: Ctx) -> Response:
    """Make an account where anybody may."""
    if ctx.site.settings.sign_up is not SignUp.OPEN:
        raise Refused(403, "new accounts need an invitation; ask an organiser for a link")
    _count_address(ctx, "new accounts")
    hashed = hash_password(ctx.form.get("password", [""])[0])
    try:
        with ctx.site.store.write() as session:
            owner = authors.make_account(
                session, ctx.text("handle").lower(), name=ctx.text("name"), password_hash=hashed
            )
    except Conflict as error:
        return ctx.render(
            "sign_up.html",
            409,
            mode=ctx.site.settings.sign_up,
            error=str(error),
            handle=ctx.text("handle"),
            name=ctx.text("name"),
        )
    return start_session(ctx, owner, "/mine", f"Welcome, {owner.handle}.")


def link_page(ctx: Ctx, secret: str) -> Response:
    """What a one-time link leads to: a new account, or a new password."""
    with ctx.site.store.read() as session:
        invitation = authors.find_invitation(session, secret)
        owner = session.get(Owner, invitation.owner_id) if invitation.owner_id else None
    return ctx.render("link.html", invitation=invitation, owner=owner, secret=secret)


def use_link(ctx: Ctx, secret: str) -> Response:
    """Use the link up."""
    _count_address(ctx)
    with ctx.site.store.read() as session:
        invitation = authors.find_invitation(session, secret)
    hashed = hash_password(ctx.form.get("password", [""])[0])
    if invitation.kind is InvitationKind.PASSWORD_RESET:
        return _reset(ctx, secret, hashed)
    with ctx.site.store.write() as session:
        owner = authors.accept_invitation(
            session, secret, ctx.text("handle").lower(), hashed, ctx.text("name")
        )
    after = "/organiser" if owner.role is Role.ORGANISER else "/mine"
    return start_session(ctx, owner, after, f"Welcome, {owner.handle}.")


def _reset(ctx: Ctx, secret: str, hashed: str) -> Response:
    """A new password by a link."""
    with ctx.site.store.write() as session:
        owner, ended = authors.reset_password(session, secret, hashed)
    after = " Your API tokens have ended; make new ones below." if ended else ""
    return start_session(ctx, owner, "/mine", f"Your new password works.{after}")


def account_page(ctx: Ctx) -> Response:
    """One's own account."""
    return ctx.render("account.html")


def change_password(ctx: Ctx) -> Response:
    """A new password ends all sign-ins, this one begins again."""
    owner = ctx.viewer.owner
    assert owner is not None
    _count_address(ctx)
    ctx.limit("tries to change a password", ctx.site.settings.sign_in_limit, owner.handle)
    if not password_fits(owner.password_hash, ctx.form.get("old", [""])[0]):
        raise Refused(403, "the present password is not right; nothing was changed")
    hashed = hash_password(ctx.form.get("password", [""])[0])
    with ctx.site.store.write() as session:
        owner = authors.change_password(session, owner.id, hashed)
    return start_session(ctx, owner, "/account", "Your new password works; other browsers are out.")


def routes() -> list[Route]:
    """Accounts."""
    return [
        show("/sign-in", sign_in_page),
        act("/sign-in", sign_in, rank=Rank.SPECTATOR),
        act("/sign-out", sign_out, rank=Rank.SPECTATOR),
        show("/sign-up", sign_up_page),
        act("/sign-up", sign_up, rank=Rank.SPECTATOR),
        show("/link/{secret}", link_page),
        act("/link/{secret}", use_link, rank=Rank.SPECTATOR),
        show("/account", account_page, rank=Rank.AUTHOR),
        act("/account/password", change_password),
    ]
