"""What a match leaves for the owners of its bots: output, faults with the asks that caused them,
moves with notes and think times. Nothing here is for anyone else, and nothing before its end.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlmodel import Session

from api_models.words import clean
from dashboard.http import Refused, Viewer
from dashboard.reads.access import versions_named, visible_match
from dashboard.site import Site
from nimmt import TurnOptions
from nimmt.errors import ReplayError
from nimmt.verify import read
from store import BlobError, BlobKind, Fault, Game, Match, MatchState, match_lists, results
from store.match_lists import Seated

NOTE_CHARACTERS = 200
ASKS_SHOWN = 50
"""Faults of one seat whose asks are worked out; each may mean playing a game again."""

SENT_SHOWN = 120

Place = tuple[int, int, int, int]
"""Pass, game, round and decision, all from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One decision of a bot, with its note; counted from 0 as in replays."""

    pass_no: int
    game_no: int
    round_no: int
    decision: int
    seat: int
    """Its seat in this game."""
    kind: str
    choice: object
    by: str
    ms: float | None
    batch: int | None
    fault: str | None
    sent: object
    """What it sent instead of a legal choice."""
    note: str | None

    @property
    def place(self) -> Place:
        """Where it stands in the match."""
        return (self.pass_no, self.game_no, self.round_no, self.decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a bot was asked: the view and the legal choices of that moment, and what followed."""

    move: Move
    view: dict[str, Any]
    legal: object

    @property
    def words(self) -> str:
        """One line; rows, piles and seats are numbered as the bot was told them."""
        move = self.move
        table = _table_words(self.view)
        sent = "nothing that counts" if move.sent is None else json.dumps(move.sent)
        played = json.dumps(move.choice)
        hand = _cards(self.view.get("hand", ())) or "empty"
        return (
            f"asked for: {move.kind}; hand: {hand}; {table}; legal: {_legal_words(self.legal)};"
            f" it sent {clean(sent)[:SENT_SHOWN]}, {played} was played for it"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOutput:
    """All that an owner may read of one seat, apart from its moves."""

    seated: Seated
    log: str
    """The end of what it wrote, controls escaped."""
    faults: tuple[tuple[Fault, Asked | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveFilter:
    """Which moves are wanted; empty: all."""

    faults: Collection[str] = ()
    noted: bool = False
    game_no: int | None = None

    def takes(self, move: Move) -> bool:
        """Whether this move is wanted."""
        return (
            (not self.faults or move.fault in self.faults)
            and (not self.noted or move.note is not None)
            and (self.game_no is None or move.game_no == self.game_no)
        )


EVERY_MOVE = MoveFilter()


def own_seats(session: Session, viewer: Viewer, match: Match, bot: str | None) -> list[Seated]:
    """The seats whose output this viewer may read, perhaps those of one bot only."""
    seats = match_lists.seated(session, [match.id]).get(match.id, [])
    owners = versions_named(session, [seat.version_id for seat in seats])
    if bot is not None and all(seat.bot != bot for seat in seats):
        table = ", ".join(seat.bot for seat in seats)
        raise Refused(404, f"got bot {bot}, expected one at the table of match {match.id}: {table}")
    own = [
        seat
        for seat in seats
        if viewer.sees_private(owners[seat.version_id][2]) and bot in (None, seat.bot)
    ]
    if not own:
        whose = bot or "no bot at this table"
        is_not = "is not your bot" if bot else "is yours"
        raise Refused(403, f"{whose} {is_not}; its output is for its owner alone")
    return own


def done_match(session: Session, viewer: Viewer, match_id: int) -> Match:
    """A match that is over; before that its output could tell a bot's author of open hands."""
    match = visible_match(session, viewer, match_id)
    if match.state is not MatchState.DONE:
        raise Refused(404, f"match {match_id} is {match.state.value}; output comes when it is done")
    return match


def seat_outputs(
    site: Site, session: Session, match: Match, seats: Sequence[Seated], kinds: Collection[str] = ()
) -> list[SeatOutput]:
    """The output of seats that the caller may read, with the faults of these kinds (empty: all)."""
    faults = results.faults(session, match.id)
    made = []
    for seated in seats:
        own = [
            fault
            for fault in faults
            if fault.seat == seated.number and (not kinds or fault.kind in kinds)
        ]
        asks = _asks(site, session, match, seated.number, own[:ASKS_SHOWN])
        made.append(
            SeatOutput(
                seated=seated,
                log=str(seated.seat.stats.get("log") or ""),
                faults=tuple((fault, asks.get(_place(fault))) for fault in own),
            )
        )
    return made


def seat_moves(
    site: Site, session: Session, match: Match, number: int, wanted: MoveFilter = EVERY_MOVE
) -> Iterator[Move]:
    """The moves of one seat in the order of play; read from the files while they are sent."""
    blob = results.blob_of(session, match.id, BlobKind.REPLAY)
    if blob is None:
        raise Refused(404, f"match {match.id} has no replays, so there are no moves to show")
    games = {game.line: game for game in results.games(session, match.id)}
    notes = _notes(site, session, match, number, games.values())
    return _moves(site, blob.sha256, number, games, notes, wanted)


def _moves(
    site: Site,
    sha256: str,
    number: int,
    games: Mapping[int, Game],
    notes: Mapping[Place, str],
    wanted: MoveFilter,
) -> Iterator[Move]:
    for line, text in enumerate(site.store.blobs.lines(sha256)):
        game = games.get(line)
        if game is None or wanted.game_no not in (None, game.game_no):
            continue
        for move in _moves_of(json.loads(text), game, number, notes):
            if wanted.takes(move):
                yield move


def _moves_of(
    document: Mapping[str, Any], game: Game, number: int, notes: Mapping[Place, str]
) -> Iterator[Move]:
    seat = game.seats.index(number)
    for round_no, part in enumerate(document["rounds"]):
        for at, entry in enumerate(part["decisions"]):
            if entry["seat"] == seat:
                place = (game.pass_no, game.game_no, round_no, at)
                yield _move(place, entry, notes.get(place))


def _move(place: Place, entry: Mapping[str, Any], note: str | None) -> Move:
    fault = entry["fault"] or {}
    pass_no, game_no, round_no, decision = place
    return Move(
        pass_no=pass_no,
        game_no=game_no,
        round_no=round_no,
        decision=decision,
        seat=entry["seat"],
        kind=entry["kind"],
        choice=entry["choice"],
        by=entry["by"],
        ms=entry["ms"],
        batch=entry["batch"],
        fault=fault.get("kind"),
        sent=fault.get("sent"),
        note=note,
    )


def _notes(
    site: Site, session: Session, match: Match, number: int, games: Collection[Game]
) -> dict[Place, str]:
    """The notes of one seat of the match; the file names seats as they were in each game."""
    blob = results.blob_of(session, match.id, BlobKind.NOTES)
    if blob is None:
        return {}
    own = {(game.pass_no, game.game_no, game.seats.index(number)) for game in games}
    found: dict[Place, str] = {}
    for line in site.store.blobs.lines(blob.sha256):
        entry = json.loads(line)
        pass_no, game_no = int(entry["pass"]), int(entry["game_no"])
        if (pass_no, game_no, entry["seat"]) in own:
            for note in entry["notes"]:
                place = (pass_no, game_no, int(note["round_no"]), int(note["decision"]))
                found[place] = clean(note["text"])[:NOTE_CHARACTERS]
    return found


def _place(fault: Fault) -> Place | None:
    if fault.game_no is None or fault.round_no is None or fault.decision is None:
        return None
    return (fault.pass_no or 0, fault.game_no, fault.round_no, fault.decision)


def _asks(
    site: Site, session: Session, match: Match, number: int, faults: Sequence[Fault]
) -> dict[Place | None, Asked]:
    """The asks behind faults that have a place; a file that cannot be read gives none."""
    places = {place for fault in faults if (place := _place(fault)) is not None}
    blob = results.blob_of(session, match.id, BlobKind.REPLAY)
    if not places or blob is None:
        return {}
    games = results.games(session, match.id)
    found: dict[Place | None, Asked] = {}
    try:
        notes = _notes(site, session, match, number, games)
        for game in games:
            here = {place for place in places if place[:2] == (game.pass_no, game.game_no)}
            if here:
                document = json.loads(site.store.blobs.line(blob.sha256, game.line))
                for asked in asks_at(document, game, here):
                    move = replace(asked.move, note=notes.get(asked.move.place))
                    found[move.place] = replace(asked, move=move)
    except (BlobError, ReplayError):
        # The page of the game says what is wrong with it; the faults stand without their asks.
        return found
    return found


def asks_at(document: Mapping[str, Any], game: Game, places: Collection[Place]) -> Iterator[Asked]:
    """What was asked at these places of a game, found by playing its replay again."""
    replay = read(document)
    steps, state, at = replay.steps(), replay.state, (0, 0)
    while state.pending:
        asked = {}
        for offset, seat in enumerate(sorted(state.pending)):
            place = (game.pass_no, game.game_no, at[0], at[1] + offset)
            if place in places:
                asked[place] = (_plain(state.view(seat)), _plain(state.legal(seat)))
        step = next(steps)
        for place, (view, legal) in asked.items():
            entry = step.decisions[place[3] - step.first]
            yield Asked(move=_move(place, entry, None), view=view, legal=legal)
        same = state.round_no == step.round_no
        at = (state.round_no, step.first + len(step.decisions) if same else 0)


def _cards(cards: Collection[int]) -> str:
    """
    >>> _cards((3, 17))
    '3 17'
    """
    return " ".join(str(card) for card in cards)


def _table_words(view: Mapping[str, Any]) -> str:
    if "piles" in view:
        return "piles: " + ", ".join(
            f"{pile['number']} with {pile['top']}" for pile in view["piles"]
        )
    return "rows: " + " | ".join(_cards(row) for row in view.get("rows", ()))


def _legal_words(legal: object) -> str:
    """
    >>> _legal_words([3, 17])
    '3 17'
    """
    return _cards(legal) if isinstance(legal, list) else json.dumps(legal)


def _plain(value: Any) -> Any:
    """Views and legal choices as JSON has them: records by name, piles by number."""
    if isinstance(value, TurnOptions):
        plays = {str(pile): list(cards) for pile, cards in value.plays.items()}
        return {**value._asdict(), "plays": plays, "takes": list(value.takes)}
    if hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
