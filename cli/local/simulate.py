"""`bullring simulate`: games between simple players in this process, without gRPC or clocks."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.local.match_options import ReplaysOption
from cli.local.write import make_folder
from cli.options import OptionOption, RulesArgument, get_rules, refuse
from cli.terminal import cell, console, say


class Tally:
    """Sums over the games, by bot: enough for means, win shares and places."""

    def __init__(self, bots: list[str]) -> None:
        self.bots = bots
        self.games = 0
        self.rounds = 0
        self.points = [0] * len(bots)
        self.squares = [0] * len(bots)
        self.wins = [0.0] * len(bots)
        self.places = [[0] * len(bots) for _ in bots]

    def add(self, seats: tuple[int, ...], points: tuple[int, ...], places: tuple[int, ...]) -> None:
        self.games += 1
        winners = places.count(1)
        for seat, bot in enumerate(seats):
            self.points[bot] += points[seat]
            self.squares[bot] += points[seat] ** 2
            self.wins[bot] += (places[seat] == 1) / winners
            self.places[bot][places[seat] - 1] += 1

    def rows(self) -> list[dict[str, Any]]:
        games = self.games
        return [
            {
                "bot": bot,
                "seat_at_board_0": index,
                "points_per_game": self.points[index] / games,
                "standard_error": self._error(index),
                "win_share": self.wins[index] / games,
                "mean_place": sum(
                    place * count for place, count in enumerate(self.places[index], 1)
                )
                / games,
                "places": self.places[index],
            }
            for index, bot in enumerate(self.bots)
        ]

    def _error(self, index: int) -> float | None:
        if self.games < 2:
            return None
        mean = self.points[index] / self.games
        variance = (self.squares[index] - self.games * mean**2) / (self.games - 1)
        return math.sqrt(max(0.0, variance) / self.games)


def _bots(players: int | None, given: str) -> list[str]:
    from nimmt.simple import SIMPLE

    bots = [name.strip() for name in given.split(",") if name.strip()]
    for name in bots:
        if name not in SIMPLE:
            refuse(f"there is no simple bot {name!r}; known are {', '.join(SIMPLE)}")
    if players is None:
        players = max(2, len(bots))
    if not bots or len(bots) > players:
        refuse(
            f"got {len(bots)} bots for {players} players, expected 1 to {players} bots; change"
            " --bots or --players"
        )
    # A shorter list is filled up with its last bot: `--bots greedy,random --players 5`.
    return bots + [bots[-1]] * (players - len(bots))


def simulate(
    rules: RulesArgument,
    players: Annotated[
        int | None,
        typer.Option("--players", "-n", help="Players, 2 to 10. Default: as many as bots."),
    ] = None,
    bots: Annotated[
        str,
        typer.Option(
            help="Simple bots, separated by commas: random, house, highest, greedy, taker, "
            "hoarder. The last one fills the free seats."
        ),
    ] = "random",
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="How many games.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same games, anywhere.")] = 1,
    option: OptionOption = None,
    replays: ReplaysOption = None,
    pure: Annotated[
        bool,
        typer.Option("--pure", help="Use the reference engine in Python; same result, slower."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Play games between simple bots in this process, and show how they did.

    For example: bullring simulate six-nimmt --bots highest,random,random,random --games 1000
    """
    import nimmt
    from cli.progress import progress

    names = _bots(players, bots)
    chosen = get_rules(rules, option, len(names))
    key = nimmt.key_from_seed(seed)
    tally = Tally(names)
    if replays is not None:
        make_folder("--replays", replays)
    with progress("games", games, quiet=as_json) as advance:
        if replays is None:
            played = _count(chosen, names, key, games, pure, tally)
        else:
            # A replay is a record of the reference engine.
            played = _play(chosen, names, key, games, replays, tally)
        for _ in played:
            advance(1)
    if as_json:
        about = {"rules": chosen.name, "options": dict(chosen.options), "seed": seed}
        say(json.dumps({**about, "games": games, "rounds": tally.rounds, "bots": tally.rows()}))
    else:
        _print(chosen.title, tally, replays)


def _count(
    rules: Any, names: list[str], key: bytes, games: int, pure: bool, tally: Tally
) -> Iterator[None]:
    """The scores alone, on the compiled core where there is one."""
    from nimmt.core import play_many
    from nimmt.game import places_of

    for score in play_many(rules, names, range(games), key=key, pure=pure or None):
        tally.add(score.seats, score.points, places_of(score.points))
        tally.rounds += score.rounds
        yield


def _play(
    rules: Any, names: list[str], key: bytes, games: int, replays: Path, tally: Tally
) -> Iterator[None]:
    """The same games, each written down as a replay."""
    from nimmt.simulate import play_game

    for board in range(games):
        game = play_game(rules, names, key, board)
        tally.add(game.seats, *game.result)
        tally.rounds += game.rounds
        path = replays / f"{rules.name}-{len(names)}p-{board:05d}.json"
        path.write_text(json.dumps(game.document(names, key, board)) + "\n", encoding="utf-8")
        yield


def _print(title: str, tally: Tally, replays: Path | None) -> None:
    from rich.table import Table

    table = Table(
        title=f"{title}, {len(tally.bots)} players, {tally.games} games, {tally.rounds} rounds"
    )
    for name in ("bot", "points a game", "± 95 %", "win share", "mean place", "places 1, 2, …"):
        table.add_column(name, justify="left" if name == "bot" else "right")
    for row in tally.rows():
        error = row["standard_error"]
        table.add_row(
            cell(row["bot"]),
            f"{row['points_per_game']:.2f}",
            "–" if error is None else f"{1.96 * error:.2f}",
            f"{100 * row['win_share']:.1f} %",
            f"{row['mean_place']:.2f}",
            " ".join(map(str, row["places"])),
        )
    console().print(table)
    if replays is not None:
        say(f"Replays: {replays}")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(simulate)
