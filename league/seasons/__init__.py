"""Seasons: drafts, the freeze, their steps, who leaves them, rehearsals, how long they take.

A season's matches are played by `league.matches` and judged by `league.ratings`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.seasons.again import may_play_again, play_again, replaced_keys, strike
    from league.seasons.drafts import check_draft, create, delete, edit
    from league.seasons.extend import (
        TimeLeft,
        advance_adaptive,
        end_if_settled,
        is_adaptive,
        time_left,
    )
    from league.seasons.forecast import USUAL_GAPS, ForecastQuestion, keep_trial, look_ahead
    from league.seasons.freeze import commitment_of, freeze_season, lineup, missing_entries
    from league.seasons.life import (
        DATES,
        archive,
        being_made_up_for,
        call_off,
        end_has_passed,
        enter,
        finish,
        finish_without,
        nothing_stuck,
        open_entries,
        pause,
        read_date,
        resume,
        set_dates,
        start,
        undecided,
    )
    from league.seasons.plan import (
        BOTS,
        PLACE,
        USUAL,
        Bots,
        Meetings,
        SeasonDates,
        SeasonName,
        SeasonPlan,
        SeasonWords,
        plan_from,
    )
    from league.seasons.played import recount
    from league.seasons.power import Fleet
    from league.seasons.record import Facts, check_season_over, match_facts, season_facts, table_of
    from league.seasons.rehearsal import (
        BEFORE_PLAY,
        begin_rehearsal,
        conclude_rehearsals,
        last_rehearsal_report,
        leftover_rehearsals,
        rehearsal_is_over,
        remove_rehearsal,
        stop_rehearsal,
    )
    from league.seasons.rehearsal_report import RehearsalFindings, examine_rehearsal
    from league.seasons.removals import Removal, disqualify, preview_removal, withdraw
    from league.seasons.rows import check_name, meetings_of, plan_of
    from league.seasons.steps import SEASON_STEPS, dates_left, next_step, past
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
