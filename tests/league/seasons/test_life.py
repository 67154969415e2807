"""The life of a season: steps guarded and audited, dates kept, entries pinned at the freeze."""

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import nimmt
import store
from league.errors import LeagueRefusal
from league.matches import TableBot
from league.matches.inprocess import InProcessStage
from league.matches.stage import OnEvent
from league.seasons import again, drafts, extend, freeze, life
from league.seasons.plan import SeasonPlan
from league.worker import tick
from referee.plan import MatchPlan
from referee.result import MatchResult
from store import EntryState, MatchState, Season, SeasonState, Store
from tests.factories import BOTS, add_bots, open_store
from tests.league.arena import add_version
from tests.league.world import ORGANISER, play_due, season_in, settings

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=4)
STEPS: dict[str, Callable[..., Season]] = {
    "open": life.open_entries,
    "freeze": freeze.freeze_season,
    "call_off": life.call_off,
    "start": life.start,
    "pause": life.pause,
    "resume": life.resume,
    "finish": lambda session, season_id, actor: life.finish(session, season_id, actor, early=True),
    "archive": life.archive,
}
LEGAL = {
    (SeasonState.DRAFT, "open"): SeasonState.OPEN,
    (SeasonState.OPEN, "freeze"): SeasonState.FROZEN,
    (SeasonState.OPEN, "call_off"): SeasonState.FINISHED,
    (SeasonState.FROZEN, "start"): SeasonState.RUNNING,
    (SeasonState.RUNNING, "pause"): SeasonState.PAUSED,
    (SeasonState.PAUSED, "resume"): SeasonState.RUNNING,
    (SeasonState.FROZEN, "finish"): SeasonState.FINISHED,
    (SeasonState.RUNNING, "finish"): SeasonState.FINISHED,
    (SeasonState.PAUSED, "finish"): SeasonState.FINISHED,
    (SeasonState.FINISHED, "archive"): SeasonState.ARCHIVED,
}


def take(database: Store, name: str, season_id: int) -> Season:
    with database.write() as session:
        return STEPS[name](session, season_id, ORGANISER)


def audited(database: Store, season_id: int) -> list[str]:
    with database.read() as session:
        page = store.audit.page(session, subject="season", subject_id=season_id)
    return [entry.action for entry in reversed(page)]


def season_of(database: Store, season_id: int) -> Season:
    with database.read() as session:
        return store.seasons.season(session, season_id)


def have_come(database: Store, season: Season, **dates: datetime) -> None:
    """Let the dates of a season be these, as if time had passed since they were chosen."""
    with database.write() as session:
        row = store.locked(session, Season, season.id)
        for name, moment in dates.items():
            setattr(row, name, moment)


def test_every_illegal_step_is_refused_with_a_reason_and_every_legal_one_is_audited(
    database: Store,
) -> None:
    season = season_in(database, SeasonState.DRAFT, PLAN, add_bots(database))
    way = ("open", "freeze", "start", "pause", "resume", "finish", "archive", None)
    refused = 0
    for step in way:
        here = season_of(database, season.id).state
        before = audited(database, season.id)
        for name in STEPS:
            if (here, name) in LEGAL:
                continue
            with pytest.raises(LeagueRefusal, match=str(here)):
                take(database, name, season.id)
            refused += 1
        assert season_of(database, season.id).state is here
        assert audited(database, season.id) == before, "a refused step left a trace"
        if step is not None:
            take(database, step, season.id)
            assert season_of(database, season.id).state is LEGAL[here, step]
            assert audited(database, season.id) == [*before, f"season.{step}"]
    assert refused == 8 * len(STEPS) - len(LEGAL) - 2, "running comes twice, with two legal steps"


