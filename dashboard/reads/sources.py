"""The game whose board a table plays again, for those who may see it."""

from dataclasses import dataclass

from sqlmodel import Session

from dashboard.http import Refused, Viewer
from dashboard.reads.access import visible_match
from dashboard.reads.tables import SeatedTable
from dashboard.render import game_url
from store import Match, MatchKind, Person, Sitting, sittings


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceGame:
    """Where a board was played before."""

    match_id: int
    pass_no: int
    game_no: int
    title: str
    href: str
    """Its replay."""
    names: tuple[str, ...] | None
    """What those who sat there are called; None: as the replay says."""


def source_game(
    session: Session, viewer: Viewer, person: Person | None, table: SeatedTable
) -> SourceGame:
    """The game whose board this table has; refused when there is none that this reader may see."""
    source = table.sitting.source
    if source is None:
        raise Refused(404, "this table had a fresh board, so there is no other game of it")
    match_id, pass_no, game_no = (int(str(source[key])) for key in ("match", "pass", "game_no"))
    match = session.get(Match, match_id)
    if match is not None and match.kind is MatchKind.PEOPLE:
        return _at_a_table(session, person, match_id)
    visible_match(session, viewer, match_id)
    return SourceGame(
        match_id=match_id,
        pass_no=pass_no,
        game_no=game_no,
        title=f"match {match_id}, game {game_no + 1}",
        href=game_url(match_id, pass_no, game_no),
        names=None,
    )


def _at_a_table(session: Session, person: Person | None, match_id: int) -> SourceGame:
    sitting = session.get(Sitting, match_id)
    seats = sittings.seats(session, match_id)
    sat_there = person is not None and any(one.person_id == person.id for one in seats)
    if sitting is None or not (sitting.shared or sat_there):
        raise Refused(403, "the game before is private to those who sat at its table")
    return SourceGame(
        match_id=match_id,
        pass_no=0,
        game_no=0,
        title="the game before",
        href=f"/play/{sitting.code}/replay",
        names=tuple(one.name for one in seats),
    )


def has_source(session: Session, viewer: Viewer, person: Person | None, table: SeatedTable) -> bool:
    """Whether this reader can see the game whose board this table has."""
    try:
        source_game(session, viewer, person, table)
    except Refused:
        return False
    return True
