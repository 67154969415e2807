"""Reviews through the API: asked for by anyone within limits, with progress, for all or a seat."""

from dashboard.app import create_app
from dashboard.settings import Settings
from store import ReviewState, Store, reviews
from tests.dashboard.conftest import ORIGIN, Browser, api_token, browser
from tests.dashboard.reviewed import make_reviews

REVIEW = "/api/v1/matches/1/games/0/{}/review"


def test_anyone_may_ask_and_sees_how_far_it_is(spectator: Browser, store: Store) -> None:
    assert spectator.get(REVIEW.format(0)).json()["state"] == "none"
    asked = spectator.post(REVIEW.format(0))
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    assert spectator.post(REVIEW.format(0)).status_code == 200
    with store.write() as session:
        row = reviews.of_game(session, 1, 0, 0)
        assert row is not None
        reviews.claim(session, row.id, "w1")
        reviews.advance(session, row.id, "w1", 12, 40)
    told = spectator.get(REVIEW.format(0)).json()
    assert (told["state"], told["done"], told["total"]) == ("working", 12, 40)
    assert told["review"] is None


def test_a_review_that_is_done_is_read_whole_or_for_one_seat(
    spectator: Browser, store: Store
) -> None:
    [made] = make_reviews(store, 1)
    told = spectator.get(REVIEW.format(0)).json()
    assert told["state"] == "done"
    assert told["review"] == made
    own = spectator.get(REVIEW.format(0) + "?seat=2").json()["review"]
    assert {step["seat"] for part in own["rounds"] for step in part["steps"]} == {2}
    assert [one["seat"] for one in own["seats"]] == [2]


def test_new_reviews_are_limited_and_known_ones_are_free(settings: Settings, store: Store) -> None:
    app = create_app(settings.model_copy(update={"review_limit": "2/hour"}), store)
    with browser(app) as client:
        statuses = [client.post(REVIEW.format(number)).status_code for number in (0, 1, 0, 2)]
        assert statuses == [202, 202, 200, 429]
        # An account counts for itself.
        token = api_token(store, "heron", "read")
        assert client.post(REVIEW.format(2), headers=token).status_code == 202


def test_games_that_are_not_there_or_not_yours_to_see_are_not_reviewed(
    spectator: Browser, store: Store
) -> None:
    assert spectator.post(REVIEW.format(999)).status_code == 404
    assert spectator.post("/api/v1/matches/99999/games/0/0/review").status_code == 404
    assert spectator.get("/api/v1/matches/99999/games/0/0/review").status_code == 404


def test_another_site_cannot_ask_in_the_name_of_a_reader(heron: Browser, store: Store) -> None:
    foreign = heron.post(REVIEW.format(0), headers={"origin": "https://elsewhere.example"})
    assert foreign.status_code == 403
    assert heron.post(REVIEW.format(0), headers={"origin": ORIGIN}).status_code == 202


def test_what_failed_is_tried_again_when_asked_for(spectator: Browser, store: Store) -> None:
    spectator.post(REVIEW.format(0))
    with store.write() as session:
        row = reviews.of_game(session, 1, 0, 0)
        assert row is not None
        reviews.claim(session, row.id, "w1")
        reviews.fail(session, row.id, "w1", "no luck")
    told = spectator.get(REVIEW.format(0)).json()
    assert (told["state"], told["error"]) == (ReviewState.FAILED.value, "no luck")
    assert spectator.post(REVIEW.format(0)).json()["state"] == "waiting"


def test_an_author_reads_where_the_bot_loses_points(spectator: Browser, store: Store) -> None:
    path = "/api/v1/bots/heron/close/review?sample=3"
    token = api_token(store, "heron", "read")
    asked = spectator.post(path, headers=token).json()
    assert (asked["sample"], asked["reviewed"], asked["waiting"]) == (3, 0, 3)
    documents = make_reviews(store, 1, 0)
    assert documents == []
    told = spectator.get(path, headers=token).json()
    assert (told["reviewed"], told["waiting"]) == (3, 0)
    # The same games again, and nothing new to make.
    assert spectator.post(path, headers=token).json() == told
    groups = {(one["by"], one["name"]): one for one in told["groups"]}
    whole = groups["all", "all decisions"]
    kinds = [one for (by, _), one in groups.items() if by == "kind"]
    assert (whole["rules"], whole["advanced"]) == (None, False)
    assert {one["rules"] for one in kinds} == {"six-nimmt"}
    assert whole["own"]["decisions"] == sum(one["own"]["decisions"] for one in kinds)
    assert whole["field"]["decisions"] > whole["own"]["decisions"]
    assert whole["own"]["low"] <= whole["own"]["mean"] <= whole["own"]["high"]
    assert {name for by, name in groups if by == "phase"} <= {"early", "middle", "late"}
    assert ("version", "v1") in groups
    losses = [one["loss"] for one in told["costliest"]]
    assert losses == sorted(losses, reverse=True)
    for one in told["costliest"]:
        assert spectator.get(one["url"]).status_code == 200


def test_the_report_on_a_bot_is_for_its_owner(spectator: Browser, store: Store) -> None:
    path = "/api/v1/bots/heron/close/review"
    assert spectator.get(path).status_code == 404
    assert spectator.get(path, headers=api_token(store, "otter", "read")).status_code == 404
    assert spectator.get(path, headers=api_token(store, "heron", "read")).status_code == 200
