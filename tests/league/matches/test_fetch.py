"""The images of a match are on the machine before the match is claimed."""

from collections.abc import Sequence
from threading import Event

import store
from league.matches import Player
from league.matches.inprocess import InProcessStage
from league.settings import LeagueSettings
from store import Match, MatchState, Store
from tests.store.support import new_match

IMAGES = [f"sha256:{letter * 64}" for letter in "abcd"]


def queue_a_match(database: Store) -> int:
    """A match of three images and one platform bot."""
    with database.write() as session:
        owner = store.accounts.add_owner(session, "ada")
        versions = []
        for number, image in enumerate([*IMAGES[:3], None]):
            bot = store.bots.add_bot(session, owner.id, f"bot-{number}", ["six-nimmt"])
            program = None if image else ["lowest"]
            made = store.bots.add_version(session, bot.id, image=image, program=program)
            versions.append(store.bots.accept_version(session, made.id).id)
        [match_id] = store.matches.plan(session, [new_match(versions)])
        store.matches.publish(session, [match_id])
    return match_id


def test_a_worker_fetches_the_images_of_a_match_before_it_claims_it(
    database: Store, chosen: LeagueSettings
) -> None:
    match_id = queue_a_match(database)
    seen: list[tuple[Sequence[str], MatchState]] = []

    def fetch(images: Sequence[str]) -> None:
        with database.read() as session:
            seen.append((images, store.present(session, Match, match_id).state))

    player = Player(database, chosen, InProcessStage(), "here", Event(), fetch=fetch)
    attempt = player.claim_next()
    assert attempt is not None
    assert attempt.match_id == match_id
    assert seen == [(IMAGES[:3], MatchState.QUEUED)]
    assert player.claim_next() is None
    assert len(seen) == 1, "nothing waits, so nothing is fetched"


def test_an_image_that_cannot_be_fetched_does_not_keep_a_worker_from_its_matches(
    database: Store, chosen: LeagueSettings
) -> None:
    queue_a_match(database)

    def fetch(images: Sequence[str]) -> None:
        raise RuntimeError("the registry is away")

    player = Player(database, chosen, InProcessStage(), "here", Event(), fetch=fetch)
    assert player.claim_next() is not None
