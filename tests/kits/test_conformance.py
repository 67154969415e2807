"""One referee, one script, every kit: in whatever language, a bot behaves the same."""

import itertools
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

import nimmt
from nimmt.choices import TurnOptions
from nimmt.events import to_json
from tests.kits.scripted import Position, Started, ask_of, positions, process, refereed
from tests.kits.toolchains import COMPILED, LANGUAGES, Kit
from wire import codec
from wire.v1 import bot_pb2 as pb

pytestmark = pytest.mark.anyio

GAMES: dict[str, tuple[str, dict[str, Any], int]] = {
    "six": ("six-nimmt", {"rounds": 1}, 4),
    "advanced": ("six-nimmt", {"rounds": 1, "advanced": True}, 3),
    "eleven": ("eleven-nimmt", {}, 4),
    "x": ("x-nimmt", {}, 3),
}
KINDS = {
    "six": {"card", "row"},
    "advanced": {"draft", "card", "row"},
    "eleven": {"turn", "steal"},
    "x": {"card", "row", "x_card"},
}
FINE, AUTHOR, NOT_CONNECTED, TOO_NEW, LOST = range(5)
MAX_BATCH = 64
# Steals are rare; some of these games have one.
SEEDS = (1, 4, 10, 11, 14)
# Field 1000 with the bytes "new": what a later version of the contract might send.
UNKNOWN = b"\xc2\x3e\x03new"


def asked(game: str) -> list[Position]:
    """Up to sixteen positions of each kind that this game has."""
    rules, options, players = GAMES[game]
    found: dict[str, list[Position]] = {}
    for position in positions(rules, options, players, SEEDS):
        found.setdefault(position.kind, []).append(position)
    assert set(found) == KINDS[game]
    chosen = [random.Random(1).sample(some, min(16, len(some))) for some in found.values()]
    return list(itertools.chain.from_iterable(chosen))


@asynccontextmanager
async def probe(kit: Kit, style: str, **env: str) -> AsyncIterator[Started]:
    async with refereed((*kit.command, style), {**kit.env, **env}) as bot:
        yield bot


def numbered(chosen: Sequence[Position]) -> list[pb.Ask]:
    """Asks with ids from the whole range of the field."""
    draw = random.Random(7)
    ids = [2**64 - 1, 2**63, 1, *(draw.getrandbits(64) for _ in chosen)]
    return [ask_of(each, ids[number], number) for number, each in enumerate(chosen)]


def choices_of(asks: Sequence[pb.Ask], answers: dict[int, pb.Answer]) -> list[Any]:
    assert set(answers) == {ask.ask_id for ask in asks}
    return [
        codec.choice_from_wire(codec.KIND_FROM_WIRE[ask.kind], answers[ask.ask_id]) for ask in asks
    ]


async def goodbye(bot: Started, code: int = FINE) -> tuple[str, str]:
    await bot.call.say(goodbye=pb.Goodbye(reason=pb.Goodbye.PASS_OVER))
    ended = await bot.ended()
    assert ended.code == code, ended.err
    return ended.out, ended.err


async def test_it_introduces_itself_and_leaves_when_told_to(kit: Kit) -> None:
    async with probe(kit, "plain") as bot:
        hello = await bot.call.hello()
        assert hello.sdk
        assert list(hello.rules) == []
        assert hello.max_batch == MAX_BATCH
        assert hello.events is False
        assert hello.protocol == 1
        _, err = await goodbye(bot)
        assert err == ""


async def test_it_says_what_its_author_wants_said(kit: Kit) -> None:
    async with probe(kit, "mirror") as bot:
        hello = await bot.call.hello()
        assert list(hello.rules) == ["six-nimmt", "eleven-nimmt", "x-nimmt"]
        assert hello.max_batch == 7
        assert hello.events is True
        await goodbye(bot)


@pytest.mark.parametrize("game", GAMES)
async def test_every_decision_has_a_default_which_is_the_houses(kit: Kit, game: str) -> None:
    chosen = asked(game)
    asks = numbered(chosen)
    expected = [nimmt.house_choice(*position) for position in chosen]
    async with probe(kit, "plain") as bot:
        await bot.call.welcome(*GAMES[game][:2], games=len(asks))
        # Whole batches first, then the same one at a time.
        for batch in (asks[:MAX_BATCH], asks[MAX_BATCH:], *([ask] for ask in asks[:5])):
            if batch:
                await bot.call.say(asks=pb.Asks(asks=batch, bank_ms=1000))
                answers, _ = await bot.call.answers(len(batch))
                first = asks.index(batch[0])
                assert choices_of(batch, answers) == expected[first : first + len(batch)]
        await goodbye(bot)


