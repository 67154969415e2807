"""The samples at one table, as `bench.samples` plays them for the table of strength."""

from pathlib import Path

import pytest

from bench import samples, strength
from bench.samples import FIELDS, SEARCHED, SEARCHERS, block, report, seating
from league.ratings.standings import make_standings


@pytest.fixture(autouse=True)
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOVE_MS", 0.1)


@pytest.mark.heavy(but="[0]")
@pytest.mark.parametrize("field_no", range(len(FIELDS)))
def test_every_bot_of_a_field_plays_and_the_same_seed_finds_the_same(field_no: int) -> None:
    field = FIELDS[field_no]
    blocks = [block((field_no, number, 7)) for number in range(12)]
    assert {bot for one in blocks for bot in one.table} == set(field.bots)
    assert all(len(one.games) == field.seats for one in blocks)
    # Whoever searches by the clock may choose otherwise the next time.
    assert block((field_no, 1, 7)) == blocks[1]
    rows = report(make_standings(blocks).rows)
    assert len(rows) == 2 + len(field.bots)


def test_the_searchers_sit_at_every_fourth_table() -> None:
    tables = [seating(FIELDS[0], number, 1) for number in range(3 * SEARCHED)]
    for searcher in SEARCHERS:
        assert [searcher in table for table in tables] == [True, False, False, False] * 3
    assert all(len(set(table)) == FIELDS[0].seats for table in tables)


def test_a_new_table_of_one_game_leaves_the_others_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n{samples.BEGIN}\n{samples.END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(samples, "README", page)
    for number, table in ((2, "| old |"), (0, "| six |"), (2, "| new |")):
        samples.write(samples.FIELDS[number].heading, [table], seed=7)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{samples.BEGIN}\nMeasured with `python -m bench.samples")
    assert text.endswith(f"| new |\n{samples.END}\nafter\n")
    assert text.index(samples.FIELDS[0].heading) < text.index(samples.FIELDS[2].heading)
    assert "| six |" in text
    assert "| old |" not in text


def test_two_processes_can_share_the_boards_of_a_contest(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []

    def board(contest: strength.Contest, number: int, spent: strength.Spent) -> strength.Board:
        played.append(number)
        spent.new.append(0.001)
        spent.old.append(0.001)
        return strength.Board(float(number), 0.5)

    monkeypatch.setattr(strength, "play_board", board)
    contest = strength.Contest("six", True, 5, 5, "all", 1)
    for first in (0, 3):
        assert "| 3 |" in strength.run(contest, boards=3, minutes=1e6, first=first)
    assert played == list(range(6)), "no board twice, none left out"
