"""The people's board: which games count, on whose scale, and who is named."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest

import nimmt
import store as data
from league import people
from league.errors import LeagueRefusal, Malformed
from league.people.opponents import ensure_person
from league.ratings import FEWEST_GAMES
from store import MatchKind, NewMatch, Rating, Store
from store.sittings import NewSeat, NewTable
from tests.factories import add_platform_bots
from tests.store.support import outcome

OPTIONS = dict(nimmt.get("six-nimmt", {"rounds": 4}).options)
NAMES = ("gap", "random", "greedy")
ELO = {"gap": 1650.0, "random": 1350.0, "greedy": 1500.0}


@dataclass
class House:
    """A league with three rated bots, and a way to let people play there."""

    store: Store
    rng: Random = field(default_factory=lambda: Random(1))
    versions: dict[str, int] = field(default_factory=dict)
    scale_id: int = 0

    def person(self, owner_id: int | None = None) -> str:
        with self.store.write() as session:
            return data.sittings.add_person(session, owner_id).id

    def sit(self, person: str, **more: Any) -> int:
        """Open a table for one person and three bots; the person sits in seat 1."""
        with self.store.write() as session:
            versions = list(more.pop("versions", self.versions.values()))
            versions.insert(1, ensure_person(session).id)
            seats = [NewSeat(name=name) for name in NAMES]
            seats.insert(1, NewSeat(name="Guest", for_person=True, person_id=person))
            match = NewMatch(
                kind=MatchKind.PEOPLE,
                rules="six-nimmt",
                options=more.pop("options", OPTIONS),
                versions=tuple(versions),
                boards=1,
                key=self.rng.randbytes(32),
                rated=False,
                in_flight=1,
            )
            table = NewTable(
                match=match,
                seats=tuple(seats),
                creator_id=person,
                address_hash="",
                move_ms=1000,
                **more,
            )
            sitting, _ = data.sittings.open_table(session, table)
            return sitting.match_id

    def first_card(self, match_id: int) -> None:
        with self.store.write() as session:
            data.sittings.add_decisions(session, match_id, [(1, {"seat": 1})])

    def end(self, match_id: int, places: Sequence[int], rounds: int = 4) -> None:
        """The game is played to its end."""
        with self.store.write() as session:
            attempt = data.attempts.claim(session, match_id, "w")
            assert attempt is not None
            made = outcome(games=1)
            game = replace(made.games[0], places=tuple(places), rounds=rounds)
            data.attempts.finish(session, attempt.token, replace(made, games=(game,), blocks=()))
            data.sittings.finish(session, match_id)

    def play(self, person: str, count: int = FEWEST_GAMES, **more: Any) -> None:
        """Whole games, with places as they fall."""
        for _ in range(count):
            match_id = self.sit(person, **more)
            self.first_card(match_id)
            places = [1, 2, 3, 4]
            self.rng.shuffle(places)
            self.end(match_id, places)

    def board(self, own: str | None = None) -> people.PeopleBoard:
        with self.store.read() as session:
            [found] = people.people_boards(session, own)
        return found

    def boards(self, own: str | None = None) -> list[people.PeopleBoard]:
        with self.store.read() as session:
            return people.people_boards(session, own)


@pytest.fixture
def house(store: Store) -> House:
    add_platform_bots(store, NAMES)
    made = House(store)
    with store.write() as session:
        scale = data.scales.add_scale(session, "six-nimmt", OPTIONS, 4)
        made.scale_id = scale.id
        for name in NAMES:
            bot = data.bots.find_bot(session, f"house/{name}")
            assert bot is not None
            version = data.bots.version_of(session, bot.id, 1)
            assert version is not None
            made.versions[name] = version.id
        rows = [
            Rating(
                scale_id=scale.id,
                version_id=made.versions[name],
                live=elo,
                official=elo,
                low=elo - 40,
                high=elo + 40,
                blocks=100,
                games=400,
            )
            for name, elo in ELO.items()
        ]
        data.ratings.save(session, scale.id, rows)
    return made


def test_enough_games_give_a_rating_between_those_of_the_bots(house: House) -> None:
    ann = house.person()
    house.play(ann, FEWEST_GAMES - 1)
    before = house.board(ann)
    assert before.people == ()
    assert before.own is not None
    assert (before.own.games, before.own.games_missing) == (FEWEST_GAMES - 1, 1)
    house.play(ann, 31)
    found = house.board(ann)
    [one] = found.people
    assert one.is_own
    assert one.name is None
    assert one.rating.half is not None
    assert 1300 < one.elo < 1700, "places fell at random"
    assert [row.bot for row in found.bots] == ["house/gap", "house/greedy", "house/random"]
    assert len(found.rows) == 4
    assert [row.elo for row in found.rows] == sorted((row.elo for row in found.rows), reverse=True)


def test_ratings_of_bots_and_standings_stay_as_they_are(house: House) -> None:
    with house.store.read() as session:
        before = [row.model_dump() for row in data.ratings.table(session, house.scale_id)]
    house.play(house.person(), 20)
    house.board()
    with house.store.read() as session:
        after = [row.model_dump() for row in data.ratings.table(session, house.scale_id)]
        assert data.scales.scale(session, house.scale_id).standings is None
        assert list(data.results.blocks(session, house.scale_id, include_unrated=True)) == []
    assert before == after


@pytest.mark.parametrize("why", ["known board", "assisted", "never begun", "still open"])
def test_what_says_nothing_about_skill_does_not_count(house: House, why: str) -> None:
    ann = house.person()
    match_id = house.sit(ann, ratable=why != "known board")
    if why != "never begun":
        house.first_card(match_id)
    if why == "assisted":
        with house.store.write() as session:
            data.locked(session, data.Sitting, match_id).assisted = True
    if why != "still open":
        house.end(match_id, [1, 2, 3, 4])
    assert house.boards(ann) == []


def test_a_game_counts_from_its_first_card_also_when_it_is_left(house: House) -> None:
    ann = house.person()
    house.play(ann, 20)
    stays = house.board(ann).people[0]
    for _ in range(5):
        match_id = house.sit(ann)
        house.first_card(match_id)
        with house.store.write() as session:
            data.sittings.leave(session, match_id, 1)
            data.sittings.close(session, match_id, "everybody left")
    left = house.board(ann).people[0]
    assert left.rating.games == 25
    assert left.elo < stays.elo - 20


def test_a_table_that_the_platform_broke_off_counts_for_nobody(house: House) -> None:
    ann = house.person()
    match_id = house.sit(ann)
    house.first_card(match_id)
    with house.store.write() as session:
        data.sittings.close(session, match_id, "the referee crashed")
    assert house.boards(ann) == []


def test_two_people_at_one_table_may_talk_so_it_does_not_count(house: House) -> None:
    ann, ben = house.person(), house.person()
    match_id = house.sit(ann)
    with house.store.write() as session:
        seat = data.sittings.seats(session, match_id)[2]
        seat.for_person, seat.person_id = True, ben
    house.first_card(match_id)
    house.end(match_id, [1, 2, 3, 4])
    assert house.boards(ann) == []


def test_a_game_without_rated_bots_has_no_ratings(house: House) -> None:
    ann = house.person()
    house.play(ann, options=dict(nimmt.get("six-nimmt", {"rounds": 1}).options))
    found = house.board(ann)
    assert found.scale is None
    assert found.people == ()
    assert found.own is not None
    assert found.own.elo is None


def add_authors_bot(house: House, elo: float) -> tuple[int, int]:
    """A bot of an author: a version with this rating, and a newer one without any."""
    with house.store.write() as session:
        owner = data.accounts.add_owner(session, "ada")
        bot = data.bots.add_bot(session, owner.id, "strong", ["six-nimmt"])
        rated, newer = (data.bots.add_version(session, bot.id, program=["x"]) for _ in range(2))
        row = Rating(
            scale_id=house.scale_id,
            version_id=rated.id,
            live=elo,
            official=elo,
            low=elo - 40,
            high=elo + 40,
            blocks=100,
            games=400,
        )
        data.ratings.save(session, house.scale_id, [row])
        return rated.id, newer.id


@pytest.mark.parametrize("which", [0, 1], ids=["rated version", "newer version"])
def test_nobody_is_rated_by_a_bot_that_somebody_may_have_taught_to_lose(
    house: House, which: int
) -> None:
    """Its author, or a friend of theirs, may be the person at the table, as a guest."""
    weak = add_authors_bot(house, 2400.0)[which]
    ann = house.person()
    table = [house.versions["gap"], house.versions["random"], weak]
    for number in range(20):
        match_id = house.sit(ann, versions=table)
        house.first_card(match_id)
        house.end(match_id, [1, 3, 2, 4] if number % 2 else [2, 1, 3, 4])
    with_it = house.board(ann).people[0].elo
    assert with_it < 1650, "it beat the bot of 2400 every time, and platform bots now and then"
    alone = house.person()
    for _ in range(20):
        match_id = house.sit(alone, versions=[weak, weak, weak])
        house.first_card(match_id)
        house.end(match_id, [2, 1, 3, 4])
    own = house.board(alone).own
    assert own is not None
    assert (own.games, own.elo) == (0, None)


def test_a_name_is_shown_by_consent_and_taken_back(house: House) -> None:
    with house.store.write() as session:
        owner = data.accounts.add_owner(session, "ada")
    ann, account = house.person(), house.person(owner.id)
    house.play(ann, 20)
    with house.store.write() as session:
        people.set_name(session, ann, "  Ann   of the hills ", shown=True)
    [one] = house.board().people
    assert (one.name, one.is_guest, one.is_own) == ("Ann of the hills", True, False)
    with house.store.write() as session:
        people.set_name(session, ann, "Ann", shown=False)
    assert house.board().people[0].name is None
    for taken in ("Ada", "\uff21\uff44\uff41", "\U0001d4d0da"):
        refused = pytest.raises(LeagueRefusal, match="Ada is the name of an account")
        with refused, house.store.write() as session:
            people.set_name(session, ann, taken, shown=True)
    with house.store.write() as session:
        people.set_name(session, account, "Ada", shown=True)
    for wrong in ("", "x" * 31, "a\u202eb"):
        with pytest.raises(Malformed, match="1 to 30"), house.store.write() as session:
            people.set_name(session, ann, wrong, shown=True)


def test_a_name_taken_back_is_gone_from_earlier_tables(house: House) -> None:
    ann = house.person()
    with house.store.write() as session:
        people.set_name(session, ann, "Ann", shown=True)
    match_id = house.sit(ann)
    bots = [{"seat": 0, "name": "gap", "kind": "bot"}, {"seat": 2, "name": "greedy", "kind": "bot"}]
    players = [*bots, {"seat": 1, "name": "Ann", "kind": "person"}]
    with house.store.write() as session:
        data.sittings.seats(session, match_id)[1].name = "Ann"
        frame: data.JsonDict = {"type": "start", "players": players}
        data.sittings.add_frames(session, match_id, [(1, 1, frame), (1, 2, {"type": "ask"})])
    with house.store.write() as session:
        people.set_name(session, ann, "Ann", shown=True)
    assert read_names(house, match_id) == ("Ann", ["gap", "greedy", "Ann"]), "nothing has changed"
    with house.store.write() as session:
        people.set_name(session, ann, "Ann", shown=False)
    assert read_names(house, match_id) == ("Guest", ["gap", "greedy", "Guest"])


def read_names(house: House, match_id: int) -> tuple[str, list[str]]:
    """What others read: beside the replay, and in the first frame of a table."""
    with house.store.read() as session:
        seat = data.sittings.seats(session, match_id)[1]
        [(_, frame), _] = data.sittings.frames(session, match_id, 1)
        players: Any = frame["players"]
        return seat.name, [one["name"] for one in players]
