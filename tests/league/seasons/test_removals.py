"""What an organiser corrects: withdrawals, disqualifications, matches played again."""

import pytest

import store
from league import ratings
from league.errors import LeagueRefusal
from league.matches.inprocess import InProcessStage
from league.seasons import again as corrections
from league.seasons import life, removals
from league.seasons.plan import SeasonPlan
from league.settings import LeagueSettings
from league.worker import tick
from store import AttemptState, MatchState, SeasonState, Store
from tests.factories import add_bots
from tests.league.world import ORGANISER, play_due, season_in

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=8, meetings=2)
LEAVER = "owner-of-greedy/greedy"


def names_in_table(database: Store, season_id: int) -> set[str]:
    """Who stands in the table that pages show, after the clockwork has had its turn."""
    tick.refresh_ratings(database)
    with database.read() as session:
        table = ratings.read_table(store.seasons.season(session, season_id).standings)
    return set() if table is None else {row.bot for row in table.rows}


def played_share(database: Store, season_id: int) -> tuple[int, int]:
    with database.read() as session:
        bot = store.bots.find_bot(session, LEAVER)
        assert bot is not None
        mine = store.match_lists.matches(session, season_id=season_id, bot_id=bot.id, limit=1000)
    return sum(match.state is MatchState.DONE for match in mine), len(mine)


def test_a_withdrawal_before_half_takes_the_results_with_it(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, most=2)
    done, total = played_share(database, season.id)
    assert 0 < done < total / 2
    assert LEAVER in names_in_table(database, season.id)
    with database.write() as session:
        removals.withdraw(session, season.id, LEAVER, ORGANISER, "moved away")
    assert LEAVER not in names_in_table(database, season.id)
    play_due(database, chosen)
    assert LEAVER not in names_in_table(database, season.id)
    assert played_share(database, season.id)[0] == done, "it was seated after it had left"
    with database.read() as session:
        assert store.seasons.season(session, season.id).state is SeasonState.FINISHED
        entry = store.audit.page(session, subject="entry")[0]
        ladder = store.scales.of_season(session, season.id)
        rated = {row.version_id for row in store.ratings.table(session, ladder.id)}
        bot = store.bots.find_bot(session, LEAVER)
        assert bot is not None
        assert not rated & {version.id for version in store.bots.versions(session, bot.id)}
    assert (entry.action, entry.reason) == ("entry.withdrawn", "moved away")
    assert entry.detail == {"results_stand": False, "matches_struck": done}


