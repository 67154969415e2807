"""The pages of docs/ as HTML, made once, when first read; raw HTML in them is escaped."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

_LINK = re.compile(r"^(?:\.\.?/|rules/)*([\w-]+)\.md(#[\w-]*)?$")
_NAMED = re.compile(r"\]\(([\w-]+)\.md\)")
_OUTSIDE = re.compile(r"^(?:https?:|mailto:|#|/)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its anchor."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class DocPage:
    """One page."""

    slug: str
    title: str
    html: Markup
    headings: tuple[Heading, ...]


class Docs:
    """All pages by their slug, in the order in which the index names them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pages: dict[str, DocPage] = {}
        self._lock = Lock()

    def pages(self, made: Callable[[], Mapping[str, str]]) -> Mapping[str, DocPage]:
        """All pages; `made` gives the Markdown of those that are no file."""
        # Most processes that could show them never do, so they are not made at the start.
        with self._lock:
            if not self._pages:
                texts = {**self._texts(), **made()}
                known = set(texts)
                self._pages = {slug: _render(slug, text, known) for slug, text in texts.items()}
        return self._pages

    def _texts(self) -> dict[str, str]:
        paths = [*sorted(self._folder.glob("*.md")), *sorted(self._folder.glob("rules/*.md"))]
        texts = {path.stem: path.read_text(encoding="utf-8") for path in paths}
        named = ["index", *_NAMED.findall(texts.get("index", ""))]
        place = {slug: number for number, slug in reversed(list(enumerate(named)))}
        # The sort is stable: what the index does not name follows in the order of file names.
        return dict(sorted(texts.items(), key=lambda page: place.get(page[0], len(named))))


def without_number(slug: str) -> str:
    """The address of a page that once had a number in front.

    >>> without_number("8-api")
    'api'
    """
    return re.sub(r"^\d+-", "", slug)


def _render(slug: str, text: str, known: set[str]) -> DocPage:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    headings = []
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            words = _text(tokens[position + 1])
            anchor = re.sub(r"[^\w]+", "-", words.lower()).strip("-")
            token.attrSet("id", anchor)
            headings.append(Heading(int(token.tag[1]), anchor, words))
        elif token.type == "table_open":
            token.attrSet("class", "prose-table")
        for child in token.children or ():
            _lead_link(child, known)
    # The parser escapes all text and refuses script addresses; it was told to allow no raw HTML.
    html = Markup(parser.renderer.render(tokens, parser.options, {}))
    title = headings[0].text if headings else slug
    return DocPage(slug, title, html, tuple(headings))


def _text(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _lead_link(token: Token, known: set[str]) -> None:
    """Links between pages lead to their addresses here; those to other files lead nowhere."""
    target = token.attrGet("href")
    if not isinstance(target, str):
        return
    found = _LINK.match(target)
    if found and found[1] in known:
        token.attrSet("href", f"/docs/{found[1]}{found[2] or ''}")
    elif not _OUTSIDE.match(target):
        del token.attrs["href"]
