"""The form of a replay: its fields, its rules, its deals and its key; no decision is looked at."""

import re
from dataclasses import dataclass
from typing import Any

from nimmt.board import Deal, KeyedBoard
from nimmt.errors import ReplayError, RulesError, shorten
from nimmt.game import Rules
from nimmt.given import json_object
from nimmt.keys import DEAL_METHOD, commitment
from nimmt.registry import get
from nimmt.replay import FAULT_KINDS, FORMAT

FIELDS = [
    "format",
    "rules",
    "options",
    "rules_version",
    "deal_method",
    "match",
    "attempt",
    "pass",
    "game_no",
    "board",
    "started",
    "runner",
    "time",
    "commitment",
    "key",
    "players",
    "rounds",
    "result",
]
"""The fields of a replay, in their order."""
_COUNTS = {"attempt": 1, "pass": 0, "game_no": 0, "board": 0}
_STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a document says before anything is played."""

    fields: dict[str, Any]
    rules: Rules
    players: int
    outs: list[tuple[int, int] | None]
    """By seat: round and decision from which its bot was out, or None."""
    deals: list[tuple[Deal, int]]
    """By round: the deal and the seat that starts."""


def check_form(document: object) -> Form:
    """Take a document apart; raises ReplayError or RulesError where its form is wrong."""
    fields = json_object(document, FIELDS, "a replay")
    if fields["format"] != FORMAT:
        raise ReplayError(f"format is {shorten(fields['format'])}, this reads {FORMAT}")
    rules = _rules(fields)
    players = _check_frame(fields)
    rules.check_players(players)
    outs = [_out(player, seat) for seat, player in enumerate(fields["players"])]
    deals = _deals(rules, players, fields)
    _check_key(rules, players, fields, deals)
    return Form(fields=fields, rules=rules, players=players, outs=outs, deals=deals)


def _rules(fields: dict[str, Any]) -> Rules:
    if not isinstance(fields["rules"], str) or not isinstance(fields["options"], dict):
        raise ReplayError("rules must be a name and options an object")
    rules = get(fields["rules"], fields["options"])
    # Every option stands in the file, defaults too, so that a change of default changes no game.
    if not same_json(fields["options"], dict(rules.options)):
        raise ReplayError(
            f"options must be written out in full as {dict(rules.options)}, "
            f"got {shorten(fields['options'])}"
        )
    for name, known in (("rules_version", rules.version), ("deal_method", DEAL_METHOD)):
        if not same_json(fields[name], known):
            raise ReplayError(f"{name} is {shorten(fields[name])}, this verifies {known!r}")
    return rules


def _check_frame(fields: dict[str, Any]) -> int:
    for name, least in _COUNTS.items():
        if type(fields[name]) is not int or fields[name] < least:
            raise ReplayError(f"{name} must be {least} or more, got {shorten(fields[name])}")
    for name in ("match", "runner"):
        if not isinstance(fields[name], str):
            raise ReplayError(f"{name} must be a text, got {shorten(fields[name])}")
    if not isinstance(fields["started"], str) or not _STARTED.fullmatch(fields["started"]):
        raise ReplayError(f"started must be a UTC time, got {shorten(fields['started'])}")
    for name, value in json_object(fields["time"], ("move_ms", "bank_ms"), "time").items():
        if type(value) is not int or value < 0:
            raise ReplayError(f"{name} must be 0 or more, got {shorten(value)}")
    json_object(fields["result"], ("points", "places"), "result")
    if not isinstance(fields["players"], list) or not isinstance(fields["rounds"], list):
        raise ReplayError("players and rounds must be lists")
    return len(fields["players"])


def _out(player: object, seat: int) -> tuple[int, int] | None:
    fields = json_object(player, ("seat", "bot", "version", "image", "out"), "a player")
    if not same_json(fields["seat"], seat):
        raise ReplayError(f"players stand by seat: expected {seat}, got {shorten(fields['seat'])}")
    for name, kind in (("bot", str), ("version", int | None), ("image", str | None)):
        if not isinstance(fields[name], kind) or isinstance(fields[name], bool):
            raise ReplayError(f"{name} of seat {seat} is {shorten(fields[name])}")
    if fields["out"] is None:
        return None
    out = json_object(fields["out"], ("round", "decision", "fault"), f"out of seat {seat}")
    if out["fault"] not in FAULT_KINDS:
        raise ReplayError(f"there is no fault {shorten(out['fault'])}")
    if type(out["round"]) is not int or type(out["decision"]) is not int:
        raise ReplayError(f"out of seat {seat} names round and decision by number")
    return out["round"], out["decision"]


def _deals(rules: Rules, players: int, fields: dict[str, Any]) -> list[tuple[Deal, int]]:
    deals = []
    for round_no, part in enumerate(fields["rounds"]):
        try:
            named = json_object(part, ("deal", "decisions", "points"), "a round")
            if not isinstance(named["decisions"], list):
                raise RulesError("decisions must be a list")
            deal, start_seat = rules.deal_from_json(players, named["deal"])
            rules.check_deal(players, deal)
        except RulesError as error:
            raise ReplayError(str(error), round_no) from None
        deals.append((deal, start_seat))
    if not deals:
        raise ReplayError("a game has at least one round")
    return deals


def _check_key(
    rules: Rules, players: int, fields: dict[str, Any], deals: list[tuple[Deal, int]]
) -> None:
    committed, key_hex = fields["commitment"], fields["key"]
    if not isinstance(committed, str) or not _SHA256.fullmatch(committed):
        raise ReplayError(f"commitment must be sha256:…, got {shorten(committed)}")
    if key_hex is None:
        return
    if not isinstance(key_hex, str) or not re.fullmatch(r"[0-9a-f]{64}", key_hex):
        raise ReplayError(f"key must be 64 hex digits or null, got {shorten(key_hex)}")
    key = bytes.fromhex(key_hex)
    if commitment(key) != committed:
        raise ReplayError(f"the key is not the one committed to: {committed}")
    board = KeyedBoard(key, fields["board"])
    for round_no, (deal, _) in enumerate(deals):
        if deal != board.deal(rules, players, round_no):
            raise ReplayError("the deal is not the one that the key gives", round_no)


def same_json(got: object, expected: object) -> bool:
    """Equality that tells 1 from true and 1.0, as JSON does."""
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(same_json(got[key], expected[key]) for key in expected)
        )
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return False
        return all(map(same_json, got, expected))
    return type(got) is type(expected) and got == expected
