"""The fairness report of a season or ladder, from what is stored: questions, and no verdicts."""

import json
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlmodel import Session, col

import store
from league.ratings.blocks import collect
from league.ratings.company import even_design
from league.ratings.fairness import (
    Likeness,
    OwnerLink,
    Presence,
    linked_owners,
    presence,
    same_choices,
)
from league.ratings.inputs import gather
from league.ratings.mixing import (
    LOOKED_AT,
    PairCount,
    count_meetings,
    measure_mixing,
    tables_of,
)
from league.ratings.official import fit
from store import Bot, Match, MatchState, Owner, Season, Store, Version

Pair = TypeVar("Pair", Presence, PairCount)
MOST_MATCHES = 200
"""Duplicate matches whose first choices are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FairnessReport:
    """Everything that may be worth checking; bots by name and version."""

    balance: str
    """The balance of the schedule in words; of a ladder, how well its tables mix."""
    meetings: tuple[PairCount, ...]
    """At how many tables two bots sat together; of a ladder in its latest matches."""
    presence: tuple[Presence, ...]
    """Pairs where one does significantly better against third parties beside the other."""
    presence_pairs: int
    """How many pairs were measurable; 0: tables of two, or too few blocks."""
    alike: tuple[Likeness, ...]
    """Bots that made identical first choices on 50 probes or more."""
    probes: int
    """The most probes two bots share; 0: no match was played in duplicate form."""
    linked: tuple[OwnerLink, ...]

    def to_json(self) -> store.JsonDict:
        """The same for the API."""
        return asdict(self)


def season_fairness(database: Store, season: Season) -> FairnessReport:
    """Look at a season's stored blocks, replays and versions."""
    with database.read() as session:
        scale_id = store.scales.of_season(session, season.id).id
    entered = sa.select(col(store.Entry.bot_id)).where(col(store.Entry.season_id) == season.id)
    balance = str((season.balance or {}).get("words", ""))
    return _report(database, scale_id, entered, balance, None)


def ladder_fairness(database: Store, ladder: store.Ladder) -> FairnessReport:
    """The same for a ladder, which has no schedule but should mix its tables."""
    seated = (
        sa.select(col(store.Seat.bot_id))
        .join(Match, col(Match.id) == col(store.Seat.match_id))
        .where(col(Match.scale_id) == ladder.id)
    )
    with database.read() as session:
        material = gather(session, ladder.id)
    mixing = measure_mixing(tables_of(material.blocks, material.matches))
    return _report(database, ladder.id, seated, "" if mixing is None else mixing.words, LOOKED_AT)


def _report(
    database: Store, scale_id: int, bots: sa.Select[int], balance: str, latest: int | None
) -> FairnessReport:
    """`latest`: who met whom is counted over so many matches at most; None: over all."""
    with database.read() as session:
        material = gather(session, scale_id)
        names = {bot: fact.name for bot, fact in material.facts.items()}
        files = _duplicate_files(session, scale_id)
        prints = _fingerprints(session, bots)
    found: tuple[Presence, ...] = ()
    if material.blocks:
        blocks = collect(material.blocks)
        field = {bot for bot, fact in material.facts.items() if fact.ranked}
        design = even_design(blocks, field)
        found = presence(blocks, fit(blocks, anchors=material.anchors, design=design))
    alike = same_choices(first_choices(database, files)) if files else ()
    identical = tuple(one for one in alike if one.identical)
    tables = tables_of(material.blocks, material.matches)
    met = count_meetings(tables[-latest:] if latest else tables)
    return FairnessReport(
        balance=balance,
        meetings=tuple(_named(one, names) for one in met),
        presence=tuple(_named(one, names) for one in found if one.significant),
        presence_pairs=len(found),
        alike=identical,
        probes=max((one.probes for one in alike), default=0),
        linked=_links(prints, identical),
    )


