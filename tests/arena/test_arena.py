"""The arena in this process: the same games as the referee would see, tables, verdicts, replays."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bullring
import nimmt
from botkit import Bot, SixNimmtView, XNimmtView
from nimmt.verify import read

ROOT = Path(__file__).resolve().parents[2]


class Low(Bot):
    """Lays the lowest card, and counts its games and events."""

    heard = 0

    def on_event(self, event: nimmt.Event) -> None:
        Low.heard += 1


class Wrong(Bot):
    """Lays a card it does not have."""

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        return 105


@pytest.mark.parametrize("rules", list(nimmt.GAMES))
def test_all_rules_are_played_and_every_replay_verifies(rules: str) -> None:
    done = bullring.play([Low, "random", "random"], rules, games=6, seed=4)
    assert len(done.games) == 6
    assert [row.bot for row in done.rows] == ["Low", "random", "random-2"]
    for game in done.games:
        replay = read(game.document)
        assert sum(1 for _ in replay.steps()) > 5
    assert Low.heard


def test_the_same_seed_plays_the_same_games_as_bullring_play(tmp_path: Path) -> None:
    here = bullring.play(["gap", "random", "random", "highest"], games=8, seed=11)
    command = [
        sys.executable, "-m", "cli", "play", "six-nimmt", "gap", "random", "random", "highest",
        "--boards", "8", "--seed", "11", "--json",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    there = {row["bot"]: row for row in json.loads(done.stdout)["bots"]}
    for row in here.rows:
        other = there[row.bot]
        assert row.points_per_round == pytest.approx(other["points_per_round"])
        assert row.mean_place == pytest.approx(other["mean_place"])


def test_games_are_rounded_up_to_whole_blocks_and_show_an_interval() -> None:
    done = bullring.play(["gap", "random", "random", "random"], games=41, seed=1, progress=False)
    assert len(done.games) == 44
    best = next(row for row in done.rows if row.bot == "gap")
    assert best.points_half is not None
    text = str(done)
    assert text.splitlines()[0] == "six-nimmt, 4 bots, 44 games, seed 1"
    assert text.splitlines()[2].startswith("gap")
    html = done._repr_html_()
    assert html.count("<tr>") == 5
    assert "<td>gap</td>" in html


def test_an_illegal_choice_stops_the_match_and_says_where() -> None:
    with pytest.raises(nimmt.IllegalChoice, match="105") as caught:
        bullring.play([Wrong, "random"], games=1, seed=1)
    assert "Wrong in seat" in caught.value.__notes__[0]


def test_a_replay_is_shown_in_a_frame_and_saved_both_ways(tmp_path: Path) -> None:
    replay = bullring.play([Low, "random"], games=2, seed=1).replay(1)
    frame = replay._repr_html_()
    assert frame.startswith("<iframe")
    assert 'sandbox="allow-scripts"' in frame
    assert "<script" not in frame
    page = replay.save(tmp_path / "game.html").read_text(encoding="utf-8")
    assert "<script" in page
    written = json.loads(replay.save(tmp_path / "game.json").read_text(encoding="utf-8"))
    assert written == replay.document


def test_the_better_bot_passes_and_a_copy_does_not() -> None:
    better = bullring.compare("gap", "random", against=["random"], options={"rounds": 1}, seed=3)
    assert better.better
    assert better.result.lower > 0
    assert "gain +" in str(better)
    assert "random (+" in better._repr_html_()
    alike = bullring.compare(
        "random", "random", against=["gap"], options={"rounds": 1}, seed=3, budget=120
    )
    assert not alike.better


@pytest.mark.parametrize(
    ("bots", "words"),
    [
        (["no such bot", "random"], "expected a bot class, a Python file, or one of the samples"),
        ([Low], "2 to 10 players"),
        (["greedy", "random"], "greedy plays only eleven-nimmt, this is six-nimmt"),
    ],
)
def test_what_cannot_be_played_is_refused(bots: list[str | type[Bot]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bullring.play(bots, games=1)


def test_a_file_must_define_one_bot(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text("from botkit import Bot\nclass A(Bot): pass\nclass B(Bot): pass\n")
    with pytest.raises(ValueError, match="defines these bot classes: A, B; expected one"):
        bullring.play([path, "random"], games=1)
    with pytest.raises(TypeError, match="expected a subclass of"):
        bullring.play([3, "random"], games=1)  # type: ignore[list-item]
