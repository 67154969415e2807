"""The zoo: every misbehaviour as a real process over real gRPC, and what the referee makes of it.

Asserted each time: the fault and its readable cause, the opponent's games complete and verified,
the referee alive to the end, no process and no descriptor left behind.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import nimmt
from league.matches import Zygote, play_match
from league.matches.referee_start import StartReferee, start_fresh
from nimmt.verify import verify
from referee.plan import MatchPlan, PlannedBot, TimeControl, one_pass
from referee.result import MatchResult
from sandbox.api import CommandProgram
from sandbox.limits import bot_limits
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox

# Most of the time is spent waiting for an animal's deadline.
pytestmark = pytest.mark.timeout(300)
ZOO = Path(__file__).parent / "zoo"
ANIMALS = ZOO / "animals.py"
Game = tuple[str, dict[str, object]]
SIX: Game = ("six-nimmt", {"rounds": 1})
ELEVEN: Game = ("eleven-nimmt", {})
BOARDS = 3
PLENTY = 30_000
SHORT = 8_000
"""Start-up time for those who never say Hello; long enough for the honest bot on a busy machine."""

NO_HELLO = "did not say Hello"


@dataclass(frozen=True)
class Case:
    """One animal and its verdict: the faults in order, a text in the first cause, out or not."""

    animal: str
    faults: tuple[str, ...]
    cause: str = ""
    out: bool = True
    start_ms: int = PLENTY
    game: Game = SIX
    heavy: bool = False
    """Takes seconds, and another one tries the same in its way."""


CASES = [
    Case("good_citizen", (), out=False),
    Case("never_connects", ("refused_start",), NO_HELLO, start_ms=SHORT),
    Case("connects_and_says_nothing", ("refused_start",), NO_HELLO, start_ms=SHORT, heavy=True),
    Case("garbage_bytes", ("refused_start",), NO_HELLO, start_ms=SHORT, heavy=True),
    Case("slow_loris", ("refused_start",), NO_HELLO, start_ms=SHORT, heavy=True),
    Case("metadata_as_large_as_a_book", ("protocol|refused_start",), "it", start_ms=SHORT),
    Case("calls_twice", ("protocol",), "second call", out=False),
    Case("dials_again_after_hanging_up", (), out=False),
    Case("buys_lag_with_connections", ("timeout",) * 3, "asks unanswered"),
    Case("calls_another_method", ("protocol",), "second call.*Health", out=False),
    Case("garbage_after_hello", ("protocol",), "it"),
    Case("truncated_message", ("protocol",), "it"),
    Case("unreadable_messages", ("protocol",) * 3, "cannot be read"),
    Case("nothing_in_the_message", ("protocol",) * 3, "nothing in it"),
    Case("oversized_message", ("protocol",), "it"),
    Case("more_than_its_batch_allows", ("protocol", "timeout", "timeout"), "4096 an ask"),
    Case("flood_of_messages", ("protocol",) * 3, "without any answer"),
    Case("flood_of_pings", ("protocol|timeout",)),
    Case("flood_of_settings", ("protocol|timeout",), heavy=True),
    Case("rapid_reset", ("protocol|timeout",), heavy=True),
    Case("zero_receive_window", ("timeout",) * 3, "asks unanswered"),
    Case("never_reads", ("timeout",) * 3, "asks unanswered", heavy=True),
    Case("answers_before_it_is_asked", ("protocol",) * 3, "before Hello"),
    Case("made_up_ids", ("protocol", "protocol", "protocol|timeout"), "never asked"),
    Case("repeats_every_answer", ("protocol",) * 3, "answered already"),
    Case("late_once", ("timeout",), "1 of 1 asks unanswered", out=False),
    Case("forgets_answers", ("timeout",) * 3, "asks unanswered"),
    Case("sleeps_past_its_bank", ("timeout",) * 3, "asks unanswered"),
    Case("illegal_card", ("illegal_choice",) * 3, "got 200, expected one of"),
    Case("negative_card", ("illegal_choice",) * 3, "got -1"),
    Case("huge_card", ("illegal_choice",) * 3, "got 2147483647"),
    Case("no_choice_at_all", ("illegal_choice",) * 3, "no choice"),
    Case("wrong_type_of_choice", ("illegal_choice",) * 3, "holds a steal"),
    Case("illegal_row", ("illegal_choice",), "got 4", out=False),
    Case("illegal_pile", ("illegal_choice",) * 3, "a take of one of", game=ELEVEN),
    Case("illegal_play", ("illegal_choice",) * 3, "illegal turn", game=ELEVEN),
    Case("batch_of_nothing", (), out=False),
    Case("batch_of_everything", (), out=False),
    Case("exits_at_once", ("crashed",), "code 3"),
    Case("exits_with_0", ("crashed",), "code 0"),
    Case("exits_with_1", ("crashed",), "code 1"),
    Case("kills_itself", ("crashed",), "signal 11"),
    Case("raises_in_a_decision", ("crashed",), "RuntimeError: no idea what to play"),
    Case("floods_its_output", ("output_flood",), "more output"),
    Case("hangs_up_and_dials_again", ("protocol",), "(cancelled its call|closed its stream)"),
    Case("closes_its_side", ("protocol",), "closed its stream"),
    Case("ignores_goodbye", (), out=False),
    Case("leaves_a_daemon", (), out=False),
]


def make_plan(case: Case) -> MatchPlan:
    rules, options = case.game
    return MatchPlan(
        match="zoo",
        rules=rules,
        options=options,
        bots=(PlannedBot(name="zoo/animal"), PlannedBot(name="zoo/keeper")),
        passes=one_pass(2, BOARDS),
        key=nimmt.key_from_seed(3).hex(),
        reveal_key=True,
        time=TimeControl(move_ms=300, bank_ms=1000, start_ms=case.start_ms),
        in_flight=2,
        runner="process",
    )


def program(*argv: str) -> CommandProgram:
    return CommandProgram(argv=(sys.executable, *argv), cwd=ZOO)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def processes_of(owner: Owner) -> list[str]:
    """Every process on this machine whose environment names a socket of this owner."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if owner.token.encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_text())
            except OSError:
                continue
    return found


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    owned = Zygote()
    # Its socket is open before a test counts descriptors.
    owned._ready()
    yield owned
    owned.close()


