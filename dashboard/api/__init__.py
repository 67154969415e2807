"""The JSON API under /api/v1. Its pages of words are docs/api.md; its schema is made here."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.api.bot_reviews import BotReviewOut, MeanOut
    from dashboard.api.common import PREFIX, VERSION
    from dashboard.api.models import (
        BotOut,
        LeagueOut,
        MatchOut,
        MeOut,
        MessageOut,
        Page,
        RatingOut,
        SubmissionOut,
        VersionOut,
        Webhook,
    )
    from dashboard.api.organiser_models import GateOut, LadderOut, WhyOut
    from dashboard.api.output_models import MoveOut, OutputOut
    from dashboard.api.routes import PARTS, api_routes
    from dashboard.api.season_models import EntryOut, RemovalOut
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
