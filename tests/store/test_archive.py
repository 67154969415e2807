"""Match archives: what goes in comes back byte for byte, and nothing else is believed."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nimmt import Rules, get, key_from_seed
from nimmt.choices import KINDS
from nimmt.registry import GAMES
from nimmt.replay import BY_BOT
from store import BlobDamaged, BlobError, BlobMissing, Blobs, OtherRules
from store.archive import MAGIC, Archive, NotPacked, pack, rebuild
from store.archive import form as archive_form
from store.archive.engines import engine_for
from store.archive.form import from_parts, to_parts
from store.archive.messages import in_order
from store.blobs import ARCHIVE_SUFFIX, SUFFIX
from store.packed import zstd
from tests.nimmt.recorded import record
from tests.nimmt.support import TABLES, Variant, label
from tests.tiers import up_to

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
ROOM = 1 << 29
Document = dict[str, Any]
Change = Callable[[Document], None]


def line_of(document: Document) -> bytes:
    """As the referee writes it."""
    return json.dumps(document, separators=(",", ":")).encode()


def in_order_of(template: Any, value: Any) -> Any:
    """The same document with its fields in the order in which a game is written down."""
    if isinstance(value, list):
        return [in_order_of(template[0] if template else None, one) for one in value]
    if isinstance(value, dict) and isinstance(template, dict) and value.keys() == template.keys():
        return {name: in_order_of(template[name], value[name]) for name in template}
    return value


def decisions_of(documents: Sequence[Document]) -> list[Document]:
    return [
        decision
        for document in documents
        for part in document["rounds"]
        for decision in part["decisions"]
    ]


def match_of(
    variant: Variant, players: int, games: int = 4, fail: float = 0.0, keyed: bool = True
) -> list[Document]:
    """Some games of one match, with the times of a busy table and seats that rotate."""
    documents = []
    for number in range(games):
        document = record(variant, players, number, fail, keyed)
        document["game_no"] = number % max(1, games // 2)
        document["pass"] = number // max(1, games // 2)
        document["started"] = f"2026-01-31T12:00:{number:02}.{number * 7919 % 1000:03}Z"
        named = [(one["bot"], one["version"]) for one in document["players"]]
        for seat, player in enumerate(document["players"]):
            player["bot"], player["version"] = named[(seat + number) % players]
        documents.append(document)
    rng = Random(f"{variant.label} {players} {fail}")
    for decision in decisions_of(documents):
        if decision["ms"] is not None:
            decision["ms"] = rng.choice([0.0, 0.041, 1.5, round(rng.expovariate(0.2), 3), 2400.125])
            decision["batch"] = rng.choice([1, 2, 63, 64, 256])
    return documents


@cache
def packed_match() -> tuple[tuple[bytes, ...], bytes]:
    """A match with faults and outs, and its archive."""
    documents = match_of(Variant("six-nimmt", {"rounds": 1}, range(4, 5)), 4, fail=0.1)
    lines = tuple(line_of(document) for document in documents)
    return lines, pack(lines, ROOM)


@pytest.mark.parametrize("fail", [0.0, 0.05, 0.4])
@pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)
def test_every_match_comes_back_byte_for_byte(variant: Variant, players: int, fail: float) -> None:
    games = 4 if variant.rules == "six-nimmt" and players < 6 else 2
    lines = [line_of(one) for one in match_of(variant, players, games, fail)]
    archive = Archive(pack(lines, ROOM), ROOM)
    assert list(archive.lines()) == lines
    assert archive.line(games - 1) == lines[-1]


def test_the_matches_above_hold_every_kind_of_decision() -> None:
    games = [
        document
        for variant, players in TABLES
        if players == variant.players[1]
        for document in match_of(variant, players, 6, 0.05)
    ]
    decisions = decisions_of(games)
    assert {decision["kind"] for decision in decisions} == set(KINDS)
    assert {decision["by"] for decision in decisions} == {"bot", "house", "forced"}
    assert any(player["out"] for game in games for player in game["players"])
    assert any(decision["kind"] == "steal" and decision["by"] != "forced" for decision in decisions)
    assert any(len(decision["choice"].get("play", ())) > 1 for decision in decisions
               if decision["kind"] == "turn")  # fmt: skip


@pytest.mark.parametrize(("variant", "players"), TABLES[::5], ids=label)
def test_deals_that_were_given_by_hand_are_kept(variant: Variant, players: int) -> None:
    lines = [line_of(one) for one in match_of(variant, players, 2, 0.1, keyed=False)]
    assert b'"key":null' in lines[0]
    assert list(Archive(pack(lines, ROOM), ROOM).lines()) == lines


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("replay-*.json")), ids=lambda path: path.stem)
def test_golden_replays_come_back(path: Path) -> None:
    template = record(*TABLES[0], fail=0.5)
    line = line_of(in_order_of(template, json.loads(path.read_text(encoding="utf-8"))))
    assert Archive(pack([line], ROOM), ROOM).line(0) == line


@settings(max_examples=up_to(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_times_and_faults_come_back(data: st.DataObject) -> None:
    variant, players = data.draw(st.sampled_from(TABLES))
    documents = match_of(variant, players, 2, data.draw(st.sampled_from([0.0, 0.2, 0.9])))
    microseconds = st.integers(0, 2**32 - 1)
    sent = st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    )
    for decision in data.draw(st.lists(st.sampled_from(decisions_of(documents)), max_size=20)):
        if decision["ms"] is not None:
            decision["ms"] = data.draw(microseconds) / 1000
            decision["batch"] = data.draw(st.integers(1, 65535))
        if decision["fault"] is not None:
            decision["fault"]["sent"] = data.draw(sent)
            if data.draw(st.booleans()):
                decision["ms"] = decision["batch"] = None
    lines = [line_of(one) for one in documents]
    assert list(Archive(pack(lines, ROOM), ROOM).lines()) == lines


def test_two_seats_of_one_bot_are_told_apart() -> None:
    documents = match_of(TABLES[0][0], 3)
    for document in documents:
        for player in document["players"]:
            player["bot"], player["version"] = "house/lowest", 1
    lines = [line_of(one) for one in documents]
    assert list(Archive(pack(lines, ROOM), ROOM).lines()) == lines


def test_a_match_without_times_is_an_archive_too() -> None:
    documents = match_of(TABLES[0][0], 3)
    for decision in decisions_of(documents):
        decision["ms"] = decision["batch"] = None
    lines = [line_of(one) for one in documents]
    assert list(Archive(pack(lines, ROOM), ROOM).lines()) == lines


message = st.tuples(st.integers(0, 3), st.integers(1, 3))


@given(games=st.lists(st.lists(message, max_size=12), max_size=6))
def test_every_game_finds_its_messages_in_its_order(games: list[list[tuple[int, int]]]) -> None:
    messages, numbers = in_order(games)
    assert [[messages[number] for number in own] for own in numbers] == games
    assert all(own == sorted(set(own)) for own in numbers)
    assert len(messages) <= sum(map(len, games))


def test_messages_that_many_games_share_are_written_once() -> None:
    batches = [[(time, 50) for time in range(40)] for _ in range(50)]
    messages, _ = in_order(batches)
    assert messages == [(time, 50) for time in range(40)]


def _set(*path: Any) -> Change:
    *way, last, value = path

    def change(document: Document) -> None:
        inner: Any = document
        for step in way:
            inner = inner[step]
        inner[last] = value

    return change


def _first_asked(name: str, value: object) -> Change:
    def change(document: Document) -> None:
        asked = [one for one in decisions_of([document]) if one["by"] == BY_BOT]
        asked[0][name] = value

    return change


ODD: dict[str, Change] = {
    "an extra field": _set("weather", "rain"),
    "a time that is no float": _first_asked("ms", 3),
    "a time finer than microseconds": _first_asked("ms", 0.12345),
    "a batch without a time": _first_asked("ms", None),
    "a batch of none": _first_asked("batch", 0),
    "a choice that is true": _first_asked("choice", True),
    "an illegal choice": _first_asked("choice", 105),
    "points that were not made": _set("result", "points", [0, 0, 0, 0]),
    "places that were not reached": _set("result", "places", [1, 1, 1, 1]),
    "another runner than the other games": _set("runner", "elsewhere"),
    "another key": _set("key", key_from_seed(1).hex()),
    "a key that is none": _set("key", "secret"),
    "a deal of another key": _set("rounds", 0, "deal", "rows", [[1], [2], [3], [4]]),
    "a later version of the rules": _set("rules_version", 2),
    "another way of dealing": _set("deal_method", "dice/1"),
    "rules that are not known": _set("rules", "twelve-nimmt"),
    "an option that is not known": _set("options", {"speed": 3}),
    "no rounds": _set("rounds", []),
    "players that are no list": _set("players", None),
    "a seat that is out of order": _set("players", 0, "seat", 2),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("at", [0, 2])
def test_what_would_not_come_back_equal_stays_in_the_old_form(
    name: str, at: int, tmp_path: Path
) -> None:
    documents = match_of(Variant("six-nimmt", {"rounds": 1}, range(4, 5)), 4)
    ODD[name](documents[at])
    lines = [line_of(one) for one in documents]
    blobs = Blobs(tmp_path)
    blob = blobs.write(lines)
    assert blob.plain is not None
    assert blobs.path(blob.sha256).name.endswith(SUFFIX)
    assert list(blobs.lines(blob.sha256)) == lines
    assert blobs.line(blob.sha256, 2) == lines[2]


@pytest.mark.parametrize(
    "other", [b'{ "format":"bullring-replay/1"}', b'{"notes":[]}', b"", b'{"format":"bullring-re']
)
def test_lines_that_are_no_replays_are_no_archive(other: bytes) -> None:
    lines, _ = packed_match()
    with pytest.raises(NotPacked, match="bullring-replay/1"):
        pack([*lines, other], ROOM)
    with pytest.raises(NotPacked):
        pack([], ROOM)


def test_a_stored_match_is_an_archive_and_reads_as_its_lines(tmp_path: Path) -> None:
    lines, packed = packed_match()
    blobs = Blobs(tmp_path)
    blob = blobs.write(lines)
    path = blobs.path(blob.sha256)
    assert path.name == blob.sha256 + ARCHIVE_SUFFIX
    assert path.read_bytes() == packed
    assert (blob.lines, blob.size, blob.plain) == (len(lines), len(packed), None)
    assert list(blobs.lines(blob.sha256)) == list(lines)
    assert blobs.line(blob.sha256, 1) == lines[1]
    assert [sha256 for sha256, _ in blobs.files()] == [blob.sha256]
    with pytest.raises(BlobMissing, match="line 4"):
        blobs.line(blob.sha256, 4)
    assert blobs.sweep(set(), grace=-60) == [blob.sha256]


def test_both_forms_are_adopted_under_their_own_names(tmp_path: Path) -> None:
    lines, _ = packed_match()
    there, here = Blobs(tmp_path / "there"), Blobs(tmp_path / "here")
    for plain in (False, True):
        blob = there.write(lines, plain=plain)
        data = there.path(blob.sha256).read_bytes()
        here.adopt((data[at : at + 5] for at in range(0, len(data), 5)), blob.sha256)
        assert here.path(blob.sha256).name == there.path(blob.sha256).name
        assert list(here.lines(blob.sha256)) == list(lines)


def test_the_old_form_can_be_asked_for(tmp_path: Path) -> None:
    lines, _ = packed_match()
    blob = Blobs(tmp_path).write(lines, plain=True)
    path = Blobs(tmp_path).path(blob.sha256)
    assert zstd.decompress(path.read_bytes()).split(b"\n")[:-1] == list(lines)


def with_head(packed: bytes, change: Change) -> bytes:
    """The archive with a head that somebody has been at."""
    line, *columns = to_parts(packed)
    head = json.loads(line)
    change(head)
    return from_parts([json.dumps(head).encode(), *columns])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_set("shared", "rules_version", 2), "version 2, expected version 1.*repack --plain"),
        (_set("shared", "deal_method", "dice/1"), "dice/1.*expected hmac-sha256/1"),
    ],
)
def test_rules_that_this_release_does_not_have_are_refused_by_name(
    change: Change, says: str, tmp_path: Path
) -> None:
    _, packed = packed_match()
    with pytest.raises(OtherRules, match=says):
        Archive(with_head(packed, change), ROOM)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_every_version_of_the_rules_can_be_rebuilt(game: type[Rules]) -> None:
    """Who raises a version keeps the old engine for reading, or has archives rewritten first."""
    options = dict(get(game.name).options)
    for version in range(1, game.version + 1):
        named = {"rules": game.name, "options": options, "rules_version": version}
        assert engine_for({**named, "deal_method": "hmac-sha256/1"}).version == version


DAMAGED: dict[str, Change] = {
    "unknown rules": _set("shared", "rules", "twelve-nimmt"),
    "bad options": _set("shared", "options", {"rounds": 10**9}),
    "a key of the wrong size": _set("shared", "key", "00"),
    "no key and no deals": _set("shared", "key", None),
    "a player less": lambda head: head["players"].pop(),
    "a seat for nobody": _set("seats", 0, 0, 63),
    "a table of one": _set("seats", 0, [0]),
    "one player in two seats": _set("seats", 0, [0, 0, 0, 0]),
    "no seats": _set("seats", []),
    "seats that are words": _set("seats", 0, 0, "first"),
    "too many rounds to be played": _set("shared", "options", "rounds", 5),
    "a board that is a word": _set("games", "board", ["x"] * 4),
    "a field too short": _set("games", "started", []),
    "messages that are negative": _set("messages", [-1, 1, 0, 0]),
    "messages that are not there": _set("messages", [10**9] * 4),
    "nothing at all": lambda head: head.clear(),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_head_that_is_not_true_is_refused(name: str) -> None:
    _, packed = packed_match()
    with pytest.raises(BlobError, match=r"\w"):
        list(Archive(with_head(packed, DAMAGED[name]), ROOM).lines())


def read_all(packed: bytes) -> list[bytes]:
    """Lines, or nothing where the archive is refused; any other error fails the test."""
    try:
        return list(Archive(packed, 1 << 20).lines())
    except BlobError:
        return []


@settings(max_examples=up_to(300), deadline=None)
@given(data=st.data())
def test_no_change_inside_an_archive_does_more_than_refuse_or_change_games(
    data: st.DataObject,
) -> None:
    _, packed = packed_match()
    parts = [bytearray(part) for part in to_parts(packed)]
    for _ in range(data.draw(st.integers(1, 4))):
        part = data.draw(st.sampled_from(parts))
        at = data.draw(st.integers(0, len(part)))
        cut = data.draw(st.integers(0, 3))
        part[at : at + cut] = data.draw(st.binary(max_size=3))
    found = read_all(from_parts([bytes(part) for part in parts]))
    assert sum(map(len, found)) <= 1 << 20


@settings(max_examples=up_to(200), deadline=None)
@given(junk=st.binary(max_size=200), head=st.booleans())
def test_junk_is_refused(junk: bytes, head: bool) -> None:
    assert read_all(from_parts([junk] * 9) if head else MAGIC + junk) == []


def test_an_archive_that_ends_too_early_or_too_late_is_refused() -> None:
    _, packed = packed_match()
    for size in (*range(0, len(packed), 97), len(packed) - 1):
        assert read_all(packed[:size]) == []
    assert read_all(packed + b"!") == []


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(BlobDamaged, match="unpacks to more than"):
        Archive(MAGIC + zstd.compress(bytes(archive_form.MOST_BYTES + 1)), ROOM)


def test_games_that_cost_no_bytes_are_bounded_too() -> None:
    """Bots that are out choose nothing, so a thousand rounds fit in a few bytes."""
    document = match_of(Variant("six-nimmt", {"rounds": 1}, range(4, 5)), 4, 1)[0]
    head = json.loads(to_parts(pack([line_of(document)], ROOM))[0])
    outs = [{"round": 0, "decision": seat, "fault": "crashed"} for seat in range(4)]
    faults = json.dumps({"out": outs, "odd": []}).encode()
    head["shared"]["options"]["rounds"] = 1000
    head["messages"] = [0] * 4
    columns = {"choice_sizes": bytes(12), "message_sizes": bytes(12), "faults": faults}
    rest = [columns.get(name, b"") for name in archive_form.COLUMNS]
    bomb = from_parts([json.dumps(head).encode(), *rest])
    assert len(Archive(bomb, ROOM).line(0)) > 1000 * len(bomb)
    with pytest.raises(BlobDamaged, match="more than 1000000 bytes"):
        list(Archive(bomb, 1_000_000).lines())


def test_a_game_without_end_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    _, packed = packed_match()
    monkeypatch.setattr(rebuild, "MOST_DECISIONS", 30)
    with pytest.raises(BlobDamaged, match="more than 30 decisions"):
        Archive(packed, ROOM).line(0)
