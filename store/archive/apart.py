"""A match taken apart: what rules and key decide is left out, the rest goes into columns.

Nothing is checked here: whoever packs compares what comes back with what was given.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import nimmt
from nimmt.choices import Choice, choice_from_json
from nimmt.replay import BY_BOT, BY_FORCED
from store.archive.choices import Legal, put_choice
from store.archive.form import BATCH_WIDTH, OWN, SHARED, TIME_WIDTH, size_table, to_bytes
from store.archive.messages import Message, in_order
from store.archive.numbers import planes, put
from store.archive.rebuild import board_of, compact

Document = dict[str, Any]
NAMES = ("bot", "version", "image")


class Part:
    """What is kept of one game, by seat."""

    def __init__(self, rules: nimmt.Rules, document: Document, timed: bool) -> None:
        players = len(document["players"])
        self.choices = [bytearray() for _ in range(players)]
        self.seen: list[list[Message]] = [[] for _ in range(players)]
        self.odd: list[tuple[int, int, Any, bool]] = []
        self.outs = [player["out"] for player in document["players"]]
        self._timed = timed
        self.deals = b""
        if document["key"] is None:
            self.deals = compact([part["deal"] for part in document["rounds"]]).encode()
        board = board_of(rules, players, document, document["board"], self.deals)
        self._play(rules.start(players, board), document["rounds"])

    def _play(self, state: nimmt.State, rounds: Sequence[Document]) -> None:
        out = [False] * state.players
        for round_no, part in enumerate(rounds):
            decisions = iter(enumerate(part["decisions"]))
            while state.pending and state.round_no == round_no:
                choices = {}
                for seat, ask in state.pending.items():
                    at, decision = next(decisions)
                    away = self.outs[seat]
                    if away and (away["round"], away["decision"]) == (round_no, at):
                        out[seat] = True
                    choice = choice_from_json(ask.kind, decision["choice"])
                    if decision["by"] != BY_FORCED and not out[seat]:
                        self._keep((round_no, at), decision, state.legal(seat), choice)
                    choices[seat] = choice
                state.apply(choices)

    def _keep(
        self, where: tuple[int, int], decision: Document, legal: Legal, choice: Choice
    ) -> None:
        seat = decision["seat"]
        message = _message(decision)
        if message is not None:
            self.seen[seat].append(message)
        fault = decision["fault"]
        if fault is not None or (message is not None) != self._timed:
            self.odd.append((*where, fault, message is not None))
        if fault is None:
            put_choice(legal, choice, self.choices[seat])

    def faults(self) -> bytes:
        """The line of this game in its column."""
        if not self.odd and not any(self.outs):
            return b""
        return compact({"out": self.outs, "odd": self.odd}).encode()


def _message(decision: Document) -> Message | None:
    ms, batch = decision["ms"], decision["batch"]
    if ms is None and batch is None:
        return None
    microseconds = round(ms * 1000)
    if type(ms) is not float or microseconds / 1000 != ms or type(batch) is not int or batch < 1:
        raise ValueError(f"no place for a time of {ms!r:.40} in a batch of {batch!r:.40}")
    return microseconds, batch


def taken_apart(rules: nimmt.Rules, documents: Sequence[Document]) -> bytes:
    """The archive of a match; raises whatever a document that does not fit causes."""
    players, seats = _players(documents)
    timed = _is_timed(documents)
    parts = [Part(rules, document, timed) for document in documents]
    where = {(entry, game): at for game, row in enumerate(seats) for at, entry in enumerate(row)}
    choices, messages, counts, all_messages = [], [], [], []
    passes = [document["pass"] for document in documents]
    for entry in range(len(players)):
        lanes = [where.get((entry, game)) for game in range(len(parts))]
        choices += [
            b"" if at is None else part.choices[at] for at, part in zip(lanes, parts, strict=True)
        ]
        seen = [[] if at is None else part.seen[at] for at, part in zip(lanes, parts, strict=True)]
        found, column = _messages(seen, passes)
        all_messages += found
        messages += column
        counts.append(len(found))
    columns = {
        "choice_sizes": size_table([len(piece) for piece in choices]),
        "message_sizes": size_table([len(piece) for piece in messages]),
        "choices": b"".join(choices),
        "messages": b"".join(messages),
        "times": planes([time for time, _ in all_messages], TIME_WIDTH),
        "batches": planes([batch for _, batch in all_messages], BATCH_WIDTH),
        "faults": _text([part.faults() for part in parts]),
        "deals": _text([part.deals for part in parts]),
    }
    head = {
        "shared": {name: documents[0][name] for name in SHARED},
        "players": players,
        "games": {name: [document[name] for document in documents] for name in OWN},
        "seats": seats,
        "timed": timed,
        "messages": counts,
    }
    return to_bytes(head, columns)


def _players(documents: Sequence[Document]) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Everyone who played, and by game who sat where. Two of one name are two entries."""
    players: list[dict[str, Any]] = []
    seats = []
    for document in documents:
        row: list[int] = []
        for player in document["players"]:
            named = {name: player[name] for name in NAMES}
            free = [at for at, one in enumerate(players) if one == named and at not in row]
            if not free:
                free = [len(players)]
                players.append(named)
            row.append(free[0])
        seats.append(row)
    return players, seats


def _is_timed(documents: Sequence[Document]) -> bool:
    """Whether decisions have times as a rule: the first one that a bot made tells."""
    for document in documents:
        for part in document["rounds"]:
            for decision in part["decisions"]:
                if decision["by"] == BY_BOT:
                    return decision["ms"] is not None
    return False


def _messages(
    seen: Sequence[Sequence[Message]], passes: Sequence[int]
) -> tuple[list[Message], list[bytes]]:
    """One player's messages, and by game how to find its own; every pass has its own process."""
    messages: list[Message] = []
    column = []
    for _, group in groupby(range(len(seen)), key=passes.__getitem__):
        games = list(group)
        found, numbers = in_order([seen[game] for game in games])
        for own in numbers:
            piece = bytearray()
            last = -1
            for number in own:
                at = len(messages) + number
                put(at - last - 1, piece)
                last = at
            column.append(bytes(piece))
        messages += found
    return messages, column


def _text(lines: Sequence[bytes]) -> bytes:
    return b"\n".join(lines) if any(lines) else b""
