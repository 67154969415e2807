"""My bots: versions, roll-back, logs, tokens."""

from collections.abc import Sequence

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from api_models.words import whole_number, why_not_counted
from dashboard import reads
from dashboard.http import Rank, Refused
from dashboard.pages.page import Ctx, act, found, show
from dashboard.pages.season import find_ladder
from dashboard.reads import BotLine, gates_of
from dashboard.render import bot_url
from league import authors, notices
from league import gate as gates
from league import ladder as league_ladders
from league.authors import Scope
from nimmt import GAMES
from store import Bot, Ladder, Owner, Version, accounts, bots, inbox, ladders


def mine(ctx: Ctx) -> Response:
    """The viewer's bots, submissions, tokens and messages."""
    return _mine(ctx)


def _mine(ctx: Ctx, secret: str | None = None) -> Response:
    owner = ctx.viewer.owner
    assert owner is not None
    with ctx.site.store.read() as session:
        lines = reads.bots_page(session, owner=owner.handle, limit=200)
        recent = reads.submissions_page(session, owner.id, limit=10)
        own_tokens = accounts.tokens(session, owner.id)
        messages = inbox.messages(session, owner.id, limit=10)
    names = {line.bot.id: line.full_name for line in lines}
    return ctx.render(
        "mine.html",
        lines=lines,
        recent=recent,
        names=names,
        tokens=own_tokens,
        messages=messages,
        scopes=[s for s in Scope if s is not Scope.ORGANISE or ctx.viewer.is_organiser],
        secret=secret,
        games=list(GAMES),
    )


def _own(ctx: Ctx, session: Session, owner: str, name: str) -> BotLine:
    """A bot that the viewer may change; another's looks as if it did not exist here."""
    line: BotLine = found(reads.find_bot(session, owner, name), "bot")
    if not ctx.viewer.sees_private(line.bot.owner_id):
        raise Refused(403, f"{line.full_name} is not your bot")
    return line


def manage(ctx: Ctx, owner: str, name: str) -> Response:
    """The private side of a bot: versions with reports and logs."""
    with ctx.site.store.read() as session:
        line = _own(ctx, session, owner, name)
        versions = bots.versions(session, line.bot.id)
        ladders = _ladders(session, line.bot)
        held = set() if ctx.viewer.is_organiser else _held(session, line.bot, versions)
        places = _places(session, line, ladders) if ctx.viewer.owns(line.bot) else []
        at_gate = [one.new for one in gates_of(session, line.bot.id) if not one.gate.state.is_final]
    return ctx.render(
        "manage.html",
        line=line,
        versions=versions,
        games=list(GAMES),
        ladders=ladders,
        places=places,
        held=held,
        at_gate=at_gate,
        suspended=line.bot.suspended_at is not None and not ctx.viewer.is_organiser,
    )


def _held(session: Session, bot: Bot, versions: Sequence[Version]) -> set[int]:
    """The versions that have to pass a gate before their author may let them play."""
    if not gates.required(session, bot):
        return set()
    return {version.number for version in versions} - set(gates.proven(session, bot))


def _ladders(session: Session, bot: Bot) -> list[Ladder]:
    """The ladders on which a version of this bot could go through a gate."""
    return [one for one in ladders.ladders(session, only_open=True) if one.rules in bot.rules]


def _places(
    session: Session, line: BotLine, found: list[Ladder]
) -> list[tuple[Ladder, league_ladders.WhyNot | None]]:
    """The ladders of a bot, each with how it was taken out of it, if it was."""
    out = (league_ladders.WhyNot.WITHDRAWN, league_ladders.WhyNot.DISQUALIFIED)
    reasons = [league_ladders.why_idle(session, one, line.full_name).reason for one in found]
    return [
        (one, reason if reason in out else None) for one, reason in zip(found, reasons, strict=True)
    ]


