"""What a tournament shows while it runs: a live table on a terminal, plain lines in a log."""

import io

import pytest
from rich.console import Console

from cli.local.pace import Pace
from cli.local.tournament_view import CAUSES_SHOWN, TournamentView
from league.local import Faulted, Format, MatchEnded, Moved, PlayedMatch
from tests.league.local.test_tournament import plan, played


def test_a_log_gets_counts_faults_and_the_leaders(capsys: pytest.CaptureFixture[str]) -> None:
    one = plan(boards=30)
    done: list[PlayedMatch] = []
    with TournamentView(one, done) as view:
        view.tick()
        view.show(Moved(number=1, games=10, decisions=200))
        for _ in range(CAUSES_SHOWN + 2):
            view.show(Faulted(number=1, bot=2, kind="timeout", out=False, cause="late\x1b[2J"))
        done.append(played(one, 1, [9, 3, 6, 12]))
        view.show(MatchEnded(match=done[0]))
    said = capsys.readouterr().err
    first, *faults = said.splitlines()
    assert first.startswith("… 0 of 24 matches, 0 of 1440 games, starting the bots, time left")
    assert faults[0] == "bot2: timeout in match 1: late\\u001b[2J"
    assert len(faults) == CAUSES_SHOWN
    assert faults[-1].endswith("further ones are only counted")


def test_a_terminal_gets_a_table_with_intervals_and_the_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.StringIO()
    screen = Console(file=written, force_terminal=True, width=100, color_system=None)
    monkeypatch.setattr("cli.local.tournament_view.console", lambda stderr: screen)
    one = plan(2, 2, format=Format.SEQUENTIAL, boards=30)
    done = [played(one, 1, [3, 9])]
    with TournamentView(one, done) as view:
        view.show(Moved(number=2, games=7, decisions=140))
        view.tick()
    shown = written.getvalue()
    assert "bot0 is better than bot1." in shown
    assert "Evidence" in shown
    assert "1 of 84 matches, 67 of 5040 games" in shown
    assert "Ctrl-C stops it" in shown
    assert "±" in shown


def test_the_time_left_follows_from_the_games_of_this_run() -> None:
    now = 0.0
    pace = Pace(100, clock=lambda: now)
    assert pace.words.endswith("time left: known after the first game")
    now, pace.games, pace.decisions = 10.0, 20, 500
    assert pace.words == "20 of 100 games, 50 decisions/s, 40 s left"
