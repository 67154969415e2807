"""A finished season as plain facts that JSON can hold, and its table made from them again.

What is written here is all that the table rests on; private things (logs, notes) stay out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

import store
from league.audit import Action
from league.errors import LeagueRefusal
from league.matches import blocks_of
from league.ratings import Block, BlockGame, BotFacts, Lineage, Material, gather, table_to_json
from league.seasons.again import Replaced, replaced_keys
from league.seasons.steps import SEASON_STEPS
from referee.result import GameRecord
from store import AuditEntry, Match, MatchState, Season, SeasonState

Facts = dict[str, Any]
_SEASON = (
    "name",
    "title",
    "about",
    "rules",
    "options",
    "table_size",
    "boards",
    "passes",
    "time",
    "max_faults",
    "commitment",
    "balance",
)
_DATES = ("frozen_at", "started_at", "finished_at")
_SUMS = ("games", "rounds", "points", "places", "wins", "faults", "out_games", "decisions")
_MATCH = ("rules", "options", "boards", "passes", "rated", "rated_why", "runner", "commitment")


def check_season_over(season: Season) -> None:
    """Only what cannot change any more is kept."""
    if season.state.is_final:
        return
    ends = (one for one in SEASON_STEPS if one.to is SeasonState.FINISHED)
    end = next((one for one in ends if season.state in one.at), None)
    command = "delete" if end is None else f"{end.name}{' --early' if end.early else ''}"
    raise LeagueRefusal(
        f"season {season.name!r} is {season.state}; only a finished one is archived. Wait for"
        f" its end, or end it: bullring season {command} {season.name}"
    )


def season_facts(session: Session, season: Season) -> Facts:
    """The season, its entries, and of every version what the table says beside its results."""
    material = gather(session, store.scales.of_season(session, season.id).id)
    names = store.bots.full_names(session, [e.bot_id for e in _entries(session, season)])
    return {
        **{name: getattr(season, name) for name in _SEASON},
        "budget": season.told_budget,
        **{name: _moment(getattr(season, name)) for name in _DATES},
        **_promises(session, season),
        "entries": [
            {
                "bot": names[entry.bot_id],
                "state": entry.state.value,
                "reason": entry.reason,
                "is_anchor": entry.is_anchor,
                "version_id": entry.version_id,
            }
            for entry in _entries(session, season)
        ],
        "versions": [asdict(fact) for _, fact in sorted(material.facts.items(), key=_by_id)],
        "anchors": dict(sorted(material.anchors.items())),
    }


def _entries(session: Session, season: Season) -> list[store.Entry]:
    return store.seasons.entries(session, season.id)


def _by_id(item: tuple[str, BotFacts]) -> int:
    return int(item[0])


def _promises(session: Session, season: Season) -> Facts:
    """How many matches the commitment of the freeze covers, and what was promised after it."""
    query = (
        sa.select(AuditEntry)
        .where(
            col(AuditEntry.subject) == "season",
            col(AuditEntry.subject_id) == season.id,
            col(AuditEntry.action).in_((Action.SEASON_FREEZE, Action.SEASON_EXTEND)),
        )
        .order_by(col(AuditEntry.id))
    )
    committed, later = 0, []
    for entry in session.scalars(query):
        if entry.action == Action.SEASON_FREEZE:
            committed = int(str(entry.detail["matches"]))
        else:
            later.append({"at": _moment(entry.at), "commitments": entry.detail["commitments"]})
    return {"committed_matches": committed, "later_commitments": later}


def match_facts(session: Session, season_id: int) -> list[Facts]:
    """Every match of a season in the order of creation, with table, faults and, once it is
    done, its key."""
    query = sa.select(Match).where(col(Match.season_id) == season_id).order_by(col(Match.id))
    rows = list(session.scalars(query))
    seats: dict[int, list[store.match_lists.Seated]] = {}
    for at in range(0, len(rows), 500):
        seats |= store.match_lists.seated(session, [row.id for row in rows[at : at + 500]])
    faults = _faults(session, season_id)
    before = replaced_keys(session, [row.id for row in rows])
    return [
        _match(row, seats[row.id], faults.get(row.id, []), before.get(row.id, [])) for row in rows
    ]


def _match(
    row: Match,
    seats: list[store.match_lists.Seated],
    faults: list[Facts],
    before: list[Replaced],
) -> Facts:
    done = row.state is MatchState.DONE
    return {
        "match": row.id,
        "round": row.round_no,
        "state": row.state.value,
        "attempt": row.attempts if done else None,
        **{name: getattr(row, name) for name in _MATCH},
        "key": store.matches.public_key(row),
        "replaced": [
            {name: getattr(one, name) for name in ("attempt", "key", "commitment", "reason")}
            for one in before
        ],
        "finished_at": _moment(row.finished_at),
        "seconds": row.seconds,
        "table": [
            {
                "seat": one.number,
                "bot": one.bot,
                "version": one.version,
                "version_id": one.version_id,
                "is_anchor": one.is_anchor,
                "substitute": one.seat.substitute,
                **{name: getattr(one.seat, name) for name in _SUMS},
            }
            for one in seats
        ],
        "faults": faults if done else [],
    }


def _faults(session: Session, season_id: int) -> dict[int, list[Facts]]:
    query = (
        sa.select(store.Fault)
        .join(Match, col(Match.id) == col(store.Fault.match_id))
        .where(col(Match.season_id) == season_id, col(store.Fault.attempt) == col(Match.attempts))
        .order_by(col(store.Fault.id))
    )
    names = ("seat", "kind", "cause", "pass_no", "game_no", "round_no", "decision")
    found: dict[int, list[Facts]] = {}
    for fault in session.scalars(query):
        facts = {name: getattr(fault, name) for name in names}
        found.setdefault(fault.match_id, []).append(facts)
    return found


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


def table_of(
    season: Mapping[str, Any],
    matches: Iterable[Mapping[str, Any]],
    games: Mapping[int, list[Facts]],
) -> Facts | None:
    """The standings, computed from the facts alone; None where no bot has a place."""
    blocks: list[Block] = []
    played_in: dict[int, int] = {}
    for match in matches:
        if match["state"] != MatchState.DONE.value or not match["rated"]:
            continue
        made = _match_blocks(match, games.get(match["match"], []), len(blocks))
        played_in |= {block.order: match["match"] for block in made}
        blocks += made
    ranked = {entry["version_id"] for entry in season["entries"] if not entry["is_anchor"]}
    played = {bot for block in blocks for bot in block.table}
    material = Material(
        blocks=blocks,
        facts={one["bot"]: BotFacts(**one) for one in season["versions"] if one["bot"] in played},
        anchors={bot: at for bot, at in season["anchors"].items() if bot in played},
        line=Lineage(ranked=frozenset(ranked - {None}), successors={}, pooled={}),
        matches=played_in,
    )
    return table_to_json(material.table(), material.facts) if material.has_table else None


def _match_blocks(match: Mapping[str, Any], games: list[Facts], first: int) -> list[Block]:
    table = tuple(str(seat["version_id"]) for seat in match["table"])
    number = {(seat["bot"], seat["version"]): seat["seat"] for seat in match["table"]}
    records = [
        GameRecord(
            pass_no=game["pass_no"],
            game_no=game["game_no"],
            board=game["board"],
            seats=tuple(map(number.__getitem__, zip(game["bots"], game["versions"], strict=True))),
            points=tuple(game["points"]),
            places=tuple(game["places"]),
            out=tuple(game["out"]),
            rounds=game["rounds"],
        )
        for game in games
    ]
    made = blocks_of(records, len(table), duplicated=match["passes"] > 1)
    # Archives from before there were substitutes do not name them.
    kept = [at for at, seat in enumerate(match["table"]) if not seat.get("substitute", False)]
    if len(kept) < store.results.FEWEST_COUNTING:
        return []
    return [
        Block(
            order=first + at,
            table=tuple(table[one] for one in kept),
            games=tuple(
                BlockGame(places=one.places, points=one.points, out=one.out, rounds=one.rounds)
                for one in (game.among(kept) for game in block.games)
            ),
        )
        for at, block in enumerate(made)
    ]