async def play(case: Case, owner: Owner, start: StartReferee) -> MatchResult:
    animals = [program(str(ANIMALS), case.animal), program(str(ANIMALS), "good_citizen")]
    # A smaller budget of output, so that a flood is over before its bot has timed out.
    limits = replace(bot_limits(), log_budget=200_000)
    sandbox = ProcessSandbox()
    return await play_match(
        make_plan(case), sandbox, animals, owner=owner, limits=limits, start=start
    )


# Workers fork their referees. A fresh start plays the same, and is tried with all when time allows.
@pytest.mark.anyio
@pytest.mark.parametrize("forked", [True, pytest.param(False, marks=pytest.mark.heavy)])
@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c.animal, marks=[pytest.mark.heavy] * c.heavy) for c in CASES],
)
async def test_the_animal_gets_its_verdict_and_nobody_else_is_harmed(
    case: Case, forked: bool, zygote: Zygote
) -> None:
    # The folders of pytest are too long for a socket.
    folder = tempfile.TemporaryDirectory(prefix="bz")
    owner = Owner(Path(folder.name))
    before = open_files()
    try:
        result = await play(case, owner, zygote.start if forked else start_fresh)
        assert processes_of(owner) == []
        assert list((owner.state_dir / owner.token).iterdir()) == []
    finally:
        owner.close()
        folder.cleanup()
    assert open_files() <= before
    assert result.complete
    assert len(result.games) == BOARDS
    for game in result.games:
        verify(game.document)
    judge(case, result)


def judge(case: Case, result: MatchResult) -> None:
    animal, keeper = result.bots
    assert keeper.faults == ()
    kinds = [fault.kind.value for fault in animal.faults]
    if case.out and len(case.faults) == 1:
        kinds = kinds[-1:]
    assert len(kinds) >= len(case.faults)
    for kind, expected in zip(kinds, case.faults, strict=False):
        assert re.fullmatch(expected, kind), animal.faults
    assert any(fault.out for fault in animal.faults) == case.out
    if case.faults:
        causes = [fault.cause for fault in animal.faults]
        assert any(re.search(case.cause, cause) for cause in causes), causes
    else:
        assert animal.faults == ()
    last = result.games[-1]
    assert last.out[last.seats.index(0)] == case.out
    assert not last.out[last.seats.index(1)]
    if case.out:
        assert last.places[last.seats.index(1)] == 1


def test_every_animal_has_a_verdict() -> None:
    names = set(re.findall(r"^def (\w+)\(\) -> None:$", ANIMALS.read_text(), re.MULTILINE))
    names |= set(re.findall(r'^ANIMALS\["(\w+)"\]', ANIMALS.read_text(), re.MULTILINE))
    assert names == {case.animal for case in CASES}
