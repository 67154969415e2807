"""Where a bot loses points: the sample that its author and organisers may look at."""

from sqlmodel import Session

from dashboard.http import Refused, Viewer
from dashboard.reads.access import BotLine, find_bot, hidden_seasons
from dashboard.render import game_url
from league.reviews import Costly, Sample, draw_sample

SAMPLE_LIMIT = "6/hour"
"""New samples that one account may ask for, by page and API together."""
USUAL_SAMPLE = 20


def drawn_sample(
    session: Session, viewer: Viewer, owner: str, name: str, size: int
) -> tuple[BotLine, Sample]:
    """The bot and its sample; refused for a bot that is not the viewer's."""
    line = find_bot(session, owner, name)
    if line is None or not viewer.sees_private(line.bot.owner_id):
        raise Refused(404, f"got bot {owner}/{name}, expected one of yours")
    return line, draw_sample(session, line.bot.id, size, hidden_seasons(session))


def decision_url(one: Costly) -> str:
    """The moment of a decision in the viewer."""
    game = one.game
    here = game_url(game.match_id, game.pass_no, game.game_no)
    return f"{here}?d={one.round}.{one.step['decision']}"
