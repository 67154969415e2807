"""One match of an archive: its replays, played again, against its results and its pages."""

from pathlib import Path

from dashboard.archive.data import SeasonData, replay_file
from dashboard.archive.findings import Findings, compare
from dashboard.archive.site import match_files
from league.matches import match_name
from league.seasons import Facts
from nimmt.errors import ReplayError
from nimmt.verify import verify as verify_replay


def check_match(
    data: SeasonData, match: Facts, folder: Path, found: Findings, *, same_look: bool
) -> set[str]:
    """One match with its games; returns the names of the files that belong to it."""
    number = match["match"]
    games = data.games.get(number, [])
    if match["state"] != "done":
        if games:
            found.say(f"match {number} is {match['state']}, but has games")
        replays: list[Facts] = []
        known = set()
    else:
        replays = data.replays(number)
        found.matches += 1
        _check_sums(match, games, found)
        if len(replays) != len(games) or len(games) != match["boards"] * match["passes"]:
            expected = match["boards"] * match["passes"]
            found.say(
                f"match {number} has {len(games)} games and {len(replays)} replays,"
                f" expected {expected} of each"
            )
        for game, document in zip(games, replays, strict=False):
            _check_game(match, game, document, found)
        known = compare(folder, iter([replay_file(number, replays)]), found)
    if same_look:
        known |= compare(folder, match_files(data, match, replays), found)
    return known


def _check_sums(match: Facts, games: list[Facts], found: Findings) -> None:
    for seat in match["table"]:
        mine = [
            (game, at)
            for game in games
            for at, bot in enumerate(zip(game["bots"], game["versions"], strict=True))
            if bot == (seat["bot"], seat["version"])
        ]
        sums = [len(mine)] + [sum(game[of][at] for game, at in mine) for of in ("points", "places")]
        if sums != [seat["games"], seat["points"], seat["places"]]:
            found.say(
                f"match {match['match']}: the sums of {seat['bot']} are not those of the games"
            )


def _check_game(match: Facts, game: Facts, document: Facts, found: Findings) -> None:
    """One replay by itself, as part of its match, and as the source of one line of results."""
    where = f"match {match['match']}, game {game['game_no']} of pass {game['pass_no']}"
    try:
        replay = verify_replay(document)
    except ReplayError as error:
        found.say(f"{where}: {error}")
        return
    found.games += 1
    players = document["players"]
    recorded = {
        "match": document["match"],
        "attempt": document["attempt"],
        "key": document["key"],
        "commitment": document["commitment"],
        "rules": document["rules"],
        "options": document["options"],
        "pass": document["pass"],
        "game": document["game_no"],
        "board": document["board"],
        "bots": [player["bot"] for player in players],
        "versions": [player["version"] for player in players],
        "points": document["result"]["points"],
        "places": document["result"]["places"],
        "out": [player["out"] is not None for player in players],
        "rounds": len(replay.document["rounds"]),
    }
    listed = {
        "match": match_name(match["match"]),
        **{name: match[name] for name in ("attempt", "key", "commitment", "rules", "options")},
        "pass": game["pass_no"],
        "game": game["game_no"],
        **{name: game[name] for name in ("board", "bots", "versions", "points", "places", "out")},
        "rounds": game["rounds"],
    }
    for name, value in listed.items():
        if recorded[name] != value:
            found.say(f"{where}: the replay has {name} {recorded[name]}, the results have {value}")
            return
