"""The records of the queue of matches: a planned match, its bell, the outcome of a played one."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from api_models.states import MatchKind
from store.blobs import Blob
from store.columns import JsonDict
from store.errors import BadOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMatch:
    """What has to be known to plan a match."""

    kind: MatchKind
    rules: str
    options: JsonDict
    """Written out in full."""
    versions: tuple[int, ...]
    """The table: ids of versions, by their seat in the first game."""
    boards: int
    key: bytes = field(repr=False)
    """32 secret random bytes."""
    passes: int = 1
    time: JsonDict = field(default_factory=dict)
    season_id: int | None = None
    scale_id: int | None = None
    gate_id: int | None = None
    round_no: int | None = None
    rated: bool = True
    in_flight: int | None = None
    max_faults: int = 3
    queue: str | None = None
    """None: the queue of its kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorbell:
    """What the broker is told: wake a worker of this queue for this match."""

    match_id: int
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """One game; lists go by the seat in that game."""

    pass_no: int
    game_no: int
    board: int
    seats: tuple[int, ...]
    """Entry s: the number of the match's seat (table order) whose bot sat at seat s."""
    points: tuple[int, ...]
    places: tuple[int, ...]
    rounds: int = 1
    out: tuple[int, ...] = ()
    line: int | None = None
    """Its line in the replay blob; None: the position in `MatchOutcome.games`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockGame:
    """One game of a block; lists go by the order of the table, not by the seats of the game."""

    places: tuple[int, ...]
    points: tuple[int, ...]
    """As played."""
    out: tuple[bool, ...] = ()
    """Who was out; empty: no bot."""
    rounds: int = 1

    def among(self, kept: Sequence[int]) -> "BlockGame":
        """The same game as it went among some of the table; places are counted among them.

        >>> BlockGame(places=(2, 1, 3), points=(5, 0, 9)).among([0, 2]).places
        (1, 2)
        """
        return BlockGame(
            places=tuple(
                1 + sum(self.places[other] < self.places[one] for other in kept) for one in kept
            ),
            points=tuple(self.points[one] for one in kept),
            out=tuple(self.out[one] for one in kept) if self.out else (),
            rounds=self.rounds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockResult:
    """One block: its number in the match, from 0, and its games."""

    number: int
    games: tuple[BlockGame, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRecord:
    """One fault; `seat` is in table order."""

    seat: int
    kind: str
    cause: str
    pass_no: int | None = None
    game_no: int | None = None
    round_no: int | None = None
    decision: int | None = None
    detail: JsonDict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStats:
    """The sums of one bot over the match; `seat` is in table order."""

    seat: int
    games: int
    rounds: int
    points: float
    places: float
    wins: float
    faults: int = 0
    out_games: int = 0
    decisions: int = 0
    think_ms: float = 0.0
    stats: JsonDict = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOutcome:
    """All that one attempt delivers; stored in one transaction or not at all."""

    games: tuple[GameResult, ...]
    blocks: tuple[BlockResult, ...]
    seats: tuple[SeatStats, ...]
    faults: tuple[FaultRecord, ...] = ()
    replay: Blob | None = None
    notes: Blob | None = None
    seconds: float | None = None
    runner: str | None = None
    evidence: JsonDict | None = None
    """What is known of the host while it was played."""

    def check(self, table_size: int) -> None:
        """Refuse what cannot be the outcome of a match at a table of this size."""
        everyone = list(range(table_size))
        for game in self.games:
            where = f"game {game.game_no} of pass {game.pass_no}"
            _expect(sorted(game.seats) == everyone, where, "seats", game.seats, table_size)
            _expect(len(game.points) == table_size, where, "points", game.points, table_size)
            _expect(len(game.places) == table_size, where, "places", game.places, table_size)
        for block in self.blocks:
            where = f"block {block.number}"
            _expect(bool(block.games), where, "games", block.games, table_size)
            for row in (row for game in block.games for row in (game.places, game.points)):
                _expect(len(row) == table_size, where, "lists", row, table_size)
        numbers = [seat.seat for seat in self.seats]
        _expect(sorted(numbers) == everyone, "seats", "numbers", numbers, table_size)
        for fault in self.faults:
            _expect(fault.seat in everyone, "faults", "seat", fault.seat, table_size)
        lines = len({(game.pass_no, game.game_no) for game in self.games})
        if lines != len(self.games):
            raise BadOutcome("got one game twice, expected each (pass, game) once")
        if self.replay is not None and self.replay.lines != len(self.games):
            raise BadOutcome(
                f"got {self.replay.lines} replays for {len(self.games)} games, expected one each"
            )


def _expect(holds: bool, where: str, what: str, got: object, table_size: int) -> None:
    if not holds:
        raise BadOutcome(f"{where}: got {what} {got!r}, expected them for {table_size} seats")