@pytest.mark.parametrize("state", [SeasonState.FROZEN, SeasonState.RUNNING, SeasonState.PAUSED])
def test_a_season_with_matches_to_play_ends_only_when_told_twice(
    database: Store, state: SeasonState
) -> None:
    season = season_in(database, state, PLAN, add_bots(database))
    with pytest.raises(LeagueRefusal, match="still to be played"), database.write() as session:
        life.finish(session, season.id, ORGANISER)
    take(database, "finish", season.id)
    with database.read() as session:
        progress = store.seasons.progress(session, season.id)
    assert {state for state, count in progress.counts.items() if count} == {MatchState.CANCELLED}


def test_a_season_that_takes_entries_is_called_off_with_nothing_planned(database: Store) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    with pytest.raises(LeagueRefusal, match="call it off"):
        take(database, "finish", season.id)
    assert take(database, "call_off", season.id).state is SeasonState.FINISHED
    with database.read() as session:
        assert store.seasons.progress(session, season.id).total == 0
    assert audited(database, season.id)[-1] == "season.call_off"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "Spring!"}, "lower-case"),
        ({"rules": "seven-nimmt"}, "seven-nimmt"),
        ({"options": {"rounds": 0}}, "rounds"),
        ({"table": 11}, "table: got 11, expected a whole number from 2 to 10"),
        ({"boards": 0}, "boards: got 0, expected a whole number from 1 to 10000"),
        ({"meetings": 0}, "meetings: got 0, expected a whole number from 1 to 1000"),
    ],
)
def test_a_season_that_could_not_be_played_is_refused_when_it_is_created(
    database: Store, wrong: dict[str, Any], words: str
) -> None:
    given: dict[str, Any] = {"name": "spring", "rules": "six-nimmt", **wrong}
    with pytest.raises(LeagueRefusal, match=words), database.write() as session:
        drafts.create(session, SeasonPlan(**given), ORGANISER)


def test_dates_out_of_order_are_refused_and_dates_in_order_are_kept_by_the_clockwork(
    tmp_path: Path,
) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    now = database.now()
    early, late = now - timedelta(hours=2), now - timedelta(hours=1)
    wrong = SeasonPlan(name="wrong", rules="x-nimmt", opens_at=late, freezes_at=early)
    with pytest.raises(LeagueRefusal, match="before"), database.write() as session:
        drafts.create(session, wrong, ORGANISER)
    plan = SeasonPlan(name="dated", rules="x-nimmt", boards=4, ends_at=now + timedelta(hours=1))
    season = season_in(database, SeasonState.DRAFT, plan, add_bots(database))
    have_come(database, season, opens_at=early, freezes_at=early, starts_at=late)
    tick.tick(database, chosen)
    assert season_of(database, season.id).state is SeasonState.RUNNING
    assert audited(database, season.id)[-3:] == ["season.open", "season.freeze", "season.start"]
    have_come(database, season, ends_at=late)
    tick.tick(database, chosen)
    ended = season_of(database, season.id)
    assert ended.state is SeasonState.FINISHED
    assert audited(database, season.id)[-1] == "season.finish"


def test_a_date_in_the_past_ends_no_season_by_a_slip(database: Store) -> None:
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    past = database.now() - timedelta(days=1)
    with pytest.raises(LeagueRefusal, match="is in the past"), database.write() as session:
        life.set_dates(session, season.id, {"ends_at": past}, ORGANISER)
    for date in life.DATES:
        over = SeasonPlan(name="over", rules="x-nimmt", **{date: past})  # type: ignore[arg-type]
        with pytest.raises(LeagueRefusal, match="is in the past"), database.write() as session:
            drafts.create(session, over, ORGANISER)
    assert season_of(database, season.id).ends_at is None


@pytest.mark.parametrize(
    ("state", "step"), [(SeasonState.FROZEN, "start"), (SeasonState.PAUSED, "resume")]
)
def test_a_season_whose_end_has_passed_is_not_started_only_to_end_at_once(
    database: Store, state: SeasonState, step: str
) -> None:
    season = season_in(database, state, PLAN, add_bots(database))
    have_come(database, season, ends_at=database.now() - timedelta(minutes=1))
    with pytest.raises(LeagueRefusal, match=r"the end .* is in the past"):
        take(database, step, season.id)
    assert season_of(database, season.id).state is state
    with database.write() as session:
        life.set_dates(session, season.id, {"ends_at": None}, ORGANISER)
    assert take(database, step, season.id).state is SeasonState.RUNNING


