"""Reviews of a league's games: which are made by themselves, who makes them, what they add up to.

What a decision is worth is decided by the package `review`; the rows are in `store.reviews`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.reviews.asking import (
        MatchGame,
        ReviewedGame,
        StoredGame,
        ask_review,
        ask_sample,
        is_under_way,
        review_of,
    )
    from league.reviews.making import ReviewMaker
    from league.reviews.report import (
        MOST_GAMES,
        Costly,
        Form,
        Group,
        LossReport,
        Mean,
        Sample,
        draw_sample,
        loss_report,
        missing_reviews,
    )
    from league.reviews.wanted import FINAL_GAMES, Featured, Final, final_of, want_final
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