@pytest.mark.parametrize("game", GAMES)
async def test_an_author_sees_every_field_of_every_ask(kit: Kit, game: str) -> None:
    chosen = asked(game)[::3]
    asks = numbered(chosen)
    async with probe(kit, "mirror") as bot:
        rules, options, _ = GAMES[game]
        await bot.call.welcome(rules, options, games=len(asks))
        await bot.call.say(asks=pb.Asks(asks=asks, bank_ms=1000))
        answers, _ = await bot.call.answers(len(asks))
        assert {answer.note for answer in answers.values()} == {"ä" * 100}
        out, _ = await goodbye(bot)
    lines = [json.loads(line) for line in out.splitlines()]
    started, heard = lines[: len(asks)], lines[len(asks) :]
    full = {"name": rules, "options": dict(nimmt.get(rules, options).options)}
    assert started == [
        {"rules": full, "game_no": number, "seat": number % 2, "players": 3}
        for number in range(len(asks))
    ]
    for number, (position, line) in enumerate(zip(chosen, heard, strict=True)):
        legal: Any = position.legal
        if isinstance(legal, TurnOptions):
            legal = legal._asdict()
        view = position.view._asdict()
        if "piles" in view:
            view["piles"] = [pile._asdict() for pile in view["piles"]]
        expected = {
            "game_no": number,
            "ask": position.kind,
            "view": view,
            "legal": legal,
            "asks_left": len(asks) - number,
        }
        assert line == json.loads(json.dumps(expected))


@pytest.mark.parametrize("game", ["advanced", "eleven", "x"])
async def test_an_author_sees_every_event_and_the_end_of_the_game(kit: Kit, game: str) -> None:
    rules, options, players = GAMES[game]
    board = nimmt.KeyedBoard(nimmt.key_from_seed(3), number=0)
    state = nimmt.get(rules, options).start(players=players, board=board)
    events: list[nimmt.Event] = []
    while state.pending:
        chosen = {
            seat: nimmt.house_choice(ask.kind, state.view(seat), state.legal(seat))
            for seat, ask in state.pending.items()
        }
        events += state.apply(chosen)
    assert state.result is not None
    result = state.result
    messages = [codec.event_to_wire(event) for event in events]
    async with probe(kit, "mirror") as bot:
        await bot.call.welcome(rules, options, games=1)
        half = len(messages) // 2
        for part in (messages[:half], [pb.Event.FromString(UNKNOWN)], messages[half:]):
            await bot.call.say(events=[pb.Events(game_no=0, events=part)])
        over = pb.GameOver(game_no=0, points=result.points, places=result.places)
        await bot.call.say(game_overs=[over])
        out, _ = await goodbye(bot)
    _, *heard, last = [json.loads(line) for line in out.splitlines()]
    for event, line in zip(events, heard, strict=True):
        plain = to_json(event)
        # A kit may leave out what is not there, such as the seat of a turn that all play together.
        told = {name: None for name, value in plain.items() if value is None} | line["event"]
        assert {"event": line["kind"], **told} == plain
    assert last == {"game_no": 0, "points": list(result.points), "places": list(result.places)}


async def test_fields_that_it_does_not_know_are_ignored(kit: Kit) -> None:
    chosen = asked("six")[:4]
    asks = []
    for ask in numbered(chosen):
        ask.six_nimmt.MergeFromString(UNKNOWN)
        ask.MergeFromString(UNKNOWN)
        asks.append(ask)
    message = pb.ToBot(asks=pb.Asks(asks=asks, bank_ms=1000))
    message.asks.MergeFromString(UNKNOWN)
    message.MergeFromString(UNKNOWN)
    assert message.SerializeToString().count(b"new") == 10
    async with probe(kit, "plain") as bot:
        await bot.call.welcome("six-nimmt", {"rounds": 1}, games=len(asks))
        await bot.call.say(pb.ToBot.FromString(UNKNOWN))
        await bot.call.say(message)
        answers, _ = await bot.call.answers(len(asks))
        assert choices_of(asks, answers) == [nimmt.house_choice(*each) for each in chosen]
        await goodbye(bot)


async def test_a_slow_batch_is_answered_in_parts(kit: Kit) -> None:
    cards = [position for position in asked("six") if position.kind == "card"][:4]
    asks = numbered(cards)
    async with probe(kit, "slow") as bot:
        await bot.call.welcome("six-nimmt", {"rounds": 1}, games=len(asks))
        await bot.call.say(asks=pb.Asks(asks=asks, bank_ms=1000))
        _, messages = await bot.call.answers(len(asks))
        assert messages == len(asks)
        await goodbye(bot)


async def test_what_comes_with_goodbye_is_answered_and_the_reason_is_told(kit: Kit) -> None:
    asks = numbered(asked("six")[:2])
    async with probe(kit, "plain") as bot:
        await bot.call.welcome("six-nimmt", {"rounds": 1}, games=len(asks))
        out = pb.Goodbye(reason=pb.Goodbye.OUT, text="three faults")
        await bot.call.say(asks=pb.Asks(asks=asks), goodbye=out)
        ended = await bot.ended()
        assert ended.code == FINE
        assert "three faults" in ended.err


