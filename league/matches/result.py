"""From the referee's result to what the store keeps of a match.

Pure: no database, no clock.
"""

from collections.abc import Sequence

import store
from referee.result import BotRecord, GameRecord, MatchResult
from referee.result import FaultRecord as RefereeFault
from store import BlockGame, BlockResult, FaultRecord, GameResult, MatchOutcome, SeatStats


def outcome_of(
    result: MatchResult,
    bots: int,
    passes: int,
    *,
    runner: str,
    replay: store.Blob,
    notes: store.Blob | None,
) -> MatchOutcome:
    """What is stored of a complete match; its replays are written already, in this order."""
    return MatchOutcome(
        games=tuple(_game(game) for game in result.games),
        blocks=blocks_of(result.games, bots, duplicated=passes > 1),
        seats=tuple(_seat(result, bot) for bot in range(bots)),
        faults=tuple(_fault(fault) for bot in result.bots for fault in bot.faults),
        replay=replay,
        notes=notes,
        seconds=result.wall_s,
        runner=runner,
        evidence={"host": host_of(result)},
    )


def host_of(result: MatchResult) -> store.JsonDict:
    """What the host took and what was given back, or why nobody can say."""
    return {
        "measured": result.not_measured is None,
        "reason": result.not_measured,
        "given_ms": result.given_ms,
        "held_s": result.held_s,
    }


def _game(game: GameRecord) -> GameResult:
    return GameResult(
        pass_no=game.pass_no,
        game_no=game.game_no,
        board=game.board,
        seats=game.seats,
        points=game.points,
        places=game.places,
        rounds=game.rounds,
        out=tuple(seat for seat, out in enumerate(game.out) if out),
    )


def blocks_of(
    games: Sequence[GameRecord], bots: int, *, duplicated: bool
) -> tuple[BlockResult, ...]:
    """Games in which every bot had every seat: one board in all passes, or k games in a row.

    Games left over at the end belong to no block: a block with a seat missing would be unfair.
    """
    groups: dict[int, list[GameRecord]] = {}
    for game in games:
        number = game.board if duplicated else game.game_no // bots
        groups.setdefault(number, []).append(game)
    whole = [group for _, group in sorted(groups.items()) if len(group) == bots]
    return tuple(
        BlockResult(number=number, games=tuple(_by_table(game) for game in group))
        for number, group in enumerate(whole)
    )


def _by_table(game: GameRecord) -> BlockGame:
    seat_of = {bot: seat for seat, bot in enumerate(game.seats)}
    order = [seat_of[bot] for bot in range(len(game.seats))]
    return BlockGame(
        places=tuple(game.places[seat] for seat in order),
        points=tuple(game.points[seat] for seat in order),
        out=tuple(game.out[seat] for seat in order) if any(game.out) else (),
        rounds=game.rounds,
    )


def _seat(result: MatchResult, bot: int) -> SeatStats:
    played = [(game, game.seats.index(bot)) for game in result.games]
    record = result.bots[bot]
    return SeatStats(
        seat=bot,
        games=len(played),
        rounds=sum(game.rounds for game, _ in played),
        points=float(sum(game.points[seat] for game, seat in played)),
        places=float(sum(game.places[seat] for game, seat in played)),
        wins=sum((game.places[seat] == 1) / game.places.count(1) for game, seat in played),
        faults=len(record.faults),
        out_games=sum(game.out[seat] for game, seat in played),
        decisions=record.asks,
        think_ms=1000 * record.think_s,
        stats=_stats(record),
    )


def _stats(record: BotRecord) -> store.JsonDict:
    return {
        "median_ms": record.median_ms,
        "worst_ms": record.worst_ms,
        "timeouts": record.timeouts,
        "cpu_s": record.cpu_s,
        "memory_peak": record.memory_peak,
        "log": record.log,
    }


def _fault(fault: RefereeFault) -> FaultRecord:
    return FaultRecord(
        seat=fault.bot,
        kind=fault.kind.value,
        cause=fault.cause,
        pass_no=fault.pass_no,
        game_no=fault.game_no,
        round_no=fault.round_no,
        decision=fault.decision,
        detail={"out": fault.out},
    )
