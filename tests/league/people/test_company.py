"""Opponents of about a person's strength."""

from random import Random

from league.people import pick_near

BOTS = {f"house/b{elo}": float(elo) for elo in range(1000, 2000, 100)}


def drawn(own: float | None, count: int = 3) -> set[str]:
    """Everybody who is drawn in many draws."""
    return {name for seed in range(200) for name in pick_near(BOTS, own, count, Random(seed))}


def test_the_nearest_are_drawn_and_they_vary() -> None:
    assert drawn(1220) == {f"house/b{elo}" for elo in (1000, 1100, 1200, 1300, 1400)}
    assert len({tuple(pick_near(BOTS, 1220, 3, Random(seed))) for seed in range(50)}) > 3


def test_who_has_no_rating_meets_the_middle() -> None:
    assert drawn(None, 2) == {f"house/b{elo}" for elo in (1300, 1400, 1500, 1600)}


def test_nobody_is_drawn_twice_and_fewer_come_where_there_are_fewer() -> None:
    assert sorted(pick_near(BOTS, 2500, 10, Random(3))) == sorted(BOTS)
    assert sorted(pick_near(BOTS, 2500, 12, Random(3))) == sorted(BOTS)
    assert pick_near({}, 1500, 3, Random(3)) == []
