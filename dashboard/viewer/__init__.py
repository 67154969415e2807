"""The replay viewer's server side: a replay made ready for the browser, and one-file exports.

Only `load` knows the store; who may see what is decided by its callers.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.viewer.comparing import compare
    from dashboard.viewer.export import ENTRY, export_html, join_modules
    from dashboard.viewer.highlights import Highlight, reviewed_highlights, worth_watching
    from dashboard.viewer.live import LiveGame
    from dashboard.viewer.load import (
        links_for,
        load_document,
        load_notes,
        match_highlights,
        payload_for,
    )
    from dashboard.viewer.own_asks import chosen_words, told_ask
    from dashboard.viewer.payload import Links, build_payload
    from dashboard.viewer.seat_game import SeatFrames, SeatGame
    from dashboard.viewer.words import choice_words, names_of
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
