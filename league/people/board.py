"""The people's board: who plays how well, on the scale of the bots of that game.

Ratings of bots are read and never written: nothing here touches a season or a ladder.
"""

import unicodedata
from dataclasses import dataclass

from sqlmodel import Session

import store
from league.errors import LeagueRefusal, Malformed
from league.people.fits import BoardBot, Fit, fitted
from league.people.opening import GUEST
from league.ratings import PersonRating
from store import JsonDict, Person, Scale

NAME_LENGTH = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPerson:
    """A person with a rating."""

    name: str | None
    """None: this person did not agree to be named."""
    is_guest: bool
    is_own: bool
    """Whether it is who looks."""
    rating: PersonRating
    is_person = True

    @property
    def elo(self) -> float:
        """The rating alone."""
        return self.rating.elo or 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleBoard:
    """One game: its people and its bots, each best first."""

    rules: str
    options: JsonDict
    table_size: int
    scale: Scale | None
    """None: no bot has a rating at this game, so no person can have one."""
    people: tuple[BoardPerson, ...]
    bots: tuple[BoardBot, ...]
    games: int
    own: PersonRating | None
    """Of the person who looks at the board, rated yet or not; None: none of their games counts."""

    @property
    def rows(self) -> list["BoardPerson | BoardBot"]:
        """People and bots together, best first."""
        return sorted((*self.people, *self.bots), key=lambda one: -one.elo)


def people_boards(session: Session, own_id: str | None = None) -> list[PeopleBoard]:
    """A board for every game that people have played, the most played first."""
    fits = fitted(session)
    # Everybody who ever played once is in the fits; a board shows those who have a rating.
    ids = {row.person for fit in fits for row in fit.rated if row.elo is not None}
    # Names are read each time: consent that was taken back counts at once.
    known = store.people_games.people(session, ids)
    made = [_board(fit, known, own_id) for fit in fits]
    return sorted(made, key=lambda board: (board.scale is None, -board.games, board.rules))


def own_rating(
    session: Session, person_id: str | None, rules: str, options: JsonDict, table_size: int
) -> float | None:
    """The rating of a person at one game; None: there is none, or not yet."""
    key = store.scales.scale_key(rules, options, table_size)
    for fit in fitted(session):
        if fit.key == key:
            return next((row.elo for row in fit.rated if row.person == person_id), None)
    return None


def _board(fit: Fit, known: dict[str, Person], own_id: str | None) -> PeopleBoard:
    return PeopleBoard(
        rules=fit.rules,
        options=fit.options,
        table_size=fit.table_size,
        scale=fit.scale,
        people=tuple(
            _person(known[row.person], row, own_id) for row in fit.rated if row.elo is not None
        ),
        bots=fit.bots,
        games=fit.games,
        own=next((row for row in fit.rated if row.person == own_id), None),
    )


def _person(person: Person, rating: PersonRating, own_id: str | None) -> BoardPerson:
    return BoardPerson(
        name=person.name if person.name and person.name_shown else None,
        is_guest=person.owner_id is None,
        is_own=person.id == own_id,
        rating=rating,
    )


def set_name(session: Session, person_id: str, name: str, *, shown: bool) -> Person:
    """How a person is named on pages, and whether at all; it can be taken back at any time."""
    # Letters of other widths and shapes become plain ones, so that no name looks like a handle.
    text = " ".join(unicodedata.normalize("NFKC", name).split())
    if not text.isprintable() or not len(text) <= NAME_LENGTH or (shown and not text):
        raise Malformed(
            f"got {len(text)} characters, expected a name of 1 to {NAME_LENGTH} printable ones"
        )
    person = store.locked(session, Person, person_id)
    owner = store.accounts.owner_by_handle(session, text.lower())
    if owner is not None and owner.id != person.owner_id:
        raise LeagueRefusal(f"{text} is the name of an account here; choose another name")
    if person.name_shown and (not shown or text != person.name):
        # Consent was for the name as it was; earlier tables and their replays show it no longer.
        store.sittings.forget_name(session, person_id, GUEST)
    person.name, person.name_shown = text, shown
    session.flush()
    return person
