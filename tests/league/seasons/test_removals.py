"""What an organiser corrects: withdrawals, disqualifications, matches played again."""

import pytest

import store
from league import ratings
from league.errors import LeagueRefusal
from league.matches.inprocess import InProcessStage
from league.seasons import again as corrections
from league.seasons import life, record, removals
from league.seasons.plan import SeasonPlan
from league.seasons.played import played_balance
from league.settings import LeagueSettings
from league.worker import tick
from store import AttemptState, EntryState, MatchState, SeasonState, Store
from tests.factories import add_bots, add_platform_bots
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


def open_matches(database: Store, season_id: int) -> dict[int, store.Match]:
    with database.read() as session:
        rows = store.match_lists.matches(session, season_id=season_id, limit=1000)
    return {row.id: row for row in rows if not row.state.is_final}


def tables(database: Store, season_id: int) -> dict[int, list[tuple[str, bool]]]:
    """Every match of the season: who sits where, and whether as a substitute."""
    with database.read() as session:
        rows = store.match_lists.matches(session, season_id=season_id, limit=1000)
        seats = store.match_lists.seated(session, [row.id for row in rows])
    return {
        match_id: [(one.bot, one.seat.substitute) for one in table]
        for match_id, table in seats.items()
    }


def leave(database: Store, season_id: int, how: str, bot: str = LEAVER) -> removals.Removal:
    with database.write() as session:
        act = {"withdraw": removals.withdraw, "disqualify": removals.disqualify}[how]
        return act(session, season_id, bot, ORGANISER, "moved away")


def test_a_withdrawal_after_the_first_result_strikes_nothing(
    database: Store, chosen: LeagueSettings
) -> None:
    add_platform_bots(database, ("lowest",))
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    while not (done := played_share(database, season.id)[0]):
        play_due(database, chosen, most=1)
    assert done < played_share(database, season.id)[1] / 2
    leave(database, season.id, "withdraw")
    assert LEAVER in names_in_table(database, season.id)
    play_due(database, chosen)
    assert LEAVER in names_in_table(database, season.id)
    assert played_share(database, season.id) == (done, done), "it was seated after it had left"
    with database.read() as session:
        assert store.seasons.progress(session, season.id).struck == 0
        entry = store.audit.page(session, subject="entry")[0]
    assert (entry.action, entry.reason) == ("entry.withdrawn", "moved away")
    assert (entry.detail["results_stand"], entry.detail["matches_struck"]) == (True, 0)
    with pytest.raises(LeagueRefusal, match="finished"), database.write() as session:
        removals.withdraw(session, season.id, "owner-of-taker/taker", ORGANISER, "")


@pytest.mark.parametrize("how", ["withdraw", "disqualify"])
def test_the_others_keep_their_matches_their_seats_and_their_boards(
    database: Store, chosen: LeagueSettings, how: str
) -> None:
    add_platform_bots(database, ("lowest", "random"))
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, most=2)
    before, promised = open_matches(database, season.id), tables(database, season.id)
    done = leave(database, season.id, how)
    after, seated = open_matches(database, season.id), tables(database, season.id)
    assert {n: (row.key, row.commitment) for n, row in after.items()} == {
        n: (row.key, row.commitment) for n, row in before.items()
    }
    for match_id in before:
        for (was, _), (now, fills) in zip(promised[match_id], seated[match_id], strict=True):
            assert fills is (was == LEAVER)
            assert now.startswith("house/") if was == LEAVER else now == was
    filled = [now for n in after for now, fills in seated[n] if fills]
    assert len(filled) == done.kept > 0
    assert set(filled) == {"house/lowest", "house/random"}, "the seats go round"
    with database.read() as session:
        total = store.seasons.progress(session, season.id).total
    play_due(database, chosen)
    with database.read() as session:
        progress = store.seasons.progress(session, season.id)
    assert (progress.total, progress.done) == (total, total)
    shown = names_in_table(database, season.id)
    assert not any(name.startswith("house/") for name in shown)
    assert (LEAVER in shown) is (how == "withdraw")


