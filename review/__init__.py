"""Reviews: replays in, judgements out. No store, no pages; docs/review.md explains the ledger."""

from review.document import FORMAT, digest, to_json
from review.game import (
    DEFAULT_ROLLOUTS,
    Progress,
    Review,
    ReviewError,
    RoundReview,
    Settings,
    Step,
    review_game,
)
from review.hint import Advice, advise
from review.ledger import Ledger, total
from review.stories import Story, best_game, stories_of, story_of
from review.values import BAND, Alternative, Estimate, Hindsight, Judgement

__all__ = [
    "BAND",
    "DEFAULT_ROLLOUTS",
    "FORMAT",
    "Advice",
    "Alternative",
    "Estimate",
    "Hindsight",
    "Judgement",
    "Ledger",
    "Progress",
    "Review",
    "ReviewError",
    "RoundReview",
    "Settings",
    "Step",
    "Story",
    "advise",
    "best_game",
    "digest",
    "review_game",
    "stories_of",
    "story_of",
    "to_json",
    "total",
]
