"""Tournaments at home without a process: who meets whom, the results file, what results mean."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.bots import LocalBot
from league.gate import GateVerdict
from league.local import (
    Contestant,
    Format,
    PlayedMatch,
    ResultsFile,
    ResultsFileError,
    Tournament,
    crashed,
    differences,
    judge,
    outcome_to_json,
    standings,
)
from referee.faults import FaultKind
from referee.result import BotRecord, FaultRecord, GameRecord
from sandbox.api import CommandProgram
from tests.tiers import up_to

PROGRAM = CommandProgram(argv=("bot",), cwd=Path())


def contestants(count: int, samples: int = 0) -> tuple[Contestant, ...]:
    return tuple(
        Contestant(
            name=f"bot{i}",
            typed=f"bot{i}.py",
            fingerprint=f"command:{i}",
            bot=LocalBot(name=f"bot{i}", program=PROGRAM, sample=i < samples),
        )
        for i in range(count)
    )


def plan(bots: int = 4, table: int = 2, **given: Any) -> Tournament:
    made = Tournament(
        rules="six-nimmt",
        options={"rounds": 1},
        bots=contestants(bots),
        table=table,
        seed=given.pop("seed", 7),
        **given,
    )
    made.check()
    return made


def played(one: Tournament, number: int, points: list[int], **bot: Any) -> PlayedMatch:
    """A match in which each bot of the table always gets these points, with a little variation."""
    table = one.tables()[number - 1]
    k = len(table)
    games = []
    for pass_no, passed in enumerate(one.match(number, table).plan().passes):
        for game in passed:
            got = [
                points[table[bot]] + (game.board + number) % 3 * (bot == 0) for bot in game.seats
            ]
            places = tuple(1 + sum(other < own for other in got) for own in got)
            games.append(
                GameRecord(
                    pass_no=pass_no,
                    game_no=game.game_no,
                    board=game.board,
                    seats=game.seats,
                    points=tuple(got),
                    places=places,
                    out=(False,) * k,
                    rounds=1,
                )
            )
    about = {"asks": 10, "timeouts": 0, "median_ms": 1.0, "worst_ms": 2.0, "think_s": 0.1}
    return PlayedMatch(
        number=number,
        table=table,
        games=tuple(games),
        bots=tuple(BotRecord(**{**about, "faults": (), **bot}) for _ in table),
        decisions=10 * k,
        wall_s=1.0,
    )


@settings(max_examples=up_to(30), deadline=None)
@given(bots=st.integers(2, 9), table=st.integers(2, 6), meetings=st.integers(1, 4))
def test_in_a_round_robin_all_meet_about_equally_often(
    bots: int, table: int, meetings: int
) -> None:
    one = plan(bots, min(bots, table), meetings=meetings)
    met = Counter(frozenset(pair) for seats in one.tables() for pair in combinations(seats, 2))
    counts = [met[frozenset(pair)] for pair in combinations(range(bots), 2)]
    assert max(counts) - min(counts) <= 2
    assert max(counts) >= meetings
    assert one.tables() == plan(bots, min(bots, table), meetings=meetings).tables()


@given(bots=st.integers(2, 9), table=st.integers(2, 6), meetings=st.integers(1, 4))
def test_in_a_gauntlet_the_first_plays_always_and_the_rest_equally_often(
    bots: int, table: int, meetings: int
) -> None:
    one = plan(bots, min(bots, table), meetings=meetings, format=Format.GAUNTLET)
    assert all(seats[0] == 0 and len(set(seats)) == one.table for seats in one.tables())
    met = Counter(bot for seats in one.tables() for bot in seats[1:])
    assert min(met[bot] for bot in range(1, bots)) >= meetings
    assert max(met.values()) - min(met.values()) <= 1


def test_a_sequential_test_seats_both_at_every_table_within_its_budget() -> None:
    one = plan(5, 4, format=Format.SEQUENTIAL, boards=10, budget=30)
    assert one.blocks_per_match == 3
    assert len(one.tables()) == 10
    assert all(seats[:2] == (0, 1) and len(set(seats)) == 4 for seats in one.tables())


def test_every_match_has_boards_of_its_own_and_the_names_of_the_tournament() -> None:
    one = plan(3, 2)
    first, second = (one.match(n, one.tables()[n - 1]) for n in (1, 2))
    assert first.plan().key != second.plan().key
    assert first.plan().match == "tournament-1"
    names = [bot.name for bot in first.plan().bots]
    assert names == [f"local/{one.bots[i].name}" for i in one.tables()[0]]


@pytest.mark.parametrize(
    ("bots", "table", "words"),
    [(1, 2, "two or more bots, got 1"), (3, 4, "--table 3 or less"), (12, 11, "2 to 10 players")],
)
def test_what_cannot_be_played_is_refused(bots: int, table: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plan(bots, table)


def test_the_file_gives_back_what_was_kept(tmp_path: Path) -> None:
    one = plan()
    matches = [played(one, number, [5, 6, 7, 8]) for number in (1, 2)]
    with ResultsFile.create(tmp_path / "r.jsonl", one.about()) as file:
        for match in reversed(matches):
            file.append(match)
    again, about, found = ResultsFile.reopen(tmp_path / "r.jsonl")
    again.close()
    assert found == matches
    assert differences(about, one.about()) == []


@pytest.mark.parametrize("torn", [b'{"number":3,"tab', b"\x00" * 40, b"\x00" * 40 + b"\n", b"{}\n"])
def test_a_last_line_that_was_cut_off_is_dropped(tmp_path: Path, torn: bytes) -> None:
    one = plan()
    path = tmp_path / "r.jsonl"
    with ResultsFile.create(path, one.about()) as file:
        file.append(played(one, 1, [5, 6, 7, 8]))
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    file, _, found = ResultsFile.reopen(path)
    assert [match.number for match in found] == [1]
    file.append(played(one, 2, [5, 6, 7, 8]))
    file.close()
    assert path.read_bytes().startswith(whole)
    file, _, found = ResultsFile.reopen(path)
    file.close()
    assert [match.number for match in found] == [1, 2]


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    one = plan()
    path = tmp_path / "r.jsonl"
    with ResultsFile.create(path, one.about()) as file:
        file.append(played(one, 1, [5, 6, 7, 8]))
    path.write_bytes(path.read_bytes().replace(b'"number":1', b'"nimber":1') + b"{}\n")
    with pytest.raises(ResultsFileError, match="line 2 cannot be read"):
        ResultsFile.reopen(path)


def test_a_file_is_never_overwritten_or_shared(tmp_path: Path) -> None:
    one = plan()
    path = tmp_path / "r.jsonl"
    with ResultsFile.create(path, one.about()):
        with pytest.raises(ResultsFileError, match="in use"):
            ResultsFile.reopen(path)
        with pytest.raises(ResultsFileError, match="exists already"):
            ResultsFile.create(path, one.about())
    (tmp_path / "other").write_text("hello\n")
    with pytest.raises(ResultsFileError, match="does not begin with"):
        ResultsFile.reopen(tmp_path / "other")
    with pytest.raises(ResultsFileError, match="No such file"):
        ResultsFile.reopen(tmp_path / "missing")


def test_what_differs_is_named() -> None:
    before = plan(seed=1).about()
    assert differences(before, plan(seed=2, boards=50).about()) == [
        "boards was 100 and is now 50",
        "seed was 1 and is now 2",
    ]
    assert differences(before, plan(3, seed=1).about()) == [
        "the bots were bot0, bot1, bot2, bot3 and are now bot0, bot1, bot2"
    ]
    changed = json.loads(json.dumps(before))
    changed["bots"][2]["fingerprint"] = "command:other"
    assert differences(before, changed) == ["the files of bot2 have changed"]


def test_the_standings_are_those_of_a_season() -> None:
    one = plan(boards=30)
    matches = [played(one, n, [9, 3, 6, 12]) for n in range(1, len(one.tables()) + 1)]
    table = standings(one, matches)
    assert table is not None
    assert [row.bot for row in table.rows] == ["bot1", "bot2", "bot0", "bot3"]
    assert all(row.unmet == 0 for row in table.rows)
    document = outcome_to_json(one, matches)
    assert document["complete"]
    assert json.loads(json.dumps(document))["standings"][0]["bot"] == "bot1"
    assert document["crosstable"]["score"][0][3] == 1.0
    assert standings(one, []) is None


@pytest.mark.parametrize(
    ("points", "verdict"), [([3, 9], GateVerdict.PASS), ([9, 3], GateVerdict.FAIL)]
)
def test_a_sequential_test_ends_when_the_games_tell(
    points: list[int], verdict: GateVerdict
) -> None:
    one = plan(2, 2, format=Format.SEQUENTIAL, boards=15)
    matches = [played(one, number, points) for number in (1, 2, 3)]
    first = judge(one, matches[:1])
    assert first is not None
    assert first.verdict is GateVerdict.UNDECIDED
    found = judge(one, matches)
    assert found is not None
    assert (found.verdict, found.finished) == (verdict, True)


def test_matches_behind_a_gap_do_not_count_in_a_sequential_test() -> None:
    one = plan(2, 2, format=Format.SEQUENTIAL, boards=15)
    found = judge(one, [played(one, number, [3, 9]) for number in (2, 3, 4)])
    assert found is not None
    assert found.blocks == 0
    assert judge(plan(), []) is None


def test_only_bots_of_the_author_count_as_crashed() -> None:
    one = Tournament(
        rules="six-nimmt", bots=contestants(2, samples=1), table=2, seed=1, boards=2, meetings=1
    )
    fault = FaultRecord(bot=0, pass_no=0, kind=FaultKind.CRASHED, cause="it ended", out=True)
    match = played(one, 1, [5, 6], faults=(fault,))
    assert crashed(one, [match]) == ["bot1"]
    late = FaultRecord(bot=0, pass_no=0, kind=FaultKind.TIMEOUT, cause="late", out=False)
    assert crashed(one, [played(one, 1, [5, 6], faults=(late,))]) == []
