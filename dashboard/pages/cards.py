"""Cards: a season, a match or a bot as a picture of 1200 x 630, for where links are shown.

They are SVG and always up to date. Sites that take no SVG get `img/card.png`, which every page
names first; it is made by docs/pictures.py.
"""

from dataclasses import dataclass

from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import NOBODY
from dashboard.pages.bot import current_scales, rating_words
from dashboard.pages.page import Ctx, found, show
from dashboard.reads import visible_match
from dashboard.render import number, options_words, rules_title, state_word
from league import ratings
from store import MatchState, bots, match_lists

SECONDS = 300
ROWS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What stands on a card."""

    kicker: str
    title: str
    rows: tuple[tuple[str, str, str], ...] = ()
    """Before the name, the name, after it."""
    words: str = ""
    """Instead of rows."""


def season_card(ctx: Ctx, name: str) -> Response:
    """Who leads."""
    with ctx.site.store.read() as session:
        # Whoever asks: others keep the answer, so it never shows more than everybody may see.
        row = found(reads.season_named(session, name, organiser=False), "season")
    table = ratings.read_table(row.standings)
    rows = tuple(
        (str(one.place), one.bot, number(one.official)) for one in (table.rows if table else [])
    )
    about = f"{rules_title(row.rules)}, tables of {row.table_size}"
    card = Card(
        kicker=f"Season · {state_word(row.state)}",
        title=row.title or row.name,
        rows=rows[:ROWS],
        words=about,
    )
    return _send(ctx, card)


def match_card(ctx: Ctx, match_id: int) -> Response:
    """Who won."""
    with ctx.site.store.read() as session:
        row = visible_match(session, NOBODY, match_id)
        seats = match_lists.seated(session, [match_id]).get(match_id, [])
    done = row.state is MatchState.DONE
    if done:
        seats = sorted(seats, key=lambda seat: (seat.seat.places, seat.seat.points))
    rows = tuple(
        (
            str(at) if done else "",
            seat.bot,
            f"{number(seat.seat.points / seat.seat.games, 1)} a game" if seat.seat.games else "",
        )
        for at, seat in enumerate(seats, 1)
    )
    options = options_words(row.options)
    kicker = (
        f"{rules_title(row.rules)}{' · ' + options if options else ''} · {state_word(row.state)}"
    )
    return _send(ctx, Card(kicker=kicker, title=f"Match {row.id}", rows=rows[:ROWS]))


def bot_card(ctx: Ctx, owner: str, name: str) -> Response:
    """How strong it is."""
    with ctx.site.store.read() as session:
        line = found(reads.find_bot(session, owner, name), "bot")
        versions = bots.versions(session, line.bot.id)
        scales = current_scales(session, versions, line.bot.current_version)
        games = reads.sums_of(session, line.bot.id).games
    rows = (
        ("", "Rating", rating_words(scales)),
        ("", "Games", number(games)),
        ("", "Plays", ", ".join(map(rules_title, line.bot.rules))),
    )
    return _send(ctx, Card(kicker=f"A bot by {owner}", title=line.bot.name, rows=rows))


def _send(ctx: Ctx, card: Card) -> Response:
    response = ctx.render("card.svg", card=card)
    response.headers["content-type"] = "image/svg+xml"
    response.headers["cache-control"] = f"public, max-age={SECONDS}"
    response.headers["cross-origin-resource-policy"] = "cross-origin"
    return response


def routes() -> list[Route]:
    """All cards."""
    return [
        show("/seasons/{name}/card.svg", season_card),
        show("/matches/{match_id:int}/card.svg", match_card),
        show("/bots/{owner}/{name}/card.svg", bot_card),
    ]