def change(ctx: Ctx, owner: str, name: str) -> Response:
    """Change the words about a bot and its rules."""
    ctx.limit("changes", ctx.site.settings.write_limit)
    rules = [game for game in GAMES if ctx.text(f"rules-{game}")]
    with ctx.site.store.write() as session:
        line = _own(ctx, session, owner, name)
        assert ctx.viewer.owner is not None
        authors.change_bot(
            session,
            line.bot.id,
            ctx.viewer.owner,
            about=ctx.text("about")[: authors.ABOUT_LENGTH],
            rules=rules,
            as_organiser=ctx.viewer.is_organiser,
        )
    return ctx.go(f"{bot_url(line.full_name)}/manage", "Saved.")


def set_friendlies(ctx: Ctx, owner: str, name: str) -> Response:
    """Let others ask for friendly matches against a bot, or no longer."""
    ctx.limit("changes", ctx.site.settings.write_limit)
    takes = ctx.text("friendlies") == "1"
    with ctx.site.store.write() as session:
        line = _own(ctx, session, owner, name)
        assert ctx.viewer.owner is not None
        authors.change_bot(session, line.bot.id, ctx.viewer.owner, friendlies=takes)
    words = "Others may ask for friendly matches against" if takes else "No more friendlies against"
    return ctx.go("/mine", f"{words} {name}.")


def choose_version(ctx: Ctx, owner: str, name: str) -> Response:
    """Roll back, or forward, to a version; or let the bot rest."""
    ctx.limit("changes", ctx.site.settings.write_limit)
    text = ctx.text("version")
    number = whole_number(text)
    if number is None and text != "rest":
        raise Refused(422, "choose one of the versions, or to rest")
    with ctx.site.store.write() as session:
        line = _own(ctx, session, owner, name)
        assert ctx.viewer.owner is not None
        authors.choose_version(
            session, line.bot.id, number, ctx.viewer.owner, as_organiser=ctx.viewer.is_organiser
        )
    notice = "The bot rests." if number is None else f"Version {number} plays from now on."
    return ctx.go(f"{bot_url(line.full_name)}/manage", notice)


def open_gate(ctx: Ctx, owner: str, name: str) -> Response:
    """Let a version play for its place before it gets it."""
    ctx.limit("changes", ctx.site.settings.write_limit)
    version, chosen = whole_number(ctx.text("version")), whole_number(ctx.text("ladder"))
    if version is None or chosen is None:
        raise Refused(422, "choose a version and a ladder")
    with ctx.site.store.write() as session:
        line = _own(ctx, session, owner, name)
        assert ctx.viewer.owner is not None
        gate = gates.open_gate(
            session,
            chosen,
            line.full_name,
            version,
            ctx.viewer.owner,
            as_organiser=ctx.viewer.is_organiser,
        )
        why = why_not_counted(gate.report)
    ending = f"for information only: {why}." if why else "it takes the place when it passes."
    words = f"Version {version} is at the gate; {ending}"
    return ctx.go(f"{bot_url(line.full_name)}#gates", words)


def cancel_gate(ctx: Ctx, owner: str, name: str, gate_id: int) -> Response:
    """Stop a gate of a bot."""
    ctx.limit("changes", ctx.site.settings.write_limit)
    with ctx.site.store.write() as session:
        line = _own(ctx, session, owner, name)
        if gate_id not in {one.gate.id for one in gates_of(session, line.bot.id)}:
            raise Refused(404, f"{line.full_name} has no gate {gate_id}")
        assert ctx.viewer.owner is not None
        gates.cancel(session, gate_id, ctx.viewer.owner, "stopped on its page")
    return ctx.go(f"{bot_url(line.full_name)}#gates", "The gate has ended; the attempt counts.")


def leave_ladder(ctx: Ctx, owner: str, name: str, ladder_id: int) -> Response:
    """Take one of the viewer's bots out of a ladder."""
    ctx.limit("changes", ctx.site.settings.write_limit)
    with ctx.site.store.write() as session:
        line, author = _own_only(ctx, session, owner, name)
        authors.leave_ladder(session, find_ladder(session, ladder_id).id, name, author)
    return ctx.go(f"{bot_url(line.full_name)}/manage#ladders", f"{name} has left the ladder.")