def _named(one: Pair, names: dict[str, str]) -> Pair:
    """The same with names instead of numbers of versions."""
    bot, beside = names.get(one.bot, one.bot), names.get(one.beside, one.beside)
    return replace(one, bot=bot, beside=beside)


def _duplicate_files(session: Session, scale_id: int) -> dict[str, frozenset[str]]:
    """Replays of duplicate matches, each with the substitutes of its table."""
    query = (
        sa.select(col(store.ReplayBlob.sha256), col(Match.id))
        .join(Match, col(Match.id) == col(store.ReplayBlob.match_id))
        .where(
            col(Match.scale_id) == scale_id,
            col(Match.state) == MatchState.DONE,
            col(Match.passes) > 1,
            col(store.ReplayBlob.attempt) == col(Match.attempts),
            col(store.ReplayBlob.kind) == store.BlobKind.REPLAY,
        )
        .order_by(col(Match.id))
        .limit(MOST_MATCHES)
    )
    found = session.execute(query).all()
    seats = store.match_lists.seated(session, [match_id for _, match_id in found])
    return {
        sha256: frozenset(
            [f"{one.bot} {one.version}" for one in seats[match_id] if one.seat.substitute]
        )
        for sha256, match_id in found
    }


def first_choices(
    database: Store, files: Mapping[str, frozenset[str]]
) -> dict[str, list[Hashable | None]]:
    """The probe set that duplicate matches hold by themselves, without their substitutes.

    On one board and seat every bot of the table sees the same hand and the same rows at its first
    choice, and gets the same seed; nothing has happened yet that could tell them apart.
    """
    answers: dict[tuple[str, int, int], dict[str, Hashable]] = {}
    bots: set[str] = set()
    for file, substitutes in files.items():
        for line in database.blobs.lines(file):
            game = json.loads(line)
            for seat, name, choice in _first_of(game):
                if name in substitutes:
                    continue
                answers.setdefault((file, game["board"], seat), {})[name] = choice
                bots.add(name)
    return {bot: [row.get(bot) for row in answers.values()] for bot in sorted(bots)}


def _first_of(game: dict[str, Any]) -> list[tuple[int, str, str]]:
    """Each seat's first choice, if it was made at the same time as all other first choices."""
    found = []
    seen: set[int] = set()
    for decision in game["rounds"][0]["decisions"]:
        seat = decision["seat"]
        if seat in seen or decision["kind"] != "card":
            break
        seen.add(seat)
        if decision["by"] == "bot":
            player = game["players"][seat]
            name = f"{player['bot']} {player['version']}"
            found.append((seat, name, json.dumps(decision["choice"], sort_keys=True)))
    return found


def _fingerprints(session: Session, bots: sa.Select[int]) -> dict[str, frozenset[str]]:
    """Owner -> the builds it ever had of these bots; platform bots left out."""
    query = (
        sa.select(col(Owner.handle), col(Version.fingerprint))
        .join(Bot, col(Bot.owner_id) == col(Owner.id))
        .join(Version, col(Version.bot_id) == col(Bot.id))
        .where(
            col(Bot.id).in_(bots),
            col(Version.fingerprint).is_not(None),
            col(Bot.is_anchor).is_(False),
        )
    )
    found: dict[str, set[str]] = {}
    for handle, fingerprint in session.execute(query):
        found.setdefault(handle, set()).add(fingerprint)
    return {handle: frozenset(prints) for handle, prints in found.items()}


def _links(
    prints: dict[str, frozenset[str]], identical: tuple[Likeness, ...]
) -> tuple[OwnerLink, ...]:
    marks: dict[str, dict[str, frozenset[str]]] = {
        owner: {"the same build": builds} for owner, builds in prints.items()
    }
    for number, pair in enumerate(identical):
        for bot in (pair.first, pair.second):
            own = marks.setdefault(bot.partition("/")[0], {})
            earlier = own.get("identical choices", frozenset())
            own["identical choices"] = earlier | {str(number)}
    return linked_owners(marks)
