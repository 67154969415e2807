"""A season and a ladder run by API, with the names of the command line."""

from typing import Any

import pytest
import typer.main

from cli.main import build_app
from dashboard import api
from league import gate as gates
from league import seasons as league_seasons
from league.seasons import SeasonPlan
from store import SeasonState, Store, seasons
from tests.dashboard.conftest import Browser, api_token
from tests.dashboard.seed import Seeded


class Organiser:
    """Somebody with a token and no browser."""

    def __init__(self, client: Browser, headers: dict[str, str]) -> None:
        self.client, self.headers = client, headers

    def __call__(self, method: str, path: str, status: int, body: object = None) -> Any:
        answer = self.client.request(method, f"/api/v1{path}", headers=self.headers, json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None


@pytest.fixture
def organiser(spectator: Browser, store: Store) -> Organiser:
    return Organiser(spectator, api_token(store, "boss", "read", "organise"))


def test_a_season_is_run_by_api(organiser: Organiser, store: Store) -> None:
    body = {"name": "cup", "rules": "six-nimmt", "options": {"rounds": 1}, "boards": 6}
    made = organiser("POST", "/seasons", 201, {**body, "freezes_at": "2031-05-01T10:00:00+02:00"})
    assert (made["state"], made["boards"]) == ("draft", 8)
    assert made["freezes_at"] == "2031-05-01T08:00:00Z"
    assert "which is taken" in organiser("POST", "/seasons", 409, body)["detail"]
    later = organiser("POST", "/seasons/cup/dates", 200, {"freezes_at": None})
    assert later["freezes_at"] is None
    organiser("POST", "/seasons/cup/open", 200)
    bots = ["heron/close", "otter/closer", "lynx/loose"]
    entries = organiser("POST", "/seasons/cup/enter", 200, {"bots": bots})
    assert [entry["bot"] for entry in entries] == bots
    assert organiser("POST", "/seasons/cup/freeze", 200)["commitment"].startswith("sha256:")
    assert organiser("POST", "/seasons/cup/start", 200)["state"] == "running"
    status = organiser("GET", "/seasons/cup/status", 200)
    assert (status["entries"], status["done"], status["workers"]) == (3, 0, 0)
    assert "no worker is alive" in organiser("GET", "/seasons/cup/time-left", 200)["words"]
    refused = organiser("POST", "/seasons/cup/finish", 409, {})
    assert "end it early, or wait" in refused["detail"]
    assert organiser("POST", "/seasons/cup/finish", 200, {"early": True})["state"] == "finished"
    rows = organiser("GET", "/audit?season=cup", 200)["items"]
    assert rows[0]["action"] == "season.finish"
    assert {row["actor"] for row in rows} == {"boss"}


def test_a_draft_is_changed_and_deleted_by_api(organiser: Organiser) -> None:
    organiser("POST", "/seasons", 201, {"name": "cup", "rules": "six-nimmt", "boards": 8})
    wanted = {"name": "bowl", "title": "The Bowl", "table": 3, "bank_ms": 5, "budget": None}
    changed = organiser("PATCH", "/seasons/cup", 200, wanted)
    assert (changed["name"], changed["title"], changed["passes"]) == ("bowl", "The Bowl", 3)
    assert changed["time"] == {"move_ms": 100, "bank_ms": 5}, "what is left out stays"
    organiser("GET", "/seasons/cup", 404)
    places = {"places": [1], "budget": 30, "ends_at": "2031-05-01T10:00:00Z"}
    changed = organiser("PATCH", "/seasons/bowl", 200, places)
    assert changed["budget"] == {"meetings": 1, "places": [1], "matches": 30}
    refused = organiser("PATCH", "/seasons/bowl", 422, {"rules": "x-nimmt", "table": 7})
    assert "7" in refused["detail"]
    organiser("PATCH", "/seasons/bowl", 422, {"boards": None})
    row = organiser("GET", "/audit?season=bowl&limit=1", 200)["items"][0]
    assert row["action"] == "season.edit"
    assert row["detail"]["budget"] == {"before": None, "after": 30}
    organiser("DELETE", "/seasons/bowl", 204)
    organiser("GET", "/seasons/bowl", 404)
    row = organiser("GET", "/audit?limit=1", 200)["items"][0]
    assert (row["action"], row["detail"]["name"]) == ("season.delete", "bowl")


def test_what_is_no_draft_any_more_stays_as_it_is(organiser: Organiser) -> None:
    assert organiser("PATCH", "/seasons/summer", 200, {"about": "Tea."})["about"] == "Tea."
    refused = organiser("PATCH", "/seasons/summer", 409, {"boards": 8})
    assert "is open, and its entrants rely on boards" in refused["detail"]
    assert "is running; its plan" in organiser("PATCH", "/seasons/spring", 409, {"title": "x"})[
        "detail"]  # fmt: skip
    for name, state in (("summer", "open"), ("spring", "running")):
        refused = organiser("DELETE", f"/seasons/{name}", 409)
        assert f"is {state}; only a draft can be deleted" in refused["detail"]
        assert organiser("GET", f"/seasons/{name}", 200)["state"] == state


def test_the_rule_of_one_bot_is_taken_away_again(organiser: Organiser, store: Store) -> None:
    bot = "heron/close"
    for required in (True, None):
        organiser("POST", "/gate-rule", 204, {"required": required, "bot": bot})
        with store.read() as session:
            assert bool(gates.gate_rule(session).bots) is (required is not None)
    assert "name the bot" in organiser("POST", "/gate-rule", 422, {"required": None})["detail"]


def test_a_disqualification_can_be_looked_at_before(organiser: Organiser, seeded: Seeded) -> None:
    wanted = {"bot": "otter/stumble", "preview": True}
    changes = organiser("POST", "/seasons/spring/disqualify", 200, wanted)
    [gone] = [one for one in changes if one["place_after"] is None]
    assert gone["bot"] == "otter/stumble 1"
    assert (
        "needs a reason"
        in organiser("POST", "/seasons/spring/disqualify", 422, {"bot": "otter/stumble"})["detail"]
    )
    done = organiser(
        "POST", "/seasons/spring/disqualify", 200, {"bot": "otter/stumble", "reason": "cheating"}
    )
    assert done == changes
    entries = organiser("GET", "/seasons/spring/entries", 200)
    assert ("otter/stumble", "disqualified") in {(e["bot"], e["state"]) for e in entries}


@pytest.mark.parametrize("kind", ["withdraw", "disqualify"])
def test_what_a_removal_does_is_told_before_it_is_done(organiser: Organiser, kind: str) -> None:
    told = organiser("GET", f"/seasons/spring/removal?bot=otter/stumble&kind={kind}", 200)
    assert told["played"] > 0
    assert told["filled"] + told["cancelled"] > 0
    assert bool(told["changes"]) is (kind == "disqualify")
    words = " ".join(told["words"])
    assert ("they stand" in words) is (kind == "withdraw")
    entries = organiser("GET", "/seasons/spring/entries", 200)
    assert ("otter/stumble", "entered") in {(e["bot"], e["state"]) for e in entries}


def test_a_rehearsal_is_started_asked_for_and_stopped(organiser: Organiser) -> None:
    begun = organiser("POST", "/seasons/summer/rehearse", 202, {"bots": 5})
    assert begun["running"]
    assert begun["matches"] > 0
    assert "already running" in organiser("POST", "/seasons/summer/rehearse", 409, {})["detail"]
    organiser("DELETE", "/seasons/summer/rehearse", 204)
    assert not organiser("GET", "/seasons/summer/rehearse", 200)["running"]
    stopped, started = organiser("GET", "/audit?limit=2", 200)["items"]
    assert (started["action"], started["detail"]) == ("season.rehearse", {"bots": 5})
    assert stopped["action"] == "season.rehearse_stop"
    assert started["actor"] == stopped["actor"] == "boss"


def test_the_planner_and_the_fleet_answer(organiser: Organiser) -> None:
    path = "/plan?rules=six-nimmt&bots=12&meetings=3&gap=1&gap=2&options=%7B%22rounds%22:1%7D"
    found = organiser("GET", path, 200)
    assert found["reach"]["matches"] == 33
    assert [one["gap"] for one in found["gaps"]] == [1, 2]
    assert (
        "expected a JSON object" in organiser("GET", "/plan?rules=x-nimmt&options=7", 422)["detail"]
    )
    assert organiser("GET", "/workers", 200)["slots"] == 0
    link = organiser("POST", "/invitations", 201, {"note": "for a newt"})
    assert "/link/" in link["url"]


def test_a_ladder_is_run_by_api_and_says_why_a_bot_waits(
    organiser: Organiser, spectator: Browser, store: Store
) -> None:
    body = {"rules": "six-nimmt", "options": {"rounds": 1}, "boards": 4}
    number = organiser("POST", "/ladders", 201, body)["id"]
    heron = Organiser(spectator, api_token(store, "heron", "read", "manage"))
    [why] = [one for one in heron("GET", "/bots/heron/close/why", 200) if one["ladder"] == number]
    assert (why["reason"], why["version"]) == ("NO_WORKER", 1)
    heron("POST", f"/ladders/{number}/withdraw", 204, {"bot": "heron/close", "reason": "a rest"})
    [why] = heron("GET", f"/bots/heron/close/why?ladder={number}", 200)
    assert (why["reason"], why["detail"]) == ("WITHDRAWN", "a rest")
    heron("POST", f"/ladders/{number}/withdraw", 403, {"bot": "otter/closer"})
    organiser("POST", f"/ladders/{number}/enter", 204, {"bots": ["heron/close", "house/greedy"]})
    wrong = heron("POST", f"/ladders/{number}/gate", 409, {"bot": "heron/close", "new": 7})
    assert "expected one that may play" in wrong["detail"]
    assert organiser("GET", f"/ladders/{number}/fairness", 200)["presence"] == []
    assert organiser("GET", f"/ladders/{number}/standings", 404)["detail"].startswith(
        "there are no"
    )
    for step, state in (("pause", "paused"), ("resume", "open"), ("close", "closed")):
        assert organiser("POST", f"/ladders/{number}/{step}", 200)["state"] == state
    wrong = organiser("POST", f"/ladders/{number}/pause", 409)
    assert "is closed; only one that is open can be paused" in wrong["detail"]
    found = organiser("POST", f"/ladders/{number}/settings", 200, {"title": "Evening"})
    assert (found["title"], found["boards"]) == ("Evening", 4)
    body = {"boards": 9, "longest_wait": 600, "move_ms": 50}
    found = organiser("POST", f"/ladders/{number}/settings", 200, body)
    assert (found["boards"], found["longest_wait"], found["cap"]) == (12, 600, 2)
    assert found["title"] == "Evening"
    assert found["time"] == {"move_ms": 50, "bank_ms": 1000}
    found = organiser("POST", f"/ladders/{number}/settings", 200, {"longest_wait": 0})
    assert (found["boards"], found["longest_wait"]) == (12, None)


def test_an_author_cannot_turn_a_disqualification_into_a_withdrawal(
    organiser: Organiser, spectator: Browser, store: Store
) -> None:
    number = organiser("POST", "/ladders", 201, {"rules": "six-nimmt", "boards": 4})["id"]
    out = {"bot": "heron/close", "reason": "it peeked"}
    organiser("POST", f"/ladders/{number}/disqualify", 204, out)
    heron = Organiser(spectator, api_token(store, "heron", "read", "manage"))
    own = {"bot": "heron/close", "reason": "a rest"}
    told = heron("POST", f"/ladders/{number}/withdraw", 409, own)["detail"]
    assert "heron/close is already disqualified: it peeked" in told
    [why] = heron("GET", f"/bots/heron/close/why?ladder={number}", 200)
    assert (why["reason"], why["detail"]) == ("DISQUALIFIED", "it peeked")


def test_a_gate_rule_for_a_bot_without_an_owner_is_refused(organiser: Organiser) -> None:
    told = organiser("POST", "/gate-rule", 404, {"bot": "close", "required": True})["detail"]
    assert "bots are named OWNER/NAME" in told


def test_an_author_withdraws_only_bots_of_their_own(spectator: Browser, store: Store) -> None:
    heron = Organiser(spectator, api_token(store, "heron", "manage"))
    assert (
        "not your bot"
        in heron("POST", "/seasons/spring/withdraw", 403, {"bot": "otter/closer"})["detail"]
    )
    entries = heron("POST", "/seasons/spring/withdraw", 200, {"bot": "heron/dice", "reason": "x"})
    assert ("heron/dice", "withdrawn") in {(e["bot"], e["state"]) for e in entries}


def test_every_season_and_ladder_command_has_a_route_of_its_name() -> None:
    """One word for one thing: what is typed, what is asked for by API."""
    known = {route.unique_id for part in api.PARTS for route in part.router.routes}
    group: Any = typer.main.get_command(build_app())
    # Reading has had its plain routes from the beginning, and an archive is checked where it is.
    reads = {"season_list", "season_standings", "ladder_list", "season_verify_archive"}
    named = {
        f"{one}_{name.replace('-', '_')}"
        for one in ("season", "ladder")
        for name in group.commands[one].commands
    }
    assert named - reads - known == set()


def test_steps_of_the_api_are_those_of_the_league(organiser: Organiser, store: Store) -> None:
    with store.write() as session:
        plan = SeasonPlan(name="small", rules="x-nimmt")
        league_seasons.create(session, plan, "test")
    organiser("POST", "/seasons/small/start", 409)
    with store.read() as session:
        found = seasons.by_name(session, "small")
        assert found is not None
        assert found.state is SeasonState.DRAFT
