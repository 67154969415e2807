"""Friendly matches and people's tables count nowhere: no page, list, sum or forecast knows them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute

import nimmt
from store import MatchKind, NewMatch, Store, attempts, bots, friendlies, matches
from tests.dashboard.conftest import Browser, browser
from tests.dashboard.seed import Seeded, play_match

PRIVATE = [kind for kind in MatchKind if kind.is_private]
NAMES = ("heron/close", "otter/stumble", "heron/dice", "house/lowest")
STREAMS = ("/events", "/live", "/static/", "/link/", "archive.zip")
"""Addresses left out: streams, files that are no page, and what is made from a season alone."""
OF_THE_MACHINES = ("/metrics", "/api/v1/workers", "/organiser")
"""Those who run the league see what its machines do, private or not."""


@dataclass(frozen=True, kw_only=True)
class Private:
    """Private matches of one kind."""

    done: int
    running: int
    waiting: int

    @property
    def all(self) -> tuple[int, int, int]:
        return (self.done, self.running, self.waiting)


def add_private(store: Store, kind: MatchKind) -> Private:
    """One that is done, with faults, notes and logs; one that runs; one that waits."""
    with store.write() as session:
        found = [bots.find_bot(session, name) for name in NAMES]
        versions = [bots.version_of(session, bot.id, 1) for bot in found if bot is not None]
        new = [
            NewMatch(
                kind=kind,
                rules="six-nimmt",
                options=dict(nimmt.get("six-nimmt", {"rounds": 1}).options),
                versions=tuple(version.id for version in versions if version is not None),
                boards=8,
                key=bytes([number] * 32),
                rated=False,
            )
            for number in range(3)
        ]
        done, running, waiting = (bell.match_id for bell in matches.queue(session, new))
        if kind is MatchKind.PRACTICE:
            bot = bots.find_bot(session, NAMES[0])
            assert bot is not None
            for match_id in (done, running, waiting):
                friendlies.add(session, match_id, bot.owner_id, bot.id)
    play_match(store, done, slips=0.3)
    with store.write() as session:
        attempts.claim(session, running, "seed")
    return Private(done=done, running=running, waiting=waiting)


def _paths(routes: list[BaseRoute], above: str = "") -> Iterator[str]:
    for route in routes:
        path = above + getattr(route, "path", "")
        methods = getattr(route, "methods", None)
        if methods is None:
            yield from _paths(getattr(route, "routes", None) or [], path)
        elif "GET" in methods:
            yield path


def fill_in(path: str, values: Mapping[str, str]) -> str:
    """The path with its parameters."""
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda hit: values[hit[1]], path)


def addresses(app: FastAPI, seeded: Seeded) -> list[str]:
    """Every page and every list, with what the seeded league has to fill in."""
    known = {
        "owner": "heron",
        "name": "close",
        "number": "1",
        "match_id": str(seeded.done),
        "pass_no": "0",
        "game_no": "0",
        "seat": "0",
        "ladder_id": "1",
        "submission_id": str(seeded.submission),
        "form": "csv",
        "slug": "rules",
        "code": "nobody-sits-here",
    }
    found = []
    for path in _paths(app.routes):
        if any(part in path for part in STREAMS):
            continue
        values = known | ({"name": seeded.season} if "/seasons/" in path else {})
        values |= {"name": "six-nimmt"} if "/rules/" in path else {}
        found.append(fill_in(path, values))
    return [*found, "/matches?state=all", "/live", "/bots/otter/stumble", "/bots?q=o"]


def look(client: Browser, address: str) -> str:
    """What the address shows, without tokens of forms and the passing of time."""
    answer = client.get(address, follow_redirects=False)
    text = re.sub(r'name="csrf" value="[^"]+"|data-csrf="[^"]+"', "", answer.text)
    text = re.sub(r"<updated>[^<]*</updated>|<time [^>]*>[^<]*</time>", "", text)
    return f"{answer.status_code} {text}"


@pytest.mark.heavy(but="spectator")
@pytest.mark.parametrize("who", ["spectator", "otter", "boss"])
def test_private_matches_change_no_page_and_no_list(
    app: FastAPI, store: Store, seeded: Seeded, who: str
) -> None:
    with browser(app, None if who == "spectator" else who) as client:
        shown = [
            one
            for one in addresses(app, seeded)
            if not (one.startswith(OF_THE_MACHINES) and who == "boss") and one != "/metrics"
        ]
        assert len(shown) > 60
        before = {one: look(client, one) for one in shown}
        # What differs from look to look by itself says nothing.
        steady = [one for one in shown if look(client, one) == before[one]]
        assert set(shown) - set(steady) <= {"/sign-up", "/sign-in"}
        for kind in PRIVATE:
            add_private(store, kind)
        assert [one for one in steady if look(client, one) != before[one]] == []


@pytest.mark.parametrize("kind", PRIVATE)
def test_naming_a_private_kind_lists_nothing(
    app: FastAPI, store: Store, boss: Browser, kind: MatchKind
) -> None:
    add_private(store, kind)
    answer = boss.get("/api/v1/matches", params={"kind": kind.value})
    assert answer.json()["items"] == []


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("who", ["spectator", "otter"])
def test_a_stranger_finds_nothing_at_the_address_of_a_private_match(
    app: FastAPI, store: Store, kind: MatchKind, who: str
) -> None:
    private = add_private(store, kind)
    with browser(app, None if who == "spectator" else who) as client:
        for path in _paths(app.routes):
            if "{match_id" not in path:
                continue
            for match_id in private.all:
                values = {"match_id": str(match_id), "pass_no": "0", "game_no": "0", "seat": "1"}
                address = fill_in(path, values)
                answer = client.get(address, follow_redirects=False)
                assert answer.status_code in (401, 404, 303), f"{address}: {answer.status_code}"
                assert "stumble" not in answer.text
