"""From values to HTML: the template environment, addresses, words and numbers, charts."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.render.charts import Point, RaceLine
    from dashboard.render.documents import DocPage, Docs, without_number
    from dashboard.render.environment import (
        TEMPLATES,
        bot_url,
        desk_url,
        game_url,
        ladder_desk_url,
        new_environment,
        page_environment,
        reader_pieces,
        season_url,
    )
    from dashboard.render.passing import note_moment, noted_changes
    from dashboard.render.sheets import Kept, Marks, Sheet, Shelf, Slot, fill
    from dashboard.render.text import (
        ago,
        game_title,
        ladder_name,
        ladder_words,
        number,
        options_words,
        rules_title,
        state_word,
        this_minute,
        time_is_up,
    )
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
