"""Where a bot loses points, for its author: a random sample of its games, reviewed."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import Rank, Refused
from dashboard.pages.page import Ctx, act, show
from dashboard.render import bot_url, options_words, rules_title
from dashboard.viewer import choice_words
from league.reviews import (
    MOST_GAMES,
    Costly,
    Form,
    Group,
    LossReport,
    ask_sample,
    loss_report,
    missing_reviews,
)
from store import Conflict

SIZES = (reads.USUAL_SAMPLE, 50, MOST_GAMES)
"""What the page offers; a larger sample contains the smaller ones."""
TITLES = {
    "rules": "",
    "kind": "By kind of decision",
    "phase": "By phase of the round",
    "version": "By version",
}
_NAMES = {
    "card": "Card to lay",
    "row": "Row to take",
    "draft": "Pick in the draft",
    "x_card": "Card for the X row",
    "turn": "Turn",
    "steal": "Whom to steal from",
    "early": "First third of its turns",
    "middle": "Second third",
    "late": "Last third",
}


@dataclass(frozen=True, slots=True)
class CostlyLine:
    """A decision that cost much, as the page tells it."""

    one: Costly
    played: str
    better: str
    url: str
    title: str
    """Of its game."""


@dataclass(frozen=True, slots=True)
class GameLosses:
    """What decisions of one game lose, in several ways."""

    title: str
    advanced: bool
    games: int
    groups: dict[str, list[Group]]
    """By title; the first has none, and all decisions in it."""
    ends: tuple[float, float]
    """Of its bars."""


def losses(ctx: Ctx, owner: str, name: str) -> Response:
    """What the reviewed games of the sample say, and how far it is."""
    size = _size(ctx.query("sample"))
    with ctx.site.store.read() as session:
        line, sample = reads.drawn_sample(session, ctx.viewer, owner, name, size)
        report = loss_report(session, sample)
    whole = next((one for one in report.groups if one.by == "all"), None)
    tables = _tables(report.groups)
    return ctx.render(
        "losses.html",
        line=line,
        report=report,
        size=size,
        larger=[one for one in SIZES if len(sample.games) < one <= report.sample.population],
        whole=whole,
        tables=tables,
        versions=any(TITLES["version"] in one.groups for one in tables),
        names=_NAMES,
        costliest=[_told(one) for one in report.costliest],
        progress=_progress(report),
    )


def ask(ctx: Ctx, owner: str, name: str) -> Response:
    """Have the sample reviewed."""
    site, size = ctx.site, _size(ctx.text("sample"))
    with site.store.read() as session:
        line, sample = reads.drawn_sample(session, ctx.viewer, owner, name, size)
        wanted = missing_reviews(session, sample)
    if wanted:
        ctx.limit("samples", reads.SAMPLE_LIMIT)
        try:
            for review_id in ask_sample(site.store, wanted):
                site.services.review_wanted(review_id)
        except Conflict as error:
            raise Refused(409, str(error)) from None
    return ctx.go(f"{bot_url(line.full_name)}/losses?sample={size}")


def _size(text: str) -> int:
    if not text:
        return reads.USUAL_SAMPLE
    if not text.isdecimal() or len(text) > 9 or not 1 <= int(text) <= MOST_GAMES:
        raise Refused(422, f"got a sample of {text[:20]!r} games, expected 1 to {MOST_GAMES}")
    return int(text)


def _progress(report: LossReport) -> str:
    """How far the sample is; empty: all that can be reviewed is."""
    size = len(report.sample.games)
    if not report.waiting:
        return ""
    return f"{report.reviewed} of {size} games reviewed, {report.waiting} to go."


def _told(one: Costly) -> CostlyLine:
    kind = one.step["kind"]
    return CostlyLine(
        one,
        choice_words(kind, one.step["choice"]),
        choice_words(kind, one.step["best"]),
        reads.decision_url(one),
        _title(Form(one.game.rules, one.game.advanced)),
    )


def _title(form: Form) -> str:
    words = [rules_title(form.rules), options_words({"advanced": form.advanced})]
    return ", ".join(word for word in words if word)


def _tables(groups: Sequence[Group]) -> list[GameLosses]:
    """One table for each game: a loss in one says nothing about the size of losses in another."""
    tables = []
    for whole in [one for one in groups if one.by == "rules"]:
        assert whole.form is not None
        own = [one for one in groups if one.form == whole.form]
        split = {title: [one for one in own if one.by == by] for by, title in TITLES.items()}
        kept = {title: some for title, some in split.items() if len(some) > 1 or not title}
        tables.append(
            GameLosses(_title(whole.form), whole.form.advanced, whole.games, kept, _ends(own))
        )
    return tables


def _ends(groups: Sequence[Group]) -> tuple[float, float]:
    """One scale for all bars of a table, with 0 on it."""
    means = [mean for one in groups for mean in (one.own, one.field)]
    shown = [
        value for mean in means for value in (mean.low, mean.mean, mean.high) if value is not None
    ]
    return min(0.0, *shown, 0.0), max(0.1, *shown, 0.1)


def routes() -> list[Route]:
    """The report on a bot."""
    path = "/bots/{owner}/{name}/losses"
    return [show(path, losses, rank=Rank.AUTHOR), act(path, ask)]
