"""Banks, lag and the limit on thinkers, by arithmetic alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.clock import (
    BEAT_S,
    CREDIT_MESSAGE_S,
    CREDIT_PASS_S,
    LAG_FROM_S,
    MARGIN_MS,
    Bank,
    Credit,
    LagMeter,
    Thinkers,
)

ME, OTHER = (0, 0), (0, 1)


def test_the_free_time_of_a_message_costs_nothing() -> None:
    bank = Bank(1000.0)
    bank.spend(elapsed_ms=640.0, free_ms=640.0)
    assert bank.left_ms == 1000.0


def test_what_goes_beyond_the_free_time_comes_out_of_the_bank() -> None:
    bank = Bank(1000.0)
    bank.spend(elapsed_ms=350.0, free_ms=100.0)
    assert bank.left_ms == 750.0


def test_a_bank_may_go_a_margin_below_zero_and_no_further() -> None:
    bank = Bank(0.0)
    assert bank.limit_ms(free_ms=100.0) == 100.0 + MARGIN_MS
    bank.spend(elapsed_ms=130.0, free_ms=100.0)
    assert bank.left_ms == -30.0
    assert bank.limit_ms(free_ms=100.0) == 100.0 + MARGIN_MS - 30.0


def test_a_timeout_leaves_an_empty_bank_and_no_debt() -> None:
    bank = Bank(-40.0)
    bank.empty()
    assert bank.left_ms == 0.0


def test_a_loop_in_time_gives_no_credit() -> None:
    lag = LagMeter(0.0)
    for beat in range(1, 100):
        assert lag.beat(beat * BEAT_S) == 0.0
    assert lag.total(100 * BEAT_S, ME) == 0.0


def test_a_little_lag_is_nobodys_business_and_a_lot_is_credited_whole() -> None:
    lag = LagMeter(0.0)
    assert lag.beat(BEAT_S + LAG_FROM_S) == 0.0
    assert lag.beat(2 * BEAT_S + LAG_FROM_S + 0.1) == pytest.approx(0.1)


def test_lag_counts_before_the_late_beat_has_run() -> None:
    lag = LagMeter(0.0)
    assert lag.total(0.3, ME) == pytest.approx(0.3 - BEAT_S)
    lag.beat(0.3)
    assert lag.total(0.3, ME) == pytest.approx(0.3 - BEAT_S)


def test_lag_that_a_bots_own_bytes_have_caused_is_credited_to_the_others_only() -> None:
    lag = LagMeter(0.0)
    lag.handled(ME, size=100, seconds=0.25)
    assert lag.total(0.31, ME) == pytest.approx(0.05, abs=1e-4)
    assert lag.total(0.31, OTHER) == pytest.approx(0.3)
    lag.beat(0.31)
    assert lag.total(0.31, ME) == pytest.approx(0.05, abs=1e-4)
    assert lag.total(0.31, OTHER) == pytest.approx(0.3)


def test_bytes_are_counted_and_have_a_price_of_their_own() -> None:
    lag = LagMeter(0.0)
    lag.handled(ME, size=1 << 20, seconds=0.0)
    lag.handled(ME, size=24, seconds=0.0)
    lag.beat(0.06)
    assert lag.received[ME] == (1 << 20) + 24
    assert lag.total(0.06, ME) < lag.total(0.06, OTHER) == pytest.approx(0.05)


def test_bytes_before_the_last_beat_explain_no_later_lag() -> None:
    lag = LagMeter(0.0)
    lag.handled(ME, size=100, seconds=0.005)
    lag.beat(0.01)
    lag.beat(0.32)
    assert lag.total(0.32, ME) == pytest.approx(0.3)


@given(
    st.lists(st.tuples(st.floats(0.0, 2.0), st.floats(0.0, 3.0), st.floats(0.0, 3.0)), max_size=20)
)
def test_whatever_two_bots_send_neither_gets_more_than_the_lag_nor_less_than_nothing(
    beats: list[tuple[float, float, float]],
) -> None:
    lag = LagMeter(0.0)
    now = late = 0.0
    for pause, mine, others in beats:
        lag.handled(ME, 10, mine)
        lag.handled(OTHER, 10, others)
        now += pause
        before = lag.total(now, ME), lag.total(now, OTHER)
        late += lag.beat(now)
        # A beat only writes down what was due already.
        assert (lag.total(now, ME), lag.total(now, OTHER)) == pytest.approx(before)
    for who in (ME, OTHER):
        assert -1e-9 <= lag.total(now, who) <= late + 1e-9


def test_credit_is_capped_for_a_message_and_for_a_pass() -> None:
    credit = Credit()
    assert credit.of(0.1) == 0.1
    given_out = 0.0
    for _ in range(100):
        given_out += credit.of(60.0)
        assert credit.of(60.0) <= CREDIT_MESSAGE_S
        credit.use(credit.of(60.0))
    assert given_out == pytest.approx(CREDIT_PASS_S)


def test_thinkers_are_counted_once_and_can_end_twice() -> None:
    thinkers = Thinkers(2)
    thinkers.begin((0, 1))
    thinkers.begin((0, 1))
    assert thinkers.has_room()
    thinkers.begin((0, 2))
    assert not thinkers.has_room()
    thinkers.end((0, 1))
    thinkers.end((0, 1))
    assert thinkers.has_room()
    assert len(thinkers) == 1


def test_without_a_limit_there_is_always_room() -> None:
    thinkers = Thinkers(None)
    for bot in range(1000):
        assert thinkers.has_room()
        thinkers.begin(bot)
