"""Where a bot loses points, for its author: a random sample of its games, reviewed."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import Rank, Refused
from dashboard.pages.page import Ctx, act, show
from dashboard.render import bot_url
from dashboard.viewer import choice_words
from league.reviews import (
    MOST_GAMES,
    Costly,
    Group,
    LossReport,
    ask_sample,
    loss_report,
    missing_reviews,
)
from store import Conflict

SIZES = (reads.USUAL_SAMPLE, 50, MOST_GAMES)
"""What the page offers; a larger sample contains the smaller ones."""
TITLES = {"kind": "By kind of decision", "phase": "By phase of the round", "version": "By version"}
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


def losses(ctx: Ctx, owner: str, name: str) -> Response:
    """What the reviewed games of the sample say, and how far it is."""
    size = _size(ctx.query("sample"))
    with ctx.site.store.read() as session:
        line, sample = reads.drawn_sample(session, ctx.viewer, owner, name, size)
        report = loss_report(session, sample)
    groups = {by: [one for one in report.groups if one.by == by] for by in TITLES}
    whole = next((one for one in report.groups if one.by == "all"), None)
    return ctx.render(
        "losses.html",
        line=line,
        report=report,
        size=size,
        larger=[one for one in SIZES if len(sample.games) < one <= report.sample.population],
        whole=whole,
        groups={TITLES[by]: own for by, own in groups.items() if len(own) > 1},
        names=_NAMES,
        ends=_ends(report.groups),
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
    )


def _ends(groups: Sequence[Group]) -> tuple[float, float]:
    """One scale for all bars, with 0 on it."""
    means = [mean for one in groups for mean in (one.own, one.field)]
    shown = [
        value for mean in means for value in (mean.low, mean.mean, mean.high) if value is not None
    ]
    return min(0.0, *shown, 0.0), max(0.1, *shown, 0.1)


def routes() -> list[Route]:
    """The report on a bot."""
    path = "/bots/{owner}/{name}/losses"
    return [show(path, losses, rank=Rank.AUTHOR), act(path, ask)]
