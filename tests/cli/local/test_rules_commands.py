"""`bullring simulate` and `bullring replay` as a user types them."""

import gzip
import json
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.author.review import FEWEST, MOST
from cli.main import build_app
from cli.operate.doctor import search_engine
from nimmt.core import Engine
from review.game import FEWEST_ROLLOUTS, MOST_ROLLOUTS
from store.archive import pack
from tests.nimmt.recorded import record
from tests.nimmt.support import TABLES

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

VARIANTS = [
    ("six-nimmt", "limit=30", 10),
    ("six-nimmt", "rounds=1", 2),
    ("six-nimmt", "advanced=true", 6),
    ("eleven-nimmt", "next_start=most", 7),
    ("eleven-nimmt", "next_start=fewest", 2),
    ("x-nimmt", None, 4),
]


def bullring(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def simulate(folder: Path, rules: str, option: str | None, players: int, *more: object) -> None:
    options = ["--option", option] if option else []
    code, output = bullring(
        "simulate", rules, "-n", players, "--games", 2, *options, "--replays", folder, *more
    )
    assert code == 0, output


@pytest.mark.parametrize(("rules", "option", "players"), VARIANTS)
def test_simulated_replays_of_every_variant_verify(
    tmp_path: Path, rules: str, option: str | None, players: int
) -> None:
    simulate(tmp_path, rules, option, players)
    assert bullring("replay", "verify", tmp_path) == (0, "2 verified, 0 wrong\n")


def test_same_seed_gives_the_same_files_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        simulate(tmp_path / name, "eleven-nimmt", None, 3, "--seed", seed)
    a, b, c = ([p.read_text() for p in sorted((tmp_path / n).iterdir())] for n in "abc")
    assert a == b
    assert a != c


def test_json_table_adds_up() -> None:
    code, output = bullring("simulate", "x-nimmt", "-n", 3, "--games", 5, "--json")
    table = json.loads(output)
    assert code == 0
    assert table["rounds"] == 10
    assert sum(row["win_share"] for row in table["bots"]) == pytest.approx(1)
    assert all(sum(row["places"]) == 5 for row in table["bots"])


@pytest.mark.parametrize(("rules", "option", "players"), VARIANTS)
def test_core_reference_and_replays_give_the_same_table(
    tmp_path: Path, rules: str, option: str | None, players: int
) -> None:
    options = ["--option", option] if option else []
    common = ["simulate", rules, "-n", players, "--games", 7, "--bots", "random,house", *options]
    tables = [
        bullring(*common, "--json", *more) for more in ([], ["--pure"], ["--replays", tmp_path])
    ]
    assert tables[0][0] == 0, tables[0][1]
    assert tables[0] == tables[1] == tables[2]


def test_the_version_says_which_engine_searches() -> None:
    code, output = bullring("--version")
    assert code == 0
    assert re.fullmatch(r"bullring [\d.]+\nsearch: (compiled core|pure Python).*\n", output)


def test_the_doctor_says_which_engine_searches_and_how_to_get_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = Engine(True, "compiled core (/somewhere.so)")
    monkeypatch.setattr("nimmt.core.library.engine", lambda: compiled)
    assert "NIMMT_PURE=1" in search_engine().means
    pure = Engine(False, "pure Python", "install a C compiler")
    monkeypatch.setattr("nimmt.core.library.engine", lambda: pure)
    finding = search_engine()
    assert (finding.level.value, finding.do) == ("note", "install a C compiler")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["six-nimmt", "-n", 11], "2 to 10 players, got 11"),
        (["six-nimmt", "-o", "limit"], "expected NAME=VALUE"),
        (["six-nimmt", "-o", "limit=0"], "limit must be 1 to"),
        (["six-nimmt", "-o", "rounds=1", "-o", "limit=5"], "not both"),
        (["x-nimmt", "-o", "rounds=3"], "no option 'rounds'"),
        (["seven-nimmt"], "known are six-nimmt, eleven-nimmt, x-nimmt"),
        (["six-nimmt", "--bots", "genius"], "no simple bot 'genius'"),
        (["six-nimmt", "-n", 2, "--bots", "random,random,random"], "3 bots for 2 players"),
    ],
)
def test_wrong_usage_is_refused_with_what_was_expected(arguments: list[object], words: str) -> None:
    code, output = bullring("simulate", *arguments)
    assert code == 2
    assert words in output


