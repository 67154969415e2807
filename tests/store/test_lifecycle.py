"""Whatever happens in whatever order, a match obeys its state machine and counts at most once."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sqlmodel import col

from store import (
    Attempt,
    AttemptState,
    Conflict,
    Finish,
    Match,
    MatchState,
    SeasonState,
    Store,
    attempts,
    match_lists,
    matches,
    present,
    results,
    seasons,
    utc_now,
)
from tests.store.support import add_season, add_versions, new_match, outcome
from tests.tiers import up_to


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One database for all runs of the machine; each run plans a match of its own."""
    folder: Path = tmp_path_factory.mktemp("lifecycle")
    store = Store(f"sqlite:///{folder}/league.db", folder / "blobs")
    store.migrate()
    with store.write() as session:
        add_versions(session)
    yield store
    store.close()


class MatchLife(RuleBasedStateMachine):
    """Workers, reaper and organiser act on one match at random; a model says what must come."""

    store: Store

    def __init__(self) -> None:
        super().__init__()
        with self.store.write() as session:
            (self.match_id,) = matches.plan(session, [new_match([1, 2, 3, 4])])
        self.state = MatchState.PLANNED
        self.failures = 0
        self.tokens: list[str] = []
        self.holder: str | None = None
        self.finished: set[str] = set()

    def _fail(self) -> None:
        self.failures += 1
        self.holder = None
        self.state = MatchState.STUCK if self.failures >= 3 else MatchState.QUEUED

    @rule()
    def publish(self) -> None:
        with self.store.write() as session:
            bells = matches.publish(session, [self.match_id])
        assert bool(bells) == (self.state is MatchState.PLANNED)
        if bells:
            self.state = MatchState.QUEUED

    @rule()
    def claim(self) -> None:
        with self.store.write() as session:
            attempt = attempts.claim(session, self.match_id, "w")
        assert (attempt is not None) == (self.state is MatchState.QUEUED)
        if attempt is not None:
            self.state, self.holder = MatchState.RUNNING, attempt.token
            self.tokens.append(attempt.token)

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        token = data.draw(st.sampled_from(self.tokens))
        with self.store.write() as session:
            answer = attempts.finish(session, token, outcome())
        if token == self.holder:
            assert answer is Finish.ACCEPTED
            self.state, self.holder, self.failures = MatchState.DONE, None, 0
            self.finished = {token}
        else:
            assert answer is (Finish.REPEATED if token in self.finished else Finish.REFUSED)

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), charged=st.booleans())
    def void(self, data: st.DataObject, charged: bool) -> None:
        token = data.draw(st.sampled_from(self.tokens))
        with self.store.write() as session:
            state = attempts.void(session, token, "docker", charged=charged)
        if token != self.holder:
            assert state is None
            return
        if charged:
            self._fail()
        else:
            self.state, self.holder = MatchState.QUEUED, None
        assert state is self.state

    @rule(expired=st.booleans())
    def reap(self, expired: bool) -> None:
        with self.store.write() as session:
            if expired:
                past = utc_now() - timedelta(hours=1)
                session.execute(
                    sa.update(Match).where(col(Match.token).is_not(None)).values(lease_until=past)
                )
            lost = attempts.reap(session).lost
        assert (self.match_id in lost) == (expired and self.holder is not None)
        if self.match_id in lost:
            self._fail()

    @rule()
    def cancel(self) -> None:
        with self.store.write() as session:
            done = matches.cancel(session, self.match_id, "organiser")
        assert done == (not self.state.is_final)
        if done:
            self.state, self.holder = MatchState.CANCELLED, None

    @rule()
    def play_again(self) -> None:
        allowed = (MatchState.DONE, MatchState.CANCELLED, MatchState.STUCK)
        if self.state not in allowed:
            with pytest.raises(Conflict), self.store.write() as session:
                matches.play_again(session, self.match_id, "again", key=b"f" * 32)
            return
        with self.store.write() as session:
            matches.play_again(session, self.match_id, "again", key=b"f" * 32)
        self.state, self.failures, self.finished = MatchState.QUEUED, 0, set()

    @invariant()
    def the_rows_agree_with_the_model(self) -> None:
        with self.store.read() as session:
            match = present(session, Match, self.match_id)
            attempts = match_lists.attempts(session, self.match_id)
            games = len(results.games(session, self.match_id))
        assert match.state is self.state
        assert match.token == self.holder
        assert (match.lease_until is None) == (self.holder is None)
        assert [attempt.number for attempt in attempts] == list(range(1, match.attempts + 1))
        running = [each.token for each in attempts if each.state is AttemptState.RUNNING]
        assert running == ([] if self.holder is None else [self.holder])
        done = [each.token for each in attempts if each.state is AttemptState.DONE]
        assert set(done) == self.finished
        assert games == (4 if self.state is MatchState.DONE else 0)

    def teardown(self) -> None:
        with self.store.write() as session:
            matches.cancel(session, self.match_id, "over")


def test_a_match_obeys_its_state_machine(shared: Store) -> None:
    class Bound(MatchLife):
        store = shared

    case = Bound.TestCase
    case.settings = settings(max_examples=up_to(25), stateful_step_count=25)
    case("runTest").runTest()


@pytest.mark.parametrize("source", list(MatchState))
def test_final_states_are_those_that_only_an_organiser_leaves(source: MatchState) -> None:
    automatic = source.next_states - {MatchState.QUEUED}
    if source.is_final:
        assert automatic == set()
        assert not source.holds_up_season
    assert source not in source.next_states


@pytest.mark.parametrize("source", list(SeasonState))
@pytest.mark.parametrize("target", list(SeasonState))
def test_a_season_takes_only_the_steps_of_its_life(
    shared: Store, source: SeasonState, target: SeasonState
) -> None:
    with shared.write() as session:
        season = add_season(session, f"{source}-to-{target}")
        season.state = source
    if target in source.next_states:
        with shared.write() as session:
            assert seasons.set_state(session, season.id, target).state is target
    else:
        with pytest.raises(Conflict, match=f"which is {source}"), shared.write() as session:
            seasons.set_state(session, season.id, target)


def test_an_attempt_of_an_unknown_token_changes_nothing(store: Store) -> None:
    with store.write() as session:
        assert attempts.finish(session, "unknown", outcome()) is Finish.REFUSED
        assert not attempts.heartbeat(session, "unknown")
        assert session.execute(sa.select(sa.func.count()).select_from(Attempt)).scalar_one() == 0
