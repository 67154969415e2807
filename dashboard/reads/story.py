"""What a table of standings says in sentences: who leads, who is tied, who won, what surprised.

Everything is made from published facts; nothing is said that the numbers do not say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from league.ratings import Row, Table
from store import Match, MatchState, Seat

UPSET_MATCHES = 500
"""The last matches of a season that are searched for upsets."""
VERY_LIKELY = 0.9
"""From this chance of being the best on, nobody would call the first tied with others, although
they share a letter: letters allow for every pair and for every look at the table."""
SURPRISING = 50.0
"""Rating points between a favourite and a winner that make a win worth telling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upset:
    """A match that was won by a bot far below the favourite of its table."""

    match_id: int
    winner: str
    favourite: str
    gap: float
    """Rating points between the two."""


def short_name(bot: str) -> str:
    """The name of a bot without its owner's.

    >>> short_name("ada/gap")
    'gap'
    """
    return bot.rpartition("/")[2]


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def level_with_first(table: Table) -> list[Row]:
    """The first of a table and all bots that cannot be told apart from it."""
    first, *others = table.rows
    return [first, *(row for row in others if set(row.group) & set(first.group))]


def is_decided(table: Table) -> bool:
    """Whether the first of a table is apart from every other bot."""
    return bool(
        table.rows and table.rows[0].official_half is not None and len(level_with_first(table)) == 1
    )


def is_tied(table: Table) -> bool:
    """Whether nobody would name the best of a table: several may be it, none very likely."""
    if not table.rows or table.rows[0].official_half is None:
        return False
    return len(level_with_first(table)) > 1 and (table.rows[0].best or 0.0) < VERY_LIKELY


def verdict(table: Table, *, over: bool) -> str:
    """Who leads or has won, in one sentence that claims no more than the standings do."""
    if not table.rows:
        return ""
    level = level_with_first(table)
    names = [short_name(row.bot) for row in level]
    best = level[0].best
    if level[0].official_half is None:
        return f"{names[0]} is first, but there are too few games to tell the bots apart."
    if len(level) == 1:
        claim = "wins the season" if over else "leads"
        return f"{names[0]} {claim}, clearly ahead of {_rest(table)}."
    if best is not None and not is_tied(table):
        others = listed(names[1:]) if len(names) < 4 else f"{len(names) - 1} others"
        return (
            f"{names[0]} is very likely the best ({_chance(best)}),"
            f" but not clearly ahead of {others}."
        )
    chance = "" if best is None else f"{_chance(best)} that {names[0]} is the best"
    tied = f"{listed(names)} are tied" if len(names) < 4 else f"{len(names)} bots are tied"
    return f"{tied} for first place{f'; {chance}' if chance else ''}."


def _chance(share: float) -> str:
    """A chance that is estimated, so never called certain.

    >>> _chance(0.784), _chance(1.0)
    ('78 %', 'over 99 %')
    """
    return "over 99 %" if share > 0.99 else f"{100 * share:.0f} %"


def _rest(table: Table) -> str:
    return short_name(table.rows[1].bot) if len(table.rows) == 2 else "all others"


def recap(table: Table, done: int) -> list[str]:
    """What happened in a season, in a few sentences."""
    rows = table.rows
    said = [
        f"{len(rows)} bots played {done:,} matches and {table.games:,} games.".replace(",", "\xa0")
    ]
    if len(rows) > 1:
        gap = rows[0].official - rows[-1].official
        said.append(f"{gap:.0f} rating points lie between first and last place.")
        winner = max(rows, key=lambda row: row.win_share)
        if winner is not rows[0]:
            said.append(
                f"{short_name(winner.bot)} won the largest share of games"
                f" ({100 * winner.win_share:.0f} %), yet {short_name(rows[0].bot)} is placed first:"
                " ratings count every place, not wins alone."
            )
    faulty = [row for row in rows if row.fault_count]
    if not faulty:
        said.append("No bot made a fault.")
    else:
        worst = max(faulty, key=lambda row: row.fault_count)
        count = sum(row.fault_count for row in faulty)
        most = "all by" if len(faulty) == 1 else f"{worst.fault_count} of them by"
        said.append(
            f"{count} {'fault' if count == 1 else 'faults'}, {most} {short_name(worst.bot)}."
        )
    return said


def upsets(
    session: Session, season_id: int, table: Table, names: Mapping[int, str], *, limit: int = 3
) -> list[Upset]:
    """The greatest surprises among the last matches of a season, by its ratings as they are now.

    `names` are the full names by the id of a bot.
    """
    return UpsetSearch(table, names).find(session, season_id, limit=limit)


class UpsetSearch:
    """Finds upsets by one table; of a match that it has seen it needs nothing more.

    It holds while the table, the names, and results that were there already stay the same.
    """

    def __init__(self, table: Table, names: Mapping[int, str]) -> None:
        self.official = {
            row.bot: row.official for row in table.rows if row.official_half is not None
        }
        self.names = names
        self._known: Mapping[int, Upset | None] = {}

    def find(self, session: Session, season_id: int, *, limit: int = 3) -> list[Upset]:
        """The greatest surprises among the last matches that are done now."""
        last = (
            select(Match.id)
            .where(
                Match.season_id == season_id,
                Match.state == MatchState.DONE,
                col(Match.rated).is_(True),
            )
            .order_by(col(Match.id).desc())
            .limit(UPSET_MATCHES)
        )
        ids = list(session.exec(last))
        before = self._known
        read = self._read(session, [one for one in ids if one not in before])
        seen = {one: before[one] if one in before else read[one][0] for one in ids}
        # A match without results yet is looked at again. Replaced whole: others may be reading.
        self._known = {one: seen[one] for one in ids if one in before or read[one][1]}
        found = [one for one in seen.values() if one]
        return sorted(found, key=lambda one: (-one.gap, one.match_id))[:limit]

    def _read(
        self, session: Session, ids: Sequence[int]
    ) -> Mapping[int, tuple[Upset | None, bool]]:
        """What these matches are, and whether all their seats have results."""
        query = sa.select(
            col(Seat.match_id), col(Seat.bot_id), col(Seat.places), col(Seat.games)
        ).where(col(Seat.match_id).in_(ids))
        tables: dict[int, list[tuple[float, str]]] = {one: [] for one in ids}
        whole = dict.fromkeys(ids, True)
        for match_id, bot_id, places, games in session.execute(query):
            if not games:
                whole[match_id] = False
            elif bot_id in self.names:
                tables[match_id].append((places, self.names[bot_id]))
        return {one: (_upset(one, tables[one], self.official), whole[one]) for one in ids}


def _upset(
    match_id: int, seats: list[tuple[float, str]], official: Mapping[str, float]
) -> Upset | None:
    known = [(places, bot) for places, bot in seats if bot in official]
    if len(known) < 2:
        return None
    best = min(places for places, _ in known)
    winners = [bot for places, bot in known if places == best]
    favourite = max((bot for _, bot in known), key=lambda bot: official[bot])
    gap = official[favourite] - official[winners[0]]
    if len(winners) > 1 or gap < SURPRISING:
        return None
    return Upset(match_id=match_id, winner=winners[0], favourite=favourite, gap=gap)
