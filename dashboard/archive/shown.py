"""The standings of an archived page as a reader sees them."""

from html.parser import HTMLParser


class Shown(HTMLParser):
    """Reads place, bot and rating from the rows of the standings, as a reader sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[list[str]]] = []
        self.inside = False

    @classmethod
    def read(cls, html: str) -> list[tuple[int, str, int]]:
        """The rows of the standings on a page; ValueError or IndexError where they are broken."""
        parser = cls()
        parser.feed(html)
        return [
            (_number(row[0][0]), "".join(row[1][:2]), _number(row[3][0])) for row in parser.rows
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A table of standings begins, or a row or a cell of it."""
        classes = (dict(attrs).get("class") or "").split()
        if tag == "table":
            self.inside = "standings" in classes
        elif self.inside and tag == "tr":
            self.rows.append([])
        elif self.inside and tag in ("td", "th") and self.rows:
            self.rows[-1].append([])

    def handle_endtag(self, tag: str) -> None:
        """What stood in the head is no row."""
        if tag == "thead" and self.inside:
            self.rows = []
        elif tag == "table":
            self.inside = False

    def handle_data(self, data: str) -> None:
        """Text belongs to the last cell that began."""
        if self.inside and self.rows and self.rows[-1] and data.strip():
            self.rows[-1][-1].append(data.strip())


def _number(text: str) -> int:
    """A number written for people."""
    return int("".join(text.split()).replace("−", "-"))
