"""Templates: one environment, autoescape on, and the few functions that templates may call."""

from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.environment import TemplateModule

from api_models import words
from dashboard.render import charts, text
from dashboard.render.faces import face
from league.words import duration

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"


def bot_url(full_name: str) -> str:
    """The address of a bot's page.

    >>> bot_url("ada/greedy")
    '/bots/ada/greedy'
    """
    owner, _, name = full_name.partition("/")
    return f"/bots/{quote(owner, safe='')}/{quote(name, safe='')}"


def season_url(name: str) -> str:
    """The address of a season's page."""
    return f"/seasons/{quote(name, safe='')}"


def desk_url(name: str) -> str:
    """The address of a season's page for organisers."""
    return f"/organiser/seasons/{quote(name, safe='')}"


def ladder_desk_url(ladder_id: int) -> str:
    """The address of a ladder's page for organisers."""
    return f"/organiser/ladders/{ladder_id}"


def game_url(match_id: int, pass_no: int, game_no: int) -> str:
    """The address of a replay."""
    return f"/matches/{match_id}/games/{pass_no}/{game_no}"


def back_from(path: str) -> str:
    """The page with the form that is sent to this address.

    >>> back_from("/organiser/seasons/cup/enter"), back_from("/organiser/accounts/3/access")
    ('/organiser/seasons/cup', '/organiser')
    """
    parts = path.strip("/").split("/")
    if parts[0] == "organiser":
        paged = len(parts) == 4 and parts[1] in ("seasons", "ladders")
        return "/" + "/".join(parts[:3] if paged else parts[:1])
    return "/" + "/".join(parts[:2]) if parts[0] == "seasons" else "/"


@cache
def reader_pieces() -> TemplateModule:
    """The macros for what differs from reader to reader."""
    return page_environment().get_template("reader.html").module


@cache
def page_environment() -> Environment:
    """The template environment of all pages."""
    return new_environment()


def new_environment() -> Environment:
    """A template environment of its own, whose addresses and times may be replaced."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    made.filters.update(
        clean=words.clean,
        short=text.short,
        number=text.number,
        signed=text.signed,
        percent=text.percent,
        ms=text.milliseconds,
        size=words.size,
        duration=words.duration,
        roughly=duration,
        moment=text.moment,
        last_sign=text.last_sign,
        exactly=text.exactly,
        rules=text.rules_title,
        options=text.options_words,
        ladder_name=text.ladder_name,
        ladder_words=text.ladder_words,
        state=text.state_word,
        log_lines=text.log_lines,
    )
    made.globals.update(
        bot_url=bot_url,
        season_url=season_url,
        desk_url=desk_url,
        ladder_desk_url=ladder_desk_url,
        game_url=game_url,
        back_from=back_from,
        charts=charts,
        draw_face=face,
        fault_words=text.FAULT_WORDS,
    )
    return made
