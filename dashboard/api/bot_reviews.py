"""Where a bot loses points: a random sample of its games is reviewed, for its author."""

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from api_models.reviews import BotReviewOut, CostlyOut, GroupOut, MeanOut
from dashboard import reads
from dashboard.api.common import BEARER, BotPart, Handle, api_router, begin, errors, send
from dashboard.http import Refused
from dashboard.reads import BotLine
from dashboard.viewer import choice_words
from league.reviews import (
    MOST_GAMES,
    LossReport,
    Mean,
    ask_sample,
    loss_report,
    missing_reviews,
)
from store import Conflict

router = api_router("reviews")
_PATH = "/bots/{owner}/{name}/review"
Size = Annotated[
    int, Query(ge=1, le=MOST_GAMES, description="How many games are drawn.", examples=[20])
]


@router.get(_PATH, response_model=BotReviewOut, responses=errors(404), openapi_extra=BEARER)
def bot_review_get(
    request: Request, owner: Handle, name: BotPart, sample: Size = reads.USUAL_SAMPLE
) -> Response:
    """Where your bot loses points, as far as its sample has been reviewed."""
    site, viewer = begin(request)
    with site.store.read() as session:
        line, drawn = reads.drawn_sample(session, viewer, owner, name, sample)
        return send(request, public_report(line, loss_report(session, drawn)))


@router.post(
    _PATH,
    response_model=BotReviewOut,
    status_code=202,
    responses=errors(404, 409),
    openapi_extra=BEARER,
)
def bot_review_ask(
    request: Request, owner: Handle, name: BotPart, sample: Size = reads.USUAL_SAMPLE
) -> Response:
    """Have a random sample of your bot's games reviewed."""
    site, viewer = begin(request, write=True)
    with site.store.read() as session:
        line, drawn = reads.drawn_sample(session, viewer, owner, name, sample)
        wanted = missing_reviews(session, drawn)
    if wanted:
        assert viewer.owner is not None
        site.limiter.hit("samples", reads.SAMPLE_LIMIT, viewer.owner.handle)
    try:
        for review_id in ask_sample(site.store, wanted):
            site.services.review_wanted(review_id)
    except Conflict as error:
        raise Refused(409, str(error)) from None
    with site.store.read() as session:
        return send(request, public_report(line, loss_report(session, drawn)), 202)


def public_report(line: BotLine, report: LossReport) -> BotReviewOut:
    """A report as the API sends it."""
    return BotReviewOut(
        bot=line.full_name,
        population=report.sample.population,
        sample=len(report.sample.games),
        reviewed=report.reviewed,
        waiting=report.waiting,
        groups=[
            GroupOut(
                by=one.by,
                name=one.name,
                rules=one.form and one.form.rules,
                advanced=one.form is not None and one.form.advanced,
                own=_mean(one.own),
                field=_mean(one.field),
            )
            for one in report.groups
        ],
        costliest=[
            CostlyOut(
                match=one.game.match_id,
                pass_no=one.game.pass_no,
                game_no=one.game.game_no,
                rules=one.game.rules,
                advanced=one.game.advanced,
                round=one.round,
                version=one.game.version,
                played=choice_words(one.step["kind"], one.step["choice"]),
                better=choice_words(one.step["kind"], one.step["best"]),
                url=reads.decision_url(one),
                **{
                    key: one.step[key]
                    for key in ("turn", "decision", "kind", "choice", "best", "loss", "error")
                },
            )
            for one in report.costliest
        ],
    )


def _mean(mean: Mean) -> MeanOut:
    return MeanOut(decisions=mean.decisions, mean=mean.mean, low=mean.low, high=mean.high)