def test_verify_names_file_round_decision_and_difference(tmp_path: Path) -> None:
    simulate(tmp_path, "six-nimmt", "rounds=2", 3)
    [good, bad] = sorted(tmp_path.iterdir())
    document = json.loads(bad.read_text())
    document["rounds"][1]["decisions"][4]["choice"] = 104
    bad.write_text(json.dumps(document))
    code, output = bullring("replay", "verify", good, bad)
    assert code == 1
    assert f"{bad}: round 1, decision 4: illegal" in output
    assert output.endswith("1 verified, 1 wrong\n")


def test_packed_files_indented_files_and_match_archives_are_read(tmp_path: Path) -> None:
    simulate(tmp_path / "in", "x-nimmt", None, 2)
    texts = [file.read_text() for file in sorted((tmp_path / "in").iterdir())]
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.json.gz").write_bytes(gzip.compress(texts[0].encode()))
    (out / "b.json.zst").write_bytes(zstd.compress(texts[0].encode()))
    (out / "c.json").write_text(json.dumps(json.loads(texts[0]), indent=2))
    (out / "d.jsonl.zst").write_bytes(zstd.compress("".join(texts).encode()))
    assert bullring("replay", "verify", out) == (0, "5 verified, 0 wrong\n")


def test_the_archive_of_a_match_is_verified_game_by_game(tmp_path: Path) -> None:
    documents = [record(TABLES[0][0], 3, board) for board in range(3)]
    lines = [json.dumps(one, separators=(",", ":")).encode() for one in documents]
    archive = tmp_path / "match.bullring-archive"
    archive.write_bytes(pack(lines, 1 << 20))
    assert bullring("replay", "verify", tmp_path) == (0, "3 verified, 0 wrong\n")
    archive.write_bytes(b"bullring-archive/3\nsomething later")
    code, output = bullring("replay", "verify", tmp_path)
    assert code == 1
    assert "this reads bullring-archive/2" in output


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\x1f\x8b\x08garbage",
        b"\x28\xb5\x2f\xfdgarbage",
        b"[" * 100_000,
        b"bullring-archive/2\ngarbage",
    ],
)
def test_a_file_that_is_no_replay_is_named_not_a_crash(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    code, output = bullring("replay", "verify", tmp_path)
    assert code == 1
    assert "x.json" in output
    assert "0 verified, 1 wrong" in output


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    code, output = bullring("replay", "verify", tmp_path)
    assert code == 2
    assert "no file ending in" in output


@pytest.mark.parametrize(("rules", "option", "players"), VARIANTS)
def test_show_tells_a_game_of_every_variant(
    tmp_path: Path, rules: str, option: str | None, players: int
) -> None:
    simulate(tmp_path, rules, option, players)
    code, output = bullring("replay", "show", sorted(tmp_path.iterdir())[0])
    assert code == 0
    assert "Round 1\n" in output
    assert "Turn 1" in output
    assert "Round 0" not in output
    assert "seat 0" not in output
    assert output.splitlines()[-players - 1] == "Result"


def test_show_can_tell_one_turn_of_one_round(tmp_path: Path) -> None:
    simulate(tmp_path, "six-nimmt", "rounds=2", 2)
    file = sorted(tmp_path.iterdir())[0]
    code, output = bullring("replay", "show", file, "--round", 2, "--turn", 4)
    assert code == 0
    assert output.count(" Turn ") == 1
    assert " Turn 4" in output
    code, output = bullring("replay", "show", file, "--round", 3)
    assert code == 2
    assert "got round 3, expected one from 1 to 2" in output


def test_show_prints_no_control_characters_of_the_file(tmp_path: Path) -> None:
    simulate(tmp_path, "x-nimmt", None, 2)
    file = sorted(tmp_path.iterdir())[0]
    document = json.loads(file.read_text())
    document["players"][0]["bot"] = "evil\x1b[2J\u202ename"
    file.write_text(json.dumps(document))
    _, output = bullring("replay", "show", file)
    assert "\x1b" not in output
    assert "\u202e" not in output


def test_review_prints_the_ledger_and_the_costliest_decisions(tmp_path: Path) -> None:
    simulate(tmp_path, "six-nimmt", "rounds=1", 2, "--bots", "random,house")
    code, output = bullring("review", tmp_path, "--budget", 400, "--seat", 1)
    assert code == 0, output
    assert output.count("luck and the others") == 2
    assert output.count("seat 1: simple/") == 2
    assert "seat 2: simple/" not in output
    assert re.search(
        r"Costliest decisions of seat 1:\n  \d+\.\d ± \d+\.\d  round [1-9], turn [1-9]", output
    )
    games, _ = output.split("The costliest decisions of all 2 games:\n")
    assert len(re.findall(r"^  \d+\.\d ± ", games, re.MULTILINE)) <= 6


def test_review_ranks_what_a_bot_lost_over_all_games_and_says_where(tmp_path: Path) -> None:
    simulate(tmp_path, "six-nimmt", "rounds=1", 2, "--bots", "random,house")
    code, output = bullring("review", tmp_path, "--budget", 400)
    assert code == 0, output
    games, whole = output.split("The costliest decisions of all 2 games:\n")
    _, first, bots = re.split(r"^(simple/\w+):\n", whole, maxsplit=1, flags=re.MULTILINE)
    assert {first, *re.findall(r"^(\S+):", bots, re.MULTILINE)} == {"simple/random", "simple/house"}
    own, _, _ = bots.partition("simple/")
    ranked = re.findall(r"^  (\d+\.\d) ± \d\.\d  (\S+), seat \d, (round.*)", own, re.MULTILINE)
    assert 1 <= len(ranked) <= 3
    told = re.findall(r"^(\S+\.json)$|^  (\d+\.\d) ± \d\.\d  (round.*)", games, re.MULTILINE)
    for loss, file, words in ranked:
        after = told.index((file, "", ""))
        assert ("", loss, words) in told[after:], "the game tells the same decision"
    clear = [float(loss) for loss, _, words in ranked if "no mistake" not in words]
    assert clear == sorted(clear, reverse=True)
    code, output = bullring("review", sorted(tmp_path.iterdir())[0], "--budget", 400)
    assert "of all" not in output, "one game has told its own"


def test_review_writes_one_json_document_a_game(tmp_path: Path) -> None:
    simulate(tmp_path, "x-nimmt", None, 2)
    result = CliRunner().invoke(build_app(), ["review", str(tmp_path), "-b", "64", "--json"])
    assert result.exit_code == 0, result.output
    made = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["format"] for one in made] == ["bullring-review/1"] * 2
    assert made[0]["settings"] == {
        "seed": 0, "policy": "x-slot-risk/1", "epsilon": 0.05, "rollouts": 64,
    }  # fmt: skip
    assert made[0]["replay"] != made[1]["replay"]


def test_review_says_what_it_cannot_review_and_goes_on(tmp_path: Path) -> None:
    simulate(tmp_path, "six-nimmt", "rounds=1", 2)
    first, second = sorted(tmp_path.iterdir())
    document = json.loads(first.read_text())
    document["result"]["points"][0] += 1
    first.write_text(json.dumps(document))
    code, output = bullring("review", first, second, "-b", 64)
    assert code == 1
    assert f"{first}: points are" in output
    assert f"{second}\nReviewed by slot-risk/1" in output
    code, output = bullring("review", second, "--budget", 3)
    assert code == 2
    assert "64 to 10000000" in output
    assert (FEWEST, MOST) == (FEWEST_ROLLOUTS, MOST_ROLLOUTS)
    code, output = bullring("review", second, "--seat", 3)
    assert code == 1
    assert "got seat 3, expected 1 to 2" in output
