"""Bots made with botkit, as real processes: what they are told, what they say, how they end."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

import nimmt
from botkit import Bot
from botkit.bot import MessageClock, Played
from botkit.client import ExitCode, _Client
from league.matches import play_match
from nimmt.verify import verify
from referee.plan import MatchPlan, PlannedBot, TimeControl, one_pass
from referee.result import MatchResult
from sandbox.api import CommandProgram
from sandbox.process import ProcessSandbox

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_bots"


async def match(
    folder: Path, code: str, rules: str = "six-nimmt", boards: int = 3, **more: Any
) -> MatchResult:
    """The bot in `code` against the sample `lowest`."""
    (folder / "bot.py").write_text(code)
    options = {"rounds": 1} if rules == "six-nimmt" else {}
    plan = MatchPlan(
        match="botkit",
        rules=rules,
        options=options,
        bots=(PlannedBot(name="own"), PlannedBot(name="lowest")),
        passes=one_pass(2, boards),
        key=nimmt.key_from_seed(5).hex(),
        time=TimeControl(move_ms=5000, bank_ms=60_000, start_ms=60_000),
        **more,
    )
    programs = [
        CommandProgram(argv=(sys.executable, "bot.py"), cwd=place)
        for place in (folder, SAMPLES / "lowest")
    ]
    result = await play_match(plan, ProcessSandbox(), programs)
    assert result.complete
    for game in result.games:
        verify(game.document)
    return result


def decisions(result: MatchResult, bot: int, kind: str) -> list[dict[str, Any]]:
    return [
        d
        for game in result.games
        for part in game.document["rounds"]
        for d in part["decisions"]
        if game.seats[d["seat"]] == bot and d["kind"] == kind and d["by"] != "forced"
    ]


def chosen(replay: Mapping[str, Any]) -> list[object]:
    return [d["choice"] for part in replay["rounds"] for d in part["decisions"]]


@pytest.mark.anyio
async def test_the_five_line_bot_of_the_guide_plays(tmp_path: Path) -> None:
    guide = (ROOT / "docs/write-a-bot.md").read_text(encoding="utf-8")
    code = guide.split("```python\n")[1].split("```")[0]
    result = await match(tmp_path, code)
    assert result.bots[0].faults == ()
    chosen = decisions(result, 0, "card")
    assert chosen
    assert all(d["by"] == "bot" for d in chosen)


@pytest.mark.anyio
async def test_the_batch_bot_of_the_guide_plays(tmp_path: Path) -> None:
    guide = (ROOT / "docs/write-a-bot.md").read_text(encoding="utf-8")
    code = "from botkit import Bot, run\n" + guide.split("```python\n")[2].split("```")[0]
    result = await match(tmp_path, code, boards=6)
    assert result.bots[0].faults == ()
    assert max(d["batch"] for d in decisions(result, 0, "card")) == 6


@pytest.mark.anyio
async def test_a_bot_is_told_everything_it_can_use(tmp_path: Path) -> None:
    code = """
import json
from botkit import Bot, run

class Curious(Bot):
    seen = 0
    def on_game_start(self):
        self.told = {"seat": self.seat, "players": self.players, "rules": self.rules.name,
                     "draw": self.rng.random(), "events": 0}
    def on_event(self, event):
        self.told["events"] += 1
    def choose_card(self, view):
        assert view.seat == self.seat and set(self.legal) == set(view.hand)
        assert 0 < self.time_left_ms <= 1e6 and self.asks_left >= 1
        Curious.seen += 1
        self.note(f"turn {view.turn}")
        return view.hand[-1]
    def on_game_over(self, points, places):
        self.told |= {"points": points, "places": places}
        print("TOLD", json.dumps(self.told), flush=True)
run(Curious, max_batch=2)
"""
    result = await match(tmp_path, code, in_flight=3)
    assert result.bots[0].faults == ()
    told = [
        json.loads(line[5:]) for line in result.bots[0].log.splitlines() if line.startswith("TOLD")
    ]
    assert len(told) == 3
    assert len({part["draw"] for part in told}) == 3
    for part in told:
        assert part["events"] > 20
        assert sorted(part["places"])[0] == 1
    assert {part["seat"] for part in told} == {0, 1}
    notes = [note.text for game in result.games for notes in game.notes.values() for note in notes]
    assert "turn 0" in notes
    assert max(d["batch"] for d in decisions(result, 0, "card")) <= 2


@pytest.mark.anyio
async def test_the_authors_error_is_told_with_its_place(tmp_path: Path) -> None:
    code = """
from botkit import Bot, run

class Broken(Bot):
    def choose_card(self, view):
        return {}["nothing"]
run(Broken)
"""
    result = await match(tmp_path, code)
    [fault] = result.bots[0].faults
    assert fault.kind == "crashed"
    assert "KeyError: 'nothing' (bot.py:6)" in fault.cause
    log = result.bots[0].log
    assert log.startswith("Traceback")
    assert "botkit/client.py" not in log


@pytest.mark.anyio
async def test_no_choice_is_an_illegal_choice_and_said_on_stderr(tmp_path: Path) -> None:
    code = """
from botkit import Bot, run

