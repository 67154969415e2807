"""`bullring status`, `enter`, `leave` and `watch`: an author's bots on a league."""

import sys
import time
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from cli.author.remote.options import ServerOption, TokenOption, connected
from cli.options import refuse
from cli.terminal import confirm, say

if TYPE_CHECKING:
    from api_models.matches import MatchOut
    from api_models.models import BotOut, RatingOut, SubmissionOut
    from cli.author.remote.client import Client

BotName = Annotated[str, typer.Argument(metavar="BOT", help="The name of one of your bots.")]
LOOK_SECONDS = 2.0
RECENT = 20


def status(
    what: Annotated[
        str | None,
        typer.Argument(metavar="BOT|SUBMISSION", help="A bot, or the number of a submission."),
    ] = None,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Your bots: which version plays, how it is rated, what became of the last submission."""
    from api_models.words import whole_number
    from cli.author.submit import show_report
    from league.words import counted

    with connected(server, token) as client:
        number = whole_number(what or "")
        if number is not None:
            found = submission(client, number)
            say(submission_line(found))
            if found.finished_at is not None:
                show_report(found, client.url)
            return
        me = client.me()
        scopes = "" if me.scopes is None else f", scopes {', '.join(me.scopes)}"
        say(f"{me.handle} ({me.role}{scopes}) at {client.url}")
        if me.unread:
            say(f"{counted(me.unread, 'new message')}. Read: bullring messages")
        bots = _bots(client, me.handle, what)
        latest = {one.bot: one for one in reversed(submissions(client))}
        for bot in bots:
            _tell_bot(client, bot, latest.get(bot.bot))
        if not bots:
            say("No bots yet. Next: bullring submit FOLDER --bot NAME")


def _bots(client: "Client", handle: str, name: str | None) -> list["BotOut"]:
    from api_models.base import Page
    from api_models.models import BotOut

    if name is not None:
        return [client.get(f"/bots/{full_name(client, name)}", BotOut)]
    return client.get("/bots", Page[BotOut], {"owner": handle, "limit": 200}).items


def full_name(client: "Client", name: str) -> str:
    """A bot's full name; one without an owner is the caller's own."""
    return name if "/" in name else f"{client.me().handle}/{name}"


def submissions(client: "Client") -> list["SubmissionOut"]:
    """Your submissions, newest first."""
    from api_models.base import Page
    from api_models.models import SubmissionOut

    return client.get("/submissions", Page[SubmissionOut], {"limit": 50}).items


def submission(client: "Client", number: int) -> "SubmissionOut":
    """One of your submissions."""
    from api_models.models import SubmissionOut

    return client.get(f"/submissions/{number}", SubmissionOut)


def submission_line(one: "SubmissionOut") -> str:
    """One line: whose it is and what became of it."""
    from api_models.words import since

    version = f" as version {one.version}" if one.version is not None else ""
    return f"submission {one.id} of {one.bot}: {one.state.value}{version}, {since(one.created_at)}"


def _tell_bot(client: "Client", bot: "BotOut", last: "SubmissionOut | None") -> None:
    from api_models.organiser import WhyOut

    rules = ", ".join(bot.rules)
    playing = f"version {bot.current_version} plays {rules}"
    told = playing if bot.current_version else f"no version plays {rules} now"
    say(f"{bot.name}: {told}; {client.url}{bot.url}")
    if bot.suspended:
        say(f"  suspended: {bot.suspended}", fg="yellow")
    ratings = _ratings(client, bot)
    for rating in ratings:
        say(f"  {_rating_line(rating)}")
    for one in client.get(f"/bots/{bot.bot}/why", list[WhyOut]):
        say(f"  ladder {one.ladder}, now: {one.words}")
    if not ratings and bot.current_version:
        say("  not rated yet: it plays on ladders by itself, in seasons when entered;")
        say("  its rating follows soon after its first match")
    if last is not None:
        say(f"  {submission_line(last)}")


def _ratings(client: "Client", bot: "BotOut") -> list["RatingOut"]:
    from api_models.models import RatingOut

    rows = client.get(f"/bots/{bot.bot}/ratings", list[RatingOut])
    return [row for row in rows if row.version == bot.current_version]


def _rating_line(row: "RatingOut") -> str:
    where = f"season {row.season}" if row.season else f"ladder {row.ladder}"
    value = "not measurable yet"
    if row.official is not None:
        span = "" if row.low is None or row.high is None else f" ({row.low:.0f} to {row.high:.0f})"
        value = f"{row.official:.0f}{span}"
    live = f"live {row.live:.0f}" + (" (provisional, few games so far)" if row.provisional else "")
    return f"{where}, {row.rules}, tables of {row.table_size}: {value}, {live}, {row.games} games"


def enter(
    where: Annotated[
        str,
        typer.Argument(metavar="SEASON", help="An open season; or ladder/N, to go back to one."),
    ],
    bot: BotName,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Enter one of your bots in a season, or put it back on a ladder that it left."""
    from api_models.seasons import EntryOut

    name, ladder = bot.partition("/")[2] or bot, _ladder(where)
    with connected(server, token) as client:
        if ladder is not None:
            full = full_name(client, bot)
            client.tell("POST", f"/ladders/{ladder}/enter", {"bots": [full]})
            say(f"{full} is on ladder {ladder} again: {client.url}/ladders/{ladder}")
            return
        made = client.change("POST", f"/seasons/{where}/entries", EntryOut, {"bot": name})
        say(f"{made.bot} is {made.state.value} in {where}: {client.url}/seasons/{where}")


def leave(
    where: Annotated[str, typer.Argument(metavar="SEASON", help="A season, or ladder/N.")],
    bot: BotName,
    reason: Annotated[str, typer.Option(help="Why; this is public.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Withdraw one of your bots from a season or a ladder; its results stand.

    On a ladder `bullring enter ladder/N BOT` puts it back. In a season platform bots take its
    seats in the matches that are still to be played; what that means is shown first.
    """
    from api_models.seasons import EntryOut, RemovalOut

    ladder = _ladder(where)
    with connected(server, token) as client:
        given = {"bot": full_name(client, bot), "reason": reason}
        if ladder is None:
            asked: dict[str, str | int | list[str]] = {"bot": given["bot"]}
            for line in client.get(f"/seasons/{where}/removal", RemovalOut, asked).words:
                say(line)
            if not yes and sys.stdin.isatty():
                confirm(f"Withdraw {given['bot']} from {where}?")
        if ladder is not None:
            client.tell("POST", f"/ladders/{ladder}/withdraw", given)
        else:
            client.change("POST", f"/seasons/{where}/withdraw", list[EntryOut], given)
        say(f"{given['bot']} is withdrawn from {where}.")


def _ladder(where: str) -> int | None:
    """The number of a ladder that was named like one; no season can be."""
    from api_models.words import whole_number

    kind, slash, number = where.partition("/")
    if not slash:
        return None
    found = whole_number(number)
    if kind != "ladder" or found is None:
        refuse(f"got {where!r}, expected the name of a season, or ladder/N")
    return found


def watch(
    bot: Annotated[
        list[str] | None, typer.Argument(metavar="BOT…", help="Default: all your bots.")
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", "-n", min=1, help="Stop after N matches.")
    ] = None,
    recent: Annotated[
        bool, typer.Option("--recent", help="Show the latest matches and stop.")
    ] = False,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Follow the matches of your bots as they end, until Ctrl-C."""
    if recent and count is not None:
        refuse(
            "got both --recent and --count, expected one of them: --recent shows what is over,"
            " --count waits for the next"
        )
    with connected(server, token) as client:
        handle = client.me().handle
        names = [full_name(client, name) for name in bot or ()]
        names = names or [one.bot for one in _bots(client, handle, None)]
        if not names:
            refuse("you have no bots yet; begin with: bullring submit FOLDER --bot NAME")
        if recent:
            for name in names:
                for match in reversed(_done(client, name)):
                    _tell_match(client, match, name)
            return
        say(f"Watching {', '.join(names)}. Ctrl-C ends it.", err=True)
        try:
            _watch(client, names, count)
        except KeyboardInterrupt:
            raise typer.Exit from None


def _done(client: "Client", name: str) -> list["MatchOut"]:
    from api_models.base import Page
    from api_models.matches import MatchOut

    asked: dict[str, str | int | list[str]] = {"bot": name, "state": ["done"], "limit": RECENT}
    return client.get("/matches", Page[MatchOut], asked).items


def _watch(client: "Client", names: list[str], count: int | None) -> None:
    """Print matches that end after the first request, by the server's clock, never our own."""
    waiting = _Waiting(client, names)
    before = list(_ended(client, names))
    since = max((over for _, _, over in before), default=None)
    seen = {(name, match.id, over) for name, match, over in before}
    printed = 0
    while count is None or printed < count:
        waiting.tell()
        time.sleep(LOOK_SECONDS)
        for name, match, over in _ended(client, names):
            known = (name, match.id, over) in seen
            # An old match can come into view when one of the latest is played again.
            if not known and (since is None or over >= since):
                seen.add((name, match.id, over))
                printed += 1
                _tell_match(client, match, name)


class _Waiting:
    """Says what is being waited for, each time that it changes; on stderr, beside the results."""

    def __init__(self, client: "Client", names: list[str]) -> None:
        self._client, self._names, self._handle = client, names, client.me().handle
        self._told: dict[str, str] = {}

    def tell(self) -> None:
        for name in self._names:
            words = self._words(name)
            if words != self._told.get(name):
                self._told[name] = words
                say(f"{name}: {words}", err=True)

    def _words(self, name: str) -> str:
        from api_models.base import Page
        from api_models.matches import MatchOut
        from api_models.organiser import WhyOut

        open_states = ["running", "queued", "planned"]
        asked: dict[str, str | int | list[str]] = {"bot": name, "state": open_states, "limit": 200}
        found = self._client.get("/matches", Page[MatchOut], asked).items
        if not found and not name.startswith(f"{self._handle}/"):
            return "no match is planned."  # Why is for its owner to know.
        if not found:
            why = self._client.get(f"/bots/{name}/why", list[WhyOut])
            reasons = "; ".join(f"ladder {one.ladder}: {one.words}" for one in why)
            return f"no match is planned. {reasons or 'It is on no ladder and in no season.'}"
        running = [match.id for match in found if match.state.value == "running"]
        parts = [f"match {number} is being played" for number in sorted(running)]
        for state, words in (("queued", "in the queue"), ("planned", "planned")):
            count = sum(match.state.value == state for match in found)
            if count:
                parts.append(f"{count} {words}")
        return "waiting for the end of a match: " + ", ".join(parts)


def _ended(client: "Client", names: list[str]) -> Iterator[tuple[str, "MatchOut", datetime]]:
    for name in names:
        for match in reversed(_done(client, name)):
            if match.finished_at is not None:
                yield name, match, match.finished_at


def _tell_match(client: "Client", match: "MatchOut", name: str) -> None:
    """One line: how the bot did, beside whom, and where to look."""
    own = next(seat for seat in match.seats if seat.bot == name)
    others = ", ".join(seat.bot for seat in match.seats if seat is not own)
    games = own.games or 1
    place = "–" if own.mean_place is None else f"{own.mean_place:.2f}"
    faults = f", {own.faults} faults" if own.faults else ""
    say(
        f"match {match.id} ({match.kind.value}, {match.rules}): {name} v{own.version} mean place"
        f" {place}, {own.points / games:.1f} points a game, {100 * own.wins / games:.0f} % won"
        f"{faults}, against {others}. {client.url}{match.url}"
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (status, enter, leave, watch):
        app.command()(command)
