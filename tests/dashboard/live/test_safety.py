"""A match while it is played: no route, for no role, tells a key, a hand or a deal."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

import nimmt
from dashboard.services import NoServices
from dashboard.settings import Settings
from league.live import Broadcast, Item
from league.matches import TableBot
from league.matches.plan import plan_of
from nimmt import KeyedBoard
from store import Match, Store, match_lists, present
from tests.dashboard.conftest import api_token
from tests.dashboard.http.test_routes import ROLES
from tests.dashboard.seed import Seeded
from tests.dashboard.serving import served, stream
from tests.league.watched import told

TURNS = 4


class Playing(NoServices):
    """A league in which one match is being played, and has come as far as its fourth turn."""

    def __init__(self, match: Match, names: Sequence[str]) -> None:
        self.match_id = match.id
        self.broadcast = Broadcast()
        bots = [TableBot(name=name, version=1, image=None, program=("x",)) for name in names]
        plan = plan_of(match, bots, attempt=1, runner="process", watch=True)
        self.broadcast.begin(match.id, plan)
        self.plan = replace(plan, in_flight=1)
        for message, _ in zip(told(self.plan), range(TURNS + 1), strict=False):
            self.broadcast.tell(match.id, message)

    def live(self, match_id: int, after: tuple[int, int]) -> Sequence[Item]:
        return self.broadcast.since(match_id, after)

    def hidden(self) -> set[int]:
        """The cards that the hands still hold."""
        rules = nimmt.get(self.plan.rules, self.plan.options)
        state = rules.start(len(self.plan.bots), KeyedBoard(bytes.fromhex(self.plan.key), 0))
        zones: Any = state.view(None).zones
        dealt = {card for name, cards in zones.items() if "hand" in name for card in cards}
        return dealt - cards_in([item.data for item in self.broadcast.since(self.match_id)])


def cards_in(value: object) -> set[int]:
    """Every card that is named anywhere."""
    if isinstance(value, dict):
        own = set(value["cards"]) if isinstance(value.get("cards"), list) else set()
        return own.union(*[cards_in(part) for part in value.values()])
    if isinstance(value, list):
        return set[int]().union(*[cards_in(part) for part in value])
    return set()


@pytest.fixture
def playing(store: Store, seeded: Seeded) -> Playing:
    with store.read() as session:
        match = present(session, Match, seeded.running)
        names = [seat.bot for seat in match_lists.seated(session, [match.id])[match.id]]
    return Playing(match, names)


@pytest.fixture
def site(settings: Settings, store: Store, playing: Playing) -> Iterator[str]:
    with served(settings, store, playing) as url:
        yield url


def test_the_stream_of_a_running_match_names_no_card_that_a_hand_holds(
    site: str, store: Store, playing: Playing
) -> None:
    # Every turn plays a card of each hand; a low card waits for its row, so one turn may be open.
    assert len(playing.hidden()) >= 4 * (10 - TURNS)
    for role in ROLES:
        headers = {} if role == "spectator" else api_token(store, role, "read")
        events = stream(site, f"/api/v1/matches/{playing.match_id}/live", headers)
        name, game = next(events)
        events.close()
        assert name == "game"
        assert len(game["steps"]) == TURNS + 1
        assert cards_in(game["steps"]) - {0}
        assert not cards_in(game["steps"]) & playing.hidden()
        assert playing.plan.key not in json.dumps(game)
        # Nobody learns from the stream who failed or is out, not even its author.
        assert all(step["decisions"] == [] for step in game["steps"])
        assert all(player["out"] is None for player in game["meta"]["players"])


def test_the_record_of_a_removed_match_is_not_taken_for_that_of_the_next_with_its_number(
    site: str, playing: Playing
) -> None:
    playing.broadcast.begin(playing.match_id, replace(playing.plan, key="11" * 32))
    for message, _ in zip(told(playing.plan), range(TURNS), strict=False):
        playing.broadcast.tell(playing.match_id, message)
    events = stream(site, f"/api/v1/matches/{playing.match_id}/live", {})
    name, status = next(events)
    events.close()
    assert (name, status["state"]) == ("status", "running")
