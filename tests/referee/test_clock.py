"""Banks, lag and the limit on thinkers, by arithmetic alone."""

import pytest

from referee.clock import BEAT_S, LAG_FROM_S, MARGIN_MS, Bank, LagMeter, Thinkers


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
    assert lag.total(100 * BEAT_S) == 0.0


def test_a_little_lag_is_nobodys_business_and_a_lot_is_credited_whole() -> None:
    lag = LagMeter(0.0)
    assert lag.beat(BEAT_S + LAG_FROM_S) == 0.0
    assert lag.beat(2 * BEAT_S + LAG_FROM_S + 0.1) == pytest.approx(0.1)


def test_lag_counts_before_the_late_beat_has_run() -> None:
    lag = LagMeter(0.0)
    assert lag.total(0.3) == pytest.approx(0.3 - BEAT_S)
    lag.beat(0.3)
    assert lag.total(0.3) == pytest.approx(0.3 - BEAT_S)


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