class Silent(Bot):
    def choose_card(self, view):
        return None if view.turn == 0 else view.hand[0]
run(Silent)
"""
    result = await match(tmp_path, code, boards=1)
    assert [fault.kind for fault in result.bots[0].faults] == ["illegal_choice"]
    assert "choose_card returned None, which is no choice" in result.bots[0].log


@pytest.mark.anyio
async def test_a_bot_for_other_rules_is_not_let_in(tmp_path: Path) -> None:
    code = "from botkit import Bot, run\nrun(Bot, rules=['x-nimmt'])\n"
    result = await match(tmp_path, code)
    [fault] = result.bots[0].faults
    assert fault.kind == "refused_start"
    assert "it plays only x-nimmt" in fault.cause


@pytest.mark.anyio
async def test_the_same_seed_makes_a_random_bot_play_the_same_games(tmp_path: Path) -> None:
    code = (SAMPLES / "random/bot.py").read_text(encoding="utf-8")
    first = await match(tmp_path, code, in_flight=1)
    second = await match(tmp_path, code, in_flight=3)
    both = [
        [
            [d["choice"] for part in game.document["rounds"] for d in part["decisions"]]
            for game in r.games
        ]
        for r in (first, second)
    ]
    assert both[0] == both[1]


@pytest.mark.anyio
@pytest.mark.parametrize("sample", ["random", "gap"])
@pytest.mark.parametrize("rules", sorted(nimmt.GAMES))
async def test_the_samples_play_every_rules(sample: str, rules: str, tmp_path: Path) -> None:
    code = (SAMPLES / sample / "bot.py").read_text(encoding="utf-8")
    result = await match(tmp_path, code, rules, boards=2)
    assert all(bot.faults == () for bot in result.bots)


def start(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    known = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(
        [sys.executable, "-c", code], env=known, capture_output=True, text=True, timeout=60
    )


def test_without_a_referee_the_bot_says_how_to_play_at_home() -> None:
    done = start("from botkit import Bot, run; run(Bot)")
    assert done.returncode == ExitCode.NOT_CONNECTED
    assert "BULLRING_REFEREE is not set" in done.stderr
    assert "./bullring play six-nimmt" in done.stderr


def test_an_address_where_nobody_listens_is_named(tmp_path: Path) -> None:
    address = f"unix://{tmp_path}/nobody.sock"
    done = start("from botkit import Bot, run; run(Bot)", BULLRING_REFEREE=address)
    assert done.returncode == ExitCode.NOT_CONNECTED
    assert address in done.stderr


@pytest.mark.parametrize(
    ("messages", "code", "text"),
    [
        (["pb.ToBot(welcome=pb.Welcome(protocol=9, rules='six-nimmt'))"], 3, "newer"),
        ([], 4, "without Goodbye"),
        (["pb.ToBot(goodbye=pb.Goodbye(reason=pb.Goodbye.OUT, text='timeout'))"], 0, "timeout"),
    ],
)
def test_what_the_referee_says_decides_how_the_bot_ends(
    messages: Sequence[str], code: int, text: str, tmp_path: Path
) -> None:
    server = f"""
import grpc, sys
from concurrent import futures
from wire.v1 import bot_pb2 as pb, bot_pb2_grpc
class Referee(bot_pb2_grpc.RefereeServicer):
    def Play(self, requests, context):
        next(requests)
        yield from [{", ".join(messages)}]
server = grpc.server(futures.ThreadPoolExecutor(1))
bot_pb2_grpc.add_RefereeServicer_to_server(Referee(), server)
server.add_insecure_port("unix:{tmp_path}/r.sock")
server.start()
print("ready", flush=True)
sys.stdin.read()
server.stop(0)
"""
    known = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", server], env=known, stdin=-1, stdout=-1, text=True
    ) as referee:
        assert referee.stdout is not None
        assert referee.stdout.readline() == "ready\n"
        address = f"unix://{tmp_path}/r.sock"
        done = start("from botkit import Bot, run; run(Bot)", BULLRING_REFEREE=address)
        assert referee.stdin is not None
        referee.stdin.close()
    assert done.returncode == code, done.stderr
    assert text in done.stderr


@pytest.mark.parametrize("given", ["Mine()", "object", "print"])
def test_run_says_that_it_wants_the_class(given: str) -> None:
    code = f"from botkit import Bot, run\nclass Mine(Bot): pass\nrun({given})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "write run(MyBot), not run(MyBot())" in done.stderr


@pytest.mark.parametrize(("late_s", "says"), [(3600, "too late: "), (0, "connection to the ref")])
def test_a_bot_that_was_too_late_is_told_so_and_not_what_grpc_says(
    capsys: pytest.CaptureFixture[str], late_s: float, says: str
) -> None:
    client = _Client(Bot, "unix:nowhere")
    client._played = Played("six-nimmt", {})
    client._clock = MessageClock(60_000, 60_000, 1)
    client._clock.came -= late_s
    nothing = grpc.aio.Metadata()
    broken = grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, nothing, nothing, "Internal", "")
    with pytest.raises(SystemExit) as ended:
        client._broken(broken)
    assert ended.value.code == ExitCode.LOST
    assert says in capsys.readouterr().err
