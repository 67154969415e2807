"""From the store to the viewer: the document of a game, its notes for those allowed, its links."""

import json
from collections import OrderedDict
from typing import Any

import structlog
from sqlmodel import Session

from api_models.words import clean
from dashboard.http import Refused
from dashboard.render import bot_url, game_url
from dashboard.site import Site
from dashboard.viewer import Links, build_payload
from dashboard.viewer.highlights import Highlight, worth_watching
from nimmt import replay as nimmt_replay
from nimmt.errors import ReplayError
from store import BlobError, BlobKind, Game, Match, MatchState, NotFound, present, results

LOG = structlog.get_logger("dashboard")

Notes = dict[tuple[int, int], str]
NOTE_CHARACTERS = 200
KEPT_HIGHLIGHTS = 512
_HIGHLIGHTS: OrderedDict[str, list[Highlight]] = OrderedDict()
"""By the hash of a match's replays, which never change."""


def load_document(
    site: Site, session: Session, match_id: int, pass_no: int, game_no: int
) -> dict[str, Any]:
    """The replay of a game with its key; only a match that is done has one to give."""
    match = present(session, Match, match_id)
    if match.state is not MatchState.DONE:
        raise Refused(404, f"match {match_id} is not done; its replays are published when it is")
    try:
        sha256, line = results.replay_line(session, match_id, pass_no, game_no)
    except NotFound as error:
        raise Refused(404, str(error)) from None
    document: dict[str, Any] = json.loads(site.store.blobs.line(sha256, line))
    if document.get("key") is None:
        try:
            document = nimmt_replay.reveal(document, match.key)
        except ValueError:
            # Verification by readers will say so too; the page stays readable.
            document["key"] = None
    return document


def payload_for(
    document: dict[str, Any],
    *,
    seat: int | None = None,
    title: str | None = None,
    links: Links | None = None,
    notes: Notes | None = None,
) -> dict[str, Any]:
    """The viewer's data; a replay that cannot be played again is refused with the reason."""
    try:
        return build_payload(document, seat=seat, title=title, links=links, notes=notes)
    except ReplayError as error:
        raise Refused(422, f"this replay cannot be shown: {error}") from None


def match_highlights(site: Site, session: Session, match_id: int) -> list[Highlight]:
    """What is worth watching in a match that is done; nothing when its replays cannot be read."""
    blob = results.blob_of(session, match_id, BlobKind.REPLAY)
    if blob is None:
        return []
    known = _HIGHLIGHTS.get(blob.sha256)
    if known is None:
        try:
            known = worth_watching(map(json.loads, site.store.blobs.lines(blob.sha256)))
        except (BlobError, ReplayError) as error:
            # Whoever opens a game is told what is wrong with it; this page can do without.
            LOG.warning("no highlights", match=match_id, error=str(error)[:200])
            return []
        _HIGHLIGHTS[blob.sha256] = known
        while len(_HIGHLIGHTS) > KEPT_HIGHLIGHTS:
            _HIGHLIGHTS.popitem(last=False)
    return known


def load_notes(site: Site, session: Session, match_id: int, game: Game, seats: set[int]) -> Notes:
    """The private notes of some seats of a game, by (round, decision).

    A line of the notes file holds all notes of one seat in one game, its seat being the seat in
    the game: `{"pass", "game_no", "seat", "notes": [{"round_no", "decision", "text"}]}`.
    """
    blob = results.blob_of(session, match_id, BlobKind.NOTES)
    if blob is None or not seats:
        return {}
    found: Notes = {}
    for line in site.store.blobs.lines(blob.sha256):
        entry = json.loads(line)
        if (
            entry.get("pass") == game.pass_no
            and entry.get("game_no") == game.game_no
            and entry.get("seat") in seats
        ):
            for note in entry["notes"]:
                where = (int(note["round_no"]), int(note["decision"]))
                found[where] = clean(note["text"])[:NOTE_CHARACTERS]
    return found


def links_for(match: Match, game: Game, games: list[Game], bots: list[str]) -> Links:
    """Where the viewer leads: the match, neighbours, the same board in other seatings."""
    here = game_url(match.id, game.pass_no, game.game_no)
    order = [(one.pass_no, one.game_no) for one in games]
    at = order.index((game.pass_no, game.game_no))
    links: Links = {
        "page": here,
        "embed": f"{here}/embed",
        "download": f"/api/v1{here}/replay",
        "export": f"{here}/export",
        "review": f"/api/v1{here}/review",
        "match": f"/matches/{match.id}",
        "rules": f"/docs/{match.rules}",
        "bots": [bot_url(bot) for bot in bots],
    }
    if at > 0:
        links["previous"] = game_url(match.id, *order[at - 1])
    if at + 1 < len(order):
        links["next"] = game_url(match.id, *order[at + 1])
    same = [one for one in games if one.board == game.board]
    if len(same) > 1:
        links["seatings"] = [
            {
                "label": f"Pass {one.pass_no + 1}, game {one.game_no + 1}",
                "href": game_url(match.id, one.pass_no, one.game_no),
                "current": one is game,
            }
            for one in same
        ]
    return links