def test_a_withdrawal_after_half_leaves_the_results_and_cancels_the_rest(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    while (share := played_share(database, season.id))[0] < share[1] / 2:
        play_due(database, chosen, most=1)
    with database.write() as session:
        removals.withdraw(session, season.id, LEAVER, ORGANISER, "")
    play_due(database, chosen)
    assert LEAVER in names_in_table(database, season.id)
    assert played_share(database, season.id)[0] == share[0]
    with pytest.raises(LeagueRefusal, match="finished"), database.write() as session:
        removals.withdraw(session, season.id, "owner-of-taker/taker", ORGANISER, "")


def test_a_disqualification_needs_a_reason_and_strikes_everything_even_after_the_end(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen)
    assert LEAVER in names_in_table(database, season.id)
    with pytest.raises(LeagueRefusal, match="reason"), database.write() as session:
        removals.disqualify(session, season.id, LEAVER, ORGANISER, " ")
    with database.write() as session:
        removals.disqualify(session, season.id, LEAVER, ORGANISER, "two bots in one")
    assert LEAVER not in names_in_table(database, season.id)
    with pytest.raises(LeagueRefusal, match="already"), database.write() as session:
        removals.disqualify(session, season.id, LEAVER, ORGANISER, "again")
    with database.write() as session:
        life.archive(session, season.id, ORGANISER)
    with pytest.raises(LeagueRefusal, match="archived"), database.write() as session:
        removals.disqualify(session, season.id, "owner-of-house/house", ORGANISER, "late")


def test_a_match_that_was_cancelled_with_a_bot_that_left_is_not_played_again(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, most=1)
    with database.write() as session:
        removals.disqualify(session, season.id, LEAVER, ORGANISER, "two bots in one")
        cancelled = (MatchState.CANCELLED,)
        match = store.match_lists.matches(session, season_id=season.id, states=cancelled)[0]
    with (
        pytest.raises(LeagueRefusal, match=f"{LEAVER} is disqualified"),
        database.write() as session,
    ):
        corrections.play_again(session, match.id, ORGANISER, "a slip")
    play_due(database, chosen)
    assert LEAVER not in names_in_table(database, season.id)


def test_a_match_played_again_has_fresh_boards_and_one_result(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, most=3)
    with database.read() as session:
        match = store.match_lists.matches(session, season_id=season.id, states=(MatchState.DONE,))[
            -1
        ]
        games = [game.points for game in store.results.games(session, match.id)]
        ladder = store.scales.of_season(session, season.id).id
    before = ratings.refresh(database, ladder)
    with database.write() as session:
        corrections.play_again(session, match.id, ORGANISER, "the disk was slow")
    with database.read() as session:
        assert store.results.games(session, match.id) == []
        assert ratings.stale(session) == [ladder], "the table still shows a result that is void"
    # A command line has no workers to wake: the next turn of the clockwork finds it.
    assert match.id in {bell.match_id for bell in tick.tick(database, chosen).matches}
    play_due(database, chosen, most=6)
    with database.read() as session:
        again = store.present(session, store.Match, match.id)
        attempts = store.match_lists.attempts(session, match.id)
        assert [game.points for game in store.results.games(session, match.id)] != games
        [before_it] = corrections.replaced_keys(session, [match.id])[match.id]
        [told] = store.audit.about(session, "match.play_again", "match", [match.id])
    assert again.state is MatchState.DONE
    # Whoever has read its key knew every hand of the boards it was played on.
    assert again.key != match.key
    assert (before_it.key, before_it.commitment) == (match.key.hex(), match.commitment)
    assert told.detail["new_commitment"] == again.commitment
    assert told.at < attempts[-1].started_at, "promised before it was played"
    assert [attempt.state for attempt in attempts] == [AttemptState.VOID, AttemptState.DONE]
    assert before is not None


def test_a_stuck_match_can_be_made_up_for_after_the_season_has_ended_without_it(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    stage = InProcessStage()
    with database.read() as session:
        first = min(
            m.id for m in store.match_lists.matches(session, season_id=season.id, limit=1000)
        )
    stage.fail = lambda plan: plan.match == f"m{first}"
    play_due(database, chosen, stage)
    with database.read() as session:
        assert store.seasons.season(session, season.id).state is SeasonState.FINISHED
        assert store.present(session, store.Match, first).state is MatchState.STUCK
        done = store.match_lists.matches(session, season_id=season.id, states=(MatchState.DONE,))[0]
    with pytest.raises(LeagueRefusal, match="only a stuck match"), database.write() as session:
        corrections.play_again(session, done.id, ORGANISER, "no")
    with database.write() as session:
        corrections.play_again(session, first, ORGANISER, "the disk is mended")
    stage.fail = lambda _: False
    play_due(database, chosen, stage)
    with database.read() as session:
        progress = store.seasons.progress(session, season.id)
    assert progress.done == progress.total


def test_an_attempt_that_fails_during_a_pause_waits_for_its_end(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    stage = InProcessStage()

    def pause_and_fail(_: object) -> bool:
        with database.write() as session:
            life.pause(session, season.id, ORGANISER)
        return True

    stage.fail = pause_and_fail
    play_due(database, chosen, stage, most=1)
    assert len(stage.played) == 1
    stage.fail = lambda _: False
    play_due(database, chosen, stage)
    assert len(stage.played) == 1, "a match of a paused season was played"
    with database.write() as session:
        life.resume(session, season.id, ORGANISER)
    play_due(database, chosen, stage)
    with database.read() as session:
        assert store.seasons.season(session, season.id).state is SeasonState.FINISHED