def test_a_substitute_is_not_rated_and_the_table_is_made_from_the_others(
    database: Store, chosen: LeagueSettings
) -> None:
    add_platform_bots(database, ("lowest",))
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    leave(database, season.id, "withdraw")
    play_due(database, chosen)
    names_in_table(database, season.id)
    with database.read() as session:
        ladder = store.scales.of_season(session, season.id)
        blocks = list(store.results.blocks(session, ladder.id))
        bot = store.bots.find_bot(session, "house/lowest")
        assert bot is not None
        versions = {version.id for version in store.bots.versions(session, bot.id)}
        rated = {row.version_id for row in store.ratings.table(session, ladder.id)}
        kept = record.season_facts(session, store.seasons.season(session, season.id))
    seated = tables(database, season.id)
    assert not versions & (rated | {one for row in blocks for one in row.versions})
    assert {len(row.versions) for row in blocks if any(f for _, f in seated[row.match_id])} == {3}
    assert "house/lowest 1" not in {one["name"] for one in kept["versions"]}


def test_an_entered_platform_bot_fills_only_if_no_other_can_and_gains_nothing_by_it(
    database: Store, chosen: LeagueSettings
) -> None:
    [house] = add_platform_bots(database, ("lowest",))
    season = season_in(database, SeasonState.RUNNING, PLAN, [*add_bots(database), house])
    done = leave(database, season.id, "withdraw")
    assert {one.bot for one in done.filled if one.bot} == {house}
    assert any("no platform bot is free" in line for line in done.words), "it sits there already"
    play_due(database, chosen)
    assert house in names_in_table(database, season.id)
    own = [n for n, table in tables(database, season.id).items() if (house, False) in table]
    with database.read() as session:
        version = store.bots.playable(session, "six-nimmt")
        [ident] = [one.id for bot, one in version if bot.is_anchor]
        ladder = store.scales.of_season(session, season.id)
        counted = {
            row.match_id
            for row in store.results.blocks(session, ladder.id)
            if ident in row.versions
        }
        played = {
            match_id
            for match_id in own
            if store.present(session, store.Match, match_id).state is MatchState.DONE
        }
        balance = played_balance(session, store.seasons.season(session, season.id))
    assert counted == played
    assert balance is not None


@pytest.mark.parametrize("how", ["withdraw", "disqualify"])
def test_a_match_being_played_ends_with_a_withdrawn_bot_and_without_a_disqualified_one(
    database: Store, how: str
) -> None:
    add_platform_bots(database, ("lowest",))
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    seated = tables(database, season.id)
    mine = next(n for n, table in seated.items() if (LEAVER, False) in table)
    with database.write() as session:
        store.matches.publish(session, [mine])
        assert store.attempts.claim(session, mine, "worker") is not None
    done = leave(database, season.id, how)
    with database.read() as session:
        match = store.present(session, store.Match, mine)
        [kept] = store.match_lists.attempts(session, mine)
    if how == "withdraw":
        assert (match.state, done.ending) == (MatchState.RUNNING, 1)
        assert "plays on there" in " ".join(done.words)
        assert (LEAVER, False) in tables(database, season.id)[mine]
    else:
        assert (match.state, kept.state) == (MatchState.QUEUED, AttemptState.VOID)
        assert not kept.charged
        assert "played again without it" in " ".join(done.words)
        assert ("house/lowest", True) in tables(database, season.id)[mine]