@pytest.mark.parametrize(
    ("style", "says"), [("throws", "no idea"), ("throws-at-start", "no start")]
)
async def test_when_its_code_fails_the_referee_and_the_author_are_told(
    kit: Kit, style: str, says: str
) -> None:
    [ask] = numbered(asked("six")[:1])
    async with probe(kit, style) as bot:
        await bot.call.welcome("six-nimmt", {"rounds": 1}, games=1)
        if style == "throws":
            await bot.call.say(asks=pb.Asks(asks=[ask], bank_ms=1000))
        message = await bot.call.next()
        assert message is not None
        assert message.WhichOneof("message") == "failure"
        assert message.failure.ask_id == (ask.ask_id if style == "throws" else 0)
        assert says in message.failure.error
        bot.call.finish.set()
        ended = await bot.ended()
        assert ended.code == AUTHOR
        assert says in ended.err


async def test_an_answer_that_is_no_choice_goes_out_empty_and_is_told(kit: Kit) -> None:
    if kit.language in COMPILED:
        pytest.skip(f"a {kit.language} bot that returns no choice does not compile")
    card, turn = asked("six")[:1], [p for p in asked("eleven") if p.kind == "turn"][:1]
    for rules, chosen in (("six-nimmt", card), ("eleven-nimmt", turn)):
        asks = numbered(chosen)
        async with probe(kit, "nonsense") as bot:
            await bot.call.welcome(rules, {}, games=1)
            await bot.call.say(asks=pb.Asks(asks=asks, bank_ms=1000))
            answers, _ = await bot.call.answers(1)
            assert answers[asks[0].ask_id].WhichOneof("choice") is None
            _, err = await goodbye(bot)
            assert "no choice" in err


async def test_it_dials_a_port_and_shows_its_token(kit: Kit) -> None:
    env = {**kit.env, "BULLRING_TOKEN": "abc123"}
    async with refereed((*kit.command, "plain"), env, port=True) as bot:
        await bot.call.hello()
        assert bot.call.metadata["bullring-token"] == "abc123"
        await goodbye(bot)


async def test_without_a_referee_it_says_so(kit: Kit) -> None:
    command = (*kit.command, "plain")
    async with process(command, {**kit.env, "BULLRING_REFEREE": "unix:///nobody/here.sock"}) as bot:
        ended = await bot.ended()
        assert ended.code == NOT_CONNECTED
        assert "unix:///nobody/here.sock" in ended.err
    async with process(command, kit.env) as bot:
        ended = await bot.ended()
        assert ended.code == NOT_CONNECTED
        assert "BULLRING_REFEREE is not set" in ended.err
        assert "bullring play" in ended.err


async def test_it_leaves_a_referee_that_is_too_new(kit: Kit) -> None:
    async with probe(kit, "plain") as bot:
        await bot.call.hello()
        await bot.call.say(welcome=pb.Welcome(protocol=2, rules="six-nimmt"))
        ended = await bot.ended()
        assert ended.code == TOO_NEW
        assert "protocol 2" in ended.err


async def test_it_knows_a_lost_connection_from_a_goodbye(kit: Kit) -> None:
    async with probe(kit, "plain") as bot:
        await bot.call.welcome("six-nimmt", {}, games=1)
        asks = numbered(asked("six")[:1])
        await bot.call.say(asks=pb.Asks(asks=asks, bank_ms=1000))
        await bot.call.answers(1)
        bot.call.finish.set()
        ended = await bot.ended()
        assert ended.code == LOST
        assert "Goodbye" in ended.err


@pytest.mark.heavy(but="python")
@pytest.mark.parametrize("game", GAMES)
async def test_the_samples_are_one_bot_in_every_language(kit: Kit, game: str) -> None:
    from sample_bots.gap.bot import GapBot

    chosen = asked(game)
    asks = numbered(chosen)
    rules, options, _ = GAMES[game]
    expected = []
    for position in chosen:
        gap = GapBot()
        gap.rules = nimmt.get(rules, options)
        if isinstance(position.legal, TurnOptions):
            gap.turns = position.legal
        else:
            gap.legal = position.legal
        method = getattr(gap, f"choose_{position.kind}")
        expected.append(method(position.view))
    start: tuple[str, ...] = (str(kit.sample / "bot"),)
    if kit.language == "python":
        start = (kit.command[0], str(kit.sample / "bot.py"))
    async with refereed(start, kit.env) as bot:
        await bot.call.welcome(rules, options, games=len(asks))
        for batch in (asks[:MAX_BATCH], asks[MAX_BATCH:]):
            if batch:
                await bot.call.say(asks=pb.Asks(asks=batch, bank_ms=1000))
                answers, _ = await bot.call.answers(len(batch))
                first = asks.index(batch[0])
                assert choices_of(batch, answers) == expected[first : first + len(batch)]
        await goodbye(bot)


def test_the_languages_are_those_of_the_folders() -> None:
    from kits.images import KITS
    from kits.images import LANGUAGES as IMAGES

    assert set(IMAGES) | {"python"} == set(LANGUAGES)
    assert {path.name for path in KITS.iterdir() if path.is_dir()} - {"__pycache__"} == set(IMAGES)
