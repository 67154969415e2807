"""`bullring submit`: submit a bot, follow its check, and read the report."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import nimmt
from cli.author.remote.options import JsonOption, ServerOption, TokenOption, connected
from cli.local import check_target
from cli.options import refuse
from cli.summary import SummaryOption, append_summary
from cli.terminal import say, say_text

if TYPE_CHECKING:
    from api_models.models import LeagueOut, SubmissionOut
    from cli.author.remote.client import Client
    from cli.author.remote.parcel import Parcel

NOTE_LENGTH = 500
"""As the league has it."""


def submit(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER|image:NAME|ARCHIVE",
            help="A folder with a Dockerfile, an image of this machine, or either as an archive;"
            " registry/name@sha256:… where the league allows it.",
        ),
    ] = ".",
    bot: Annotated[
        str | None, typer.Option("--bot", help="Its name. Default: that of the folder.")
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", "-r", help="For a new bot: rules it plays. May be repeated."),
    ] = None,
    note: Annotated[str, typer.Option(help="A note for yourself, up to 500 characters.")] = "",
    build_here: Annotated[
        bool,
        typer.Option("--build-here", help="Build the folder with this machine's Docker first."),
    ] = False,
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Wait for the check and show its report.")
    ] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Submit the very same content once more.")
    ] = False,
    server: ServerOption = None,
    token: TokenOption = None,
    as_json: JsonOption = False,
    summary: SummaryOption = None,
) -> None:
    """Submit a bot: upload it, follow its check, print the report that `bullring check` prints.

    Interrupted? Run the same command again: what has arrived is not sent twice. Exit code 0: it
    may play; 1: it may not play yet; 2: it could not be submitted.

    For example: bullring submit my-bot --bot my-bot --rules six-nimmt
    """
    from cli.author.remote.parcel import make_parcel

    name = _name(bot, what)
    if len(note) > NOTE_LENGTH:
        refuse(f"got a --note of {len(note)} characters, expected at most {NOTE_LENGTH}")
    for one in rules or ():
        if one not in nimmt.GAMES:
            refuse(f"there are no rules {one!r}; known are {', '.join(nimmt.GAMES)}")
    check_target("--summary", summary)
    with connected(server, token) as client, tempfile.TemporaryDirectory() as scratch:
        league = client.league()
        if league.refuses_uploads:
            refuse(f"{client.url} takes no bots. {league.refuses_uploads}")
        parcel = make_parcel(what, Path(scratch), build_here=build_here, tell=_tell)
        fields = {"bot": name, "kind": parcel.kind, "note": note, "reference": parcel.reference}
        fields["rules"] = ",".join(rules or _rules(client, name))
        sent = _hand_in(client, league, parcel, fields, parcel.key(name, again=again))
        ended = _follow(client, sent) if follow else sent
        if as_json:
            say(ended.model_dump_json())
        elif ended.finished_at is None:
            say(f"Follow it: bullring logs {ended.id} --follow")
        else:
            show_report(ended, client.url)
            _say_what_is_next(client, ended)
        _summarise(summary, ended, client.url)
    if ended.finished_at is not None and ended.state.value != "accepted":
        raise typer.Exit(1)


def _tell(text: str) -> None:
    say(f"… {text}", err=True)


def _name(bot: str | None, what: str) -> str:
    from api_models.words import NAME

    given = bot
    if given is None:
        if "@sha256:" in what or what.startswith("image:"):
            refuse("an image does not say which bot it is; add --bot NAME")
        path = Path(what).expanduser().resolve()
        given = path.name.partition(".")[0].lower().replace("_", "-")
    given = given.partition("/")[2] or given
    if not NAME.fullmatch(given):
        refuse(
            f"got the bot's name {given!r}, expected 1 to 40 lower-case letters, digits and inner"
            " hyphens; give one with --bot NAME"
        )
    return given


def _rules(client: "Client", name: str) -> list[str]:
    """For a bot that does not exist yet: all rules, as `bullring check` tries them all."""
    from api_models.models import BotOut
    from cli.author.remote.client import Unanswered

    try:
        client.get(f"/bots/{client.me().handle}/{name}", BotOut)
    except Unanswered as error:
        if error.status != 404:
            raise
        return list(nimmt.GAMES)
    return []


def _hand_in(
    client: "Client", league: "LeagueOut", parcel: "Parcel", fields: dict[str, str], key: str
) -> "SubmissionOut":
    from api_models.base import Page
    from api_models.models import SubmissionOut
    from api_models.words import size
    from cli.author.remote.parcel import Form
    from cli.progress import progress

    earlier = client.get("/submissions", Page[SubmissionOut], {"key": key}).items
    if earlier:
        [found] = earlier
        _tell(
            f"The same content was submitted before, as submission {found.id};"
            " --again submits it once more."
        )
        return found
    if parcel.size > league.upload_max_bytes:
        refuse(
            f"it has {size(parcel.size)}, the league takes at most"
            f" {size(league.upload_max_bytes)}; leave out what the bot does not need"
        )
    for one in league.missing:
        _tell(f"{one.why} Your submission waits for it.")
    with progress("upload", parcel.size, in_bytes=True) as advance:
        form = Form(fields, parcel.file, advance)
        headers = {"Content-Type": form.content_type, "Idempotency-Key": key}
        sent = client.upload("/submissions", SubmissionOut, form, headers)
    _tell(f"Sent {size(parcel.size)}. It is submission {sent.id}: {client.url}{sent.url}")
    return sent


def _follow(client: "Client", sent: "SubmissionOut") -> "SubmissionOut":
    from cli.author.remote.following import follow

    if sent.finished_at is not None:
        return sent
    try:
        return follow(client, sent.id, _tell)
    except KeyboardInterrupt:
        refuse(
            "you stopped following; the league goes on. Look again:"
            f" bullring logs {sent.id} --follow"
        )


def _summarise(file: Path | None, ended: "SubmissionOut", url: str) -> None:
    """For a CI job: what became of the submission, and where it is."""
    from league.submissions import CheckReport

    document = ended.report or {}
    if "steps" in document:
        details = CheckReport.from_json(document).words()
    else:
        details = str(document.get("error") or "")
    version = f" as version {ended.version}" if ended.version is not None else ""
    verdict = f"{ended.bot}: {ended.state.value}{version}"
    where = f"{url}{ended.url}\n{details}"
    append_summary(file, "submission", verdict, where, good=ended.state.value == "accepted")


def show_report(ended: "SubmissionOut", url: str) -> None:
    """What became of a submission, as `bullring check` says it."""
    from league.submissions import CheckReport

    document = ended.report or {}
    if "steps" in document:
        report = CheckReport.from_json(document)
        say_text(report.words())
        say_text(report.verdict)
    elif document:
        # The error ends with what to do about it.
        say(f"FAIL {document.get('rule')}: {document.get('error')}")
    else:
        say(f"It ended as {ended.state.value}; see {url}{ended.url}")


def _say_what_is_next(client: "Client", ended: "SubmissionOut") -> None:
    from api_models.models import BotOut

    if ended.state.value != "accepted":
        say(f"Its log: bullring logs {ended.id}. Fix it and submit it again.")
        return
    found = client.get(f"/bots/{ended.bot}", BotOut)
    if found.current_version == ended.version:
        say(f"{ended.bot} version {ended.version} plays from now on: {client.url}{found.url}")
    else:
        say(
            f"{ended.bot} version {ended.version} is accepted; version {found.current_version}"
            " plays until it has passed its gate."
        )
    say(f"Next: bullring watch {found.name}, or bullring enter SEASON {found.name}")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(submit)