def test_what_cannot_be_filled_is_cancelled_and_that_is_said_first(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    with database.read() as session:
        ahead = removals.preview_removal(session, season.id, LEAVER, EntryState.WITHDRAWN)
        total = store.seasons.progress(session, season.id).total
    assert ahead.cancelled == len(ahead.filled) > 0
    assert any("cancelled: no platform bot is free" in line for line in ahead.words)
    assert leave(database, season.id, "withdraw") == ahead
    with database.read() as session:
        assert store.seasons.progress(session, season.id).total == total - ahead.cancelled


def test_a_duel_without_one_of_its_two_decides_nothing_and_is_cancelled(
    database: Store, chosen: LeagueSettings
) -> None:
    add_platform_bots(database, ("lowest",), ("x-nimmt",))
    plan = SeasonPlan(name="duel", rules="x-nimmt", table=2, boards=2)
    season = season_in(database, SeasonState.RUNNING, plan, add_bots(database))
    done = leave(database, season.id, "withdraw")
    assert (done.kept, done.cancelled) == (0, 4)
    assert any("fewer than two entrants" in line for line in done.words)


def test_results_of_a_bot_that_withdrew_are_struck_by_an_organiser_alone(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, most=2)
    leave(database, season.id, "withdraw")
    with pytest.raises(LeagueRefusal, match="withdrawn already"):
        leave(database, season.id, "withdraw")
    with database.read() as session:
        ahead = removals.preview_removal(session, season.id, LEAVER)
    assert [one.bot for one in ahead.changes if one.place_after is None] == [f"{LEAVER} 1"]
    assert leave(database, season.id, "disqualify").changes == ahead.changes
    assert LEAVER not in names_in_table(database, season.id)
    with database.read() as session:
        assert store.seasons.progress(session, season.id).struck == ahead.played > 0
        kept = store.audit.page(session, subject="season")[0]
    assert kept.detail["changes"], "the audit log keeps the table before and after"


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
        # A command line has no workers to wake: one that looks by itself finds it.
        assert store.present(session, store.Match, match.id).state is MatchState.QUEUED
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


@pytest.mark.parametrize("how", ["withdraw", "disqualify"])
def test_a_match_played_again_after_a_bot_has_left_seats_a_platform_bot_and_counts(
    database: Store, chosen: LeagueSettings, how: str
) -> None:
    add_platform_bots(database, ("lowest",))
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen)
    match_id = next(
        number for number, table in tables(database, season.id).items() if (LEAVER, False) in table
    )
    with database.write() as session:
        # A season that is over plays nothing again but what is stuck.
        store.locked(session, store.Season, season.id).state = SeasonState.RUNNING
    before = tables(database, season.id)[match_id]
    leave(database, season.id, how)
    with database.write() as session:
        corrections.play_again(session, match_id, ORGANISER, "the disk was slow")
        [told] = store.audit.about(session, "match.play_again", "match", [match_id])
    assert told.detail["substitutes"] == ["house/lowest"]
    expected = [("house/lowest", True) if one == (LEAVER, False) else one for one in before]
    assert tables(database, season.id)[match_id] == expected
    play_due(database, chosen)
    with database.read() as session:
        again = store.present(session, store.Match, match_id)
    assert again.state is MatchState.DONE
    assert again.rated


def test_a_match_that_cannot_be_filled_is_not_played_again(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, most=1)
    with database.read() as session:
        [match] = store.match_lists.matches(session, season_id=season.id, states=(MatchState.DONE,))
        seated = store.match_lists.seated(session, [match.id])[match.id]
    leave(database, season.id, "withdraw", seated[0].bot)
    with (
        pytest.raises(LeagueRefusal, match="no platform bot is free"),
        database.write() as session,
    ):
        corrections.play_again(session, match.id, ORGANISER, "a slip")
    with database.read() as session:
        assert store.present(session, store.Match, match.id).state is MatchState.DONE


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
    with database.write() as session:
        life.finish_without(session, season.id, ORGANISER)
    with database.read() as session:
        assert store.seasons.season(session, season.id).state is SeasonState.FINISHED
        assert store.present(session, store.Match, first).state is MatchState.STUCK
        done = store.match_lists.matches(session, season_id=season.id, states=(MatchState.DONE,))[0]
    with pytest.raises(LeagueRefusal, match="only a stuck match"), database.write() as session:
        corrections.play_again(session, done.id, ORGANISER, "no")
    with database.write() as session:
        corrections.play_again(session, first, ORGANISER, "the disk is fixed")
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
