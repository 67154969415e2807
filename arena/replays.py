"""A game as a notebook shows it: the replay viewer itself, in a frame, without a server."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

HEIGHT = 640


@dataclass(frozen=True, slots=True)
class InlineReplay:
    """One game. The last line of a notebook's cell shows it."""

    document: Mapping[str, Any]
    """The replay, in the format of docs/rules.md; `bullring replay verify` checks it."""

    def html(self) -> str:
        """The viewer with this game, as one page that needs nothing else."""
        try:
            from dashboard.viewer import build_payload, export_html
        except ModuleNotFoundError as error:
            if error.name != "jinja2":
                raise
            raise ModuleNotFoundError(
                "a replay is shown with jinja2, which is not installed; type:"
                " pip install 'bullring[train]', or save the replay as JSON",
                name=error.name,
            ) from None
        return export_html(build_payload(dict(self.document)))

    def save(self, path: str | Path) -> Path:
        """Write it: `.html` is the viewer, anything else the replay as JSON."""
        target = Path(path)
        text = self.html() if target.suffix == ".html" else json.dumps(self.document) + "\n"
        target.write_text(text, encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="replay" width="100%" height="{HEIGHT}" style="border:0" '
            f'sandbox="allow-scripts" srcdoc="{escape(self.html())}"></iframe>'
        )
