"""What results mean: blocks, Elo, the official rating, who is better than whom, standings.

Most of it is pure. `inputs` reads what the store has, `publish` writes the table that pages read
through `published`. When a table is due is decided by `league.worker`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.ratings.blocks import Block, BlockGame, counted_points
    from league.ratings.fairness_report import FairnessReport, ladder_fairness, season_fairness
    from league.ratings.holdback import ON_THEIR_WAY
    from league.ratings.inputs import Material, gather
    from league.ratings.lineage import Lineage
    from league.ratings.people import (
        FEWEST_GAMES,
        FEWEST_ROUNDS,
        BotStrength,
        PeopleGame,
        PersonRating,
        abandoned_places,
        rate_people,
    )
    from league.ratings.publish import refresh, stale, table_to_json
    from league.ratings.published import Crosstable, Row, Table, read_table, span
    from league.ratings.quantiles import normal_quantile
    from league.ratings.ranking import pair_verdict
    from league.ratings.rows import BotFacts, VersionName
    from league.ratings.sequential import (
        MINIMUM_BLOCKS,
        MIXTURE_BLOCKS,
        PairVerdict,
        confidence_sequence,
        gsprt,
    )
    from league.ratings.standings import (
        RowChange,
        Standings,
        compare_standings,
        make_standings,
    )
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