def enter_ladder(ctx: Ctx, owner: str, name: str, ladder_id: int) -> Response:
    """Put one of the viewer's bots back that left a ladder."""
    ctx.limit("changes", ctx.site.settings.write_limit)
    with ctx.site.store.write() as session:
        line, author = _own_only(ctx, session, owner, name)
        authors.enter_ladder(session, find_ladder(session, ladder_id).id, name, author)
    return ctx.go(f"{bot_url(line.full_name)}/manage#ladders", f"{name} is on the ladder again.")


def _own_only(ctx: Ctx, session: Session, owner: str, name: str) -> tuple[BotLine, Owner]:
    """A bot of the viewer's own; organisers do it to others' on the desk."""
    line = _own(ctx, session, owner, name)
    if ctx.viewer.owner is None or not ctx.viewer.owns(line.bot):
        raise Refused(403, f"{line.full_name} is not your bot; use the ladder's desk")
    return line, ctx.viewer.owner


def add_token(ctx: Ctx) -> Response:
    """Make a token and show it, once."""
    owner = ctx.viewer.owner
    assert owner is not None
    ctx.limit("changes", ctx.site.settings.write_limit)
    scopes = [scope.value for scope in Scope if ctx.text(f"scope-{scope.value}")]
    typed = ctx.text("days")
    days = whole_number(typed)
    if typed and days is None:
        most = authors.TOKEN_DAYS
        raise Refused(422, f"got {typed[:20]!r} days, expected 1 to {most}, or nothing")
    with ctx.site.store.write() as session:
        _, secret = authors.make_token(session, owner, ctx.text("name"), scopes, owner, days=days)
    response = _mine(ctx, secret)
    response.headers["cache-control"] = "no-store"
    return response


def set_webhook(ctx: Ctx) -> Response:
    """Have copies of messages sent to an address, or no longer."""
    owner = ctx.viewer.owner
    assert owner is not None
    ctx.limit("changes", ctx.site.settings.write_limit)
    url = ctx.text("url").strip() or None
    with ctx.site.store.write() as session:
        notices.set_webhook(session, owner.id, url)
    words = "Copies of new messages go there." if url else "Messages stay here from now on."
    return ctx.go("/mine#inbox", words)


def read_messages(ctx: Ctx) -> Response:
    """Mark all messages up to the newest that was shown as read."""
    owner = ctx.viewer.owner
    assert owner is not None
    shown = whole_number(ctx.text("up_to"))
    if shown is None:
        raise Refused(422, "send the newest message that was shown")
    with ctx.site.store.write() as session:
        inbox.mark_read(session, owner.id, shown)
    return ctx.go("/mine#inbox", "All messages marked as read.")


def end_token(ctx: Ctx, token_id: int) -> Response:
    """End a token."""
    owner = ctx.viewer.owner
    assert owner is not None
    with ctx.site.store.write() as session:
        authors.end_token(session, owner, token_id, owner)
    return ctx.go("/mine#tokens", "The token no longer works.")


def routes() -> list[Route]:
    """The private pages of authors."""
    bot = "/bots/{owner}/{name}"
    return [
        show("/mine", mine, rank=Rank.AUTHOR),
        show(f"{bot}/manage", manage, rank=Rank.AUTHOR),
        act(f"{bot}/manage", change),
        act(f"{bot}/version", choose_version),
        act(f"{bot}/friendlies", set_friendlies),
        act(f"{bot}/gate", open_gate),
        act(f"{bot}/gates/{{gate_id:int}}/cancel", cancel_gate),
        act(f"{bot}/ladders/{{ladder_id:int}}/leave", leave_ladder),
        act(f"{bot}/ladders/{{ladder_id:int}}/enter", enter_ladder),
        act("/mine/webhook", set_webhook),
        act("/mine/messages/read", read_messages),
        act("/mine/tokens", add_token),
        act("/mine/tokens/{token_id:int}/end", end_token),
    ]
