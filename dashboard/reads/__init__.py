"""What pages and API read, each in a fixed number of queries, and who may see it.

Nothing here decides or writes.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.reads.access import (
        PAGE_SIZE,
        BotLine,
        bots_page,
        entries,
        find_bot,
        hidden_seasons,
        owners_page,
        platform_bots,
        ratings_of,
        season_named,
        season_names,
        season_number,
        standings_of,
        submissions_page,
        versions_named,
        visible_match,
        visible_seasons,
        visible_submission,
    )
    from dashboard.reads.audit import audit_lines, audit_words
    from dashboard.reads.exports import csv_lines, games_csv, season_games
    from dashboard.reads.fleet import fleet_view, season_view, stuck_matches
    from dashboard.reads.form import (
        Opponent,
        best_and_worst,
        opponents_of,
        rivalry,
        sums_by_version,
    )
    from dashboard.reads.friendlies import (
        FriendlyView,
        friendly_limits,
        friendly_views,
        one_friendly,
    )
    from dashboard.reads.gates import GateLine, all_gates, gates_of
    from dashboard.reads.ladders import LadderCard, ladder_cards, ladder_view
    from dashboard.reads.losses import (
        SAMPLE_LIMIT,
        USUAL_SAMPLE,
        decision_url,
        drawn_sample,
    )
    from dashboard.reads.outlook import step_outlook
    from dashboard.reads.output import (
        Asked,
        Move,
        MoveFilter,
        SeatOutput,
        done_match,
        own_seats,
        seat_moves,
        seat_outputs,
    )
    from dashboard.reads.progress import games_over, season_state, seconds_left, submission_state
    from dashboard.reads.replays import ReplayFacts, replay_facts
    from dashboard.reads.sources import SourceGame, has_source, source_game
    from dashboard.reads.story import (
        Upset,
        UpsetSearch,
        is_decided,
        is_tied,
        listed,
        recap,
        short_name,
        upsets,
        verdict,
    )
    from dashboard.reads.tables import (
        SeatedTable,
        find_table,
        games_on_offer,
        has_containers,
        require_replay,
        state_of,
        table_page,
    )
    from dashboard.reads.totals import fault_counts, sums_of, think_times
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