def test_a_season_is_not_archived_while_one_of_its_matches_is_made_up_for(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    stage = InProcessStage()
    stage.fail = lambda _: True
    play_due(database, chosen, stage, most=200)
    with database.write() as session:
        life.finish_without(session, season.id, ORGANISER)
    with database.write() as session:
        stuck = store.match_lists.matches(session, season_id=season.id, states=(MatchState.STUCK,))
        again.play_again(session, stuck[0].id, ORGANISER, "fixed")
        left = extend.time_left(session, store.seasons.season(session, season.id))
    assert (left.matches, "1 match is left" in left.words) == (1, True)
    with pytest.raises(LeagueRefusal, match="still to be made up"):
        take(database, "archive", season.id)
    play_due(database, chosen)
    take(database, "archive", season.id)


def test_a_date_that_cannot_be_kept_is_told_and_holds_up_no_other_season(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    bots = add_bots(database)
    due = database.now() - timedelta(minutes=1)
    lonely = SeasonPlan(name="lonely", rules="x-nimmt")
    good = SeasonPlan(name="good", rules="x-nimmt", boards=4)
    first = season_in(database, SeasonState.OPEN, lonely, bots[:1])
    second = season_in(database, SeasonState.OPEN, good, bots)
    for season in (first, second):
        have_come(database, season, freezes_at=due)
    tick.tick(database, chosen)
    assert season_of(database, second.id).state is SeasonState.FROZEN
    left = season_of(database, first.id)
    assert left.state is SeasonState.OPEN
    assert left.freezes_at is None
    with database.read() as session:
        told = store.audit.page(session, subject="season", subject_id=first.id)[0]
    assert told.action == "season.freezes_at.failed"
    assert "has 1 entry that can play" in told.reason


def test_the_freeze_pins_versions_and_withdraws_who_cannot_play_with_the_reason(
    database: Store,
) -> None:
    bots = add_bots(database, ("random", "greedy", "highest", "house", "taker"))
    with database.write() as session:
        for name in ("original", "copy"):
            owner = store.accounts.add_owner(session, name)
            bot = store.bots.add_bot(session, owner.id, "twin", ["six-nimmt"])
            version = store.bots.add_version(
                session, bot.id, program=["random"], fingerprint="files:same"
            )
            store.bots.accept_version(session, version.id)
        owner = store.accounts.add_owner(session, "late")
        store.bots.add_bot(session, owner.id, "unbuilt", ["six-nimmt"])
    entered = [*bots, "original/twin", "copy/twin", "late/unbuilt"]
    season = season_in(database, SeasonState.FROZEN, PLAN, entered)
    with database.write() as session:
        # A version that comes after the freeze does not play in this season.
        first = store.bots.find_bot(session, bots[0])
        assert first is not None
        newer = store.bots.add_version(session, first.id, program=["taker"])
        store.bots.accept_version(session, newer.id)
    with database.read() as session:
        entries = store.seasons.entries(session, season.id)
        names = store.bots.full_names(session, [entry.bot_id for entry in entries])
        reasons = {names[e.bot_id]: e.reason for e in entries if e.state is EntryState.WITHDRAWN}
        pinned = {entry.version_id for entry in entries if entry.state is EntryState.ENTERED}
        matches = store.match_lists.matches(session, season_id=season.id, limit=1000)
        seated = store.match_lists.seated(session, [match.id for match in matches])
    assert set(reasons) == {"copy/twin", "late/unbuilt"}
    assert "one entrant" in reasons["copy/twin"]
    assert "no accepted version" in reasons["late/unbuilt"]
    assert {seat.version_id for seats in seated.values() for seat in seats} == pinned
    assert newer.id not in pinned


def test_bots_of_one_owner_never_meet_and_anchor_bots_fill_the_tables(database: Store) -> None:
    with database.write() as session:
        ada = store.accounts.add_owner(session, "ada")
        bob = store.accounts.add_owner(session, "bob")
        house = store.accounts.add_owner(session, "house", is_house=True)
        makers = [(ada, "one"), (ada, "two"), (bob, "three"), (house, "low"), (house, "high")]
        for owner, name in makers:
            anchor = owner.handle == "house"
            bot = store.bots.add_bot(session, owner.id, name, ["six-nimmt"], is_anchor=anchor)
            version = store.bots.add_version(session, bot.id, program=["random"])
            store.bots.accept_version(session, version.id)
    season = season_in(database, SeasonState.FROZEN, PLAN, ["ada/one", "ada/two", "bob/three"])
    with database.read() as session:
        matches = store.match_lists.matches(session, season_id=season.id, limit=1000)
        seated = store.match_lists.seated(session, [match.id for match in matches])
        entries = store.seasons.entries(session, season.id)
    assert len(entries) == 3, "an anchor bot that fills a seat is no entrant"
    for seats in seated.values():
        assert len(seats) == 4
        for one, other in combinations(seats, 2):
            owners = {one.bot.split("/")[0], other.bot.split("/")[0]}
            assert len(owners) == 2 or owners == {"house"}
        assert sum(seat.is_anchor for seat in seats) == 2
    assert season.balance is not None
    assert season.balance["words"]


def test_a_build_plays_for_who_handed_it_in_first_not_for_who_entered_first(
    database: Store,
) -> None:
    copycat, victim, *others = add_bots(database, BOTS)
    season = season_in(database, SeasonState.OPEN, PLAN, [copycat, victim, *others])
    add_version(database, victim, "greedy", "files:mine")
    # Just before the freeze; and the victim hands the same build in again after that.
    add_version(database, copycat, "greedy", "files:mine")
    add_version(database, victim, "greedy", "files:mine")
    take(database, "freeze", season.id)
    with database.read() as session:
        entries = store.seasons.entries(session, season.id)
    left = {entry.id: entry.reason for entry in entries if entry.state is EntryState.WITHDRAWN}
    assert left == {
        entries[0].id: "it is the same build as another's; equal fingerprints are one entrant"
    }


def test_keys_are_committed_at_the_freeze_and_revealed_only_after_the_match(
    tmp_path: Path,
) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    with database.read() as session:
        promised = store.seasons.commitments(session, season.id)
    joined = "\n".join(one for _, one in promised)
    assert season.commitment == "sha256:" + hashlib.sha256(joined.encode()).hexdigest()
    seen_in_play: list[str | None] = []

    class Curious(InProcessStage):
        """Looks at what the public may know while a match is being played."""

        async def play(
            self, plan: MatchPlan, bots: Sequence[TableBot], on_event: OnEvent | None
        ) -> MatchResult:
            with database.read() as session:
                match = store.present(session, store.Match, int(plan.match[1:]))
                seen_in_play.append(store.matches.public_key(match))
            return await super().play(plan, bots, on_event)

    play_due(database, chosen, Curious(), most=2)
    assert seen_in_play == [None, None]
    with database.read() as session:
        for match_id, commitment in promised:
            match = store.present(session, store.Match, match_id)
            key = store.matches.public_key(match)
            assert (key is not None) == (match.state is MatchState.DONE)
            if key is None:
                continue
            assert nimmt.commitment(bytes.fromhex(key)) == commitment
            blob = store.results.blob_of(session, match_id)
            assert blob is not None
            replay = json.loads(database.blobs.line(blob.sha256, 0))
            assert (replay["key"], replay["commitment"]) == (key, commitment)


def test_a_season_whose_matches_are_all_cancelled_ends_too(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    with database.write() as session:
        for match in store.match_lists.matches(session, season_id=season.id, limit=1000):
            store.matches.cancel(session, match.id, "a test")
    tick.tick(database, chosen)
    assert season_of(database, season.id).state is SeasonState.FINISHED
