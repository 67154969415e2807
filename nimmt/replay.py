"""Writing a game down as `bullring-replay/1`. Reading and checking one is `nimmt.verify`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nimmt.choices import Choice, choice_to_json
from nimmt.game import State, places_of
from nimmt.keys import DEAL_METHOD, commitment

FORMAT = "bullring-replay/1"
BY_BOT = "bot"
BY_HOUSE = "house"
BY_FORCED = "forced"
FAULT_KINDS = (
    "timeout",
    "illegal_choice",
    "protocol",
    "crashed",
    "out_of_memory",
    "refused_start",
    "output_flood",
    "left",
)


class Decision(NamedTuple):
    """One decision as it was made, in the order of the game."""

    seat: int
    kind: str
    choice: Choice
    by: str
    """`forced` where there was one legal choice, else `house` or `bot`."""
    ms: float | None = None
    """The bot's share of its message's time; None when it was not asked."""
    batch: int | None = None
    """How many asks went out in the same message."""
    fault: Mapping[str, Any] | None = None
    """`{"kind": …, "sent": …}` when the house chose because this ask failed."""

    def to_json(self) -> dict[str, Any]:
        seat, kind, choice, by, ms, batch, fault = self
        return {
            "seat": seat,
            "kind": kind,
            "choice": choice_to_json(choice),
            "by": by,
            "ms": ms,
            "batch": batch,
            "fault": None if fault is None else dict(fault),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Who sat in a seat, and whether it had to be played for."""

    bot: str
    version: int | None = None
    image: str | None = None
    out: Mapping[str, Any] | None = None
    """`{"round": r, "decision": d, "fault": kind}`: the first decision it no longer made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Everything about a game that the rules do not know."""

    match: str
    board: int
    started: str
    """UTC, as 2026-01-31T12:00:00Z."""
    runner: str
    players: Sequence[Player]
    key: bytes | None
    """None while the match is live; `reveal` puts it in afterwards."""
    commitment: str | None
    move_ms: int = 0
    bank_ms: int = 0
    attempt: int = 1
    pass_no: int = 0
    game_no: int = 0


class Recorder:
    """Collects the decisions of one game; give it each choice before it is applied."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.rounds: list[list[Decision]] = [[]]

    def record(self, decisions: Sequence[Decision]) -> None:
        """Note what will be applied next: one decision for each pending seat, by seat."""
        while len(self.rounds) <= self.state.round_no:
            self.rounds.append([])
        self.rounds[self.state.round_no] += decisions

    def next_index(self) -> tuple[int, int]:
        """Round and index at which the next decision will stand."""
        round_no = self.state.round_no
        return round_no, len(self.rounds[round_no]) if round_no < len(self.rounds) else 0

    def document(self, about: Circumstances) -> dict[str, Any]:
        """The finished game as one JSON document."""
        state, rules = self.state, self.state.rules
        assert state.result is not None, "a replay holds a finished game"
        points = state.result.points
        outs = [player.out is not None for player in about.players]
        return {
            "format": FORMAT,
            "rules": rules.name,
            "options": dict(rules.options),
            "rules_version": rules.version,
            "deal_method": DEAL_METHOD,
            "match": about.match,
            "attempt": about.attempt,
            "pass": about.pass_no,
            "game_no": about.game_no,
            "board": about.board,
            "started": about.started,
            "runner": about.runner,
            "time": {"move_ms": about.move_ms, "bank_ms": about.bank_ms},
            "commitment": about.commitment,
            "key": None if about.key is None else about.key.hex(),
            "players": [
                {
                    "seat": seat,
                    "bot": player.bot,
                    "version": player.version,
                    "image": player.image,
                    "out": None if player.out is None else dict(player.out),
                }
                for seat, player in enumerate(about.players)
            ],
            "rounds": [
                {
                    "deal": rules.deal_to_json(deal, start_seat),
                    "decisions": [decision.to_json() for decision in self.rounds[round_no]],
                    "points": list(state.scores[round_no]),
                }
                for round_no, (deal, start_seat) in enumerate(state.deals)
            ],
            "result": {"points": list(points), "places": list(places_with_out(points, outs))},
        }


def reveal(document: dict[str, Any], key: bytes) -> dict[str, Any]:
    """The document with its key, which must be the one it is committed to."""
    if document["commitment"] != commitment(key):
        raise ValueError(f"this key is not the one behind {document['commitment']}")
    return {**document, "key": key.hex()}


def places_with_out(points: Sequence[int], outs: Sequence[bool]) -> tuple[int, ...]:
    """Places where bots that were out lose to all that were not, and tie among themselves.

    >>> places_with_out([9, 2, 0, 1], [False, False, True, True])
    (2, 1, 3, 3)
    """
    playing = [own for own, out in zip(points, outs, strict=True) if not out]
    places = iter(places_of(playing))
    return tuple([len(playing) + 1 if out else next(places) for out in outs])
