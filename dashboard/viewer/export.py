"""The viewer and one replay as a single HTML file that works offline, from `file://` too.

Browsers load no modules from `file://`, so the viewer's modules are joined into one classic script.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dashboard.http import style_sheet

ROOT = Path(__file__).resolve().parent.parent
ENTRY = ROOT / "static/js/replay/view.js"
STYLES = ("tokens", "viewer")
MARK = ROOT / "static/img/mark.svg"

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\./[\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function\*? |class |const |let )", re.MULTILINE)
_EXPORTED = re.compile(
    r"^export (?:(?:async )?function\*?|class|const|let) ([A-Za-z_$][\w$]*)", re.MULTILINE
)
_LEFT_OVER = re.compile(r"^\s*(?:import|export)\b.*", re.MULTILINE)


class JoinError(ValueError):
    """A module uses a form of import or export that the joiner does not know."""


def join_modules(entry: Path) -> str:
    """One classic script that does what the module `entry` and all it imports do.

    Each module becomes a function that is called once and returns its exports, so names never
    meet. Known forms: `import { a, b } from "./x.js";` and `export` before a declaration.
    """
    done: dict[Path, str] = {}
    parts: list[str] = []
    _add_module(entry.resolve(), done, parts, ())
    return '"use strict";\n(() => {\n' + "".join(parts) + "})();\n"


def _add_module(
    path: Path, done: dict[Path, str], parts: list[str], above: tuple[Path, ...]
) -> str:
    if path in above:
        raise JoinError(f"{path.name} imports itself by way of {above[-1].name}: break the circle")
    if path in done:
        return done[path]
    source = path.read_text()

    def imported(found: re.Match[str]) -> str:
        names = " ".join(found[1].split()).rstrip(",")
        if " as " in names:
            raise JoinError(f"{path.name} renames an import ({names}): use the name as it is")
        name = _add_module((path.parent / found[2]).resolve(), done, parts, (*above, path))
        return f"const {{ {names} }} = {name};\n"

    body = _IMPORT.sub(imported, source)
    exported = _EXPORTED.findall(body)
    body = _EXPORT.sub("", body)
    left = _LEFT_OVER.search(body)
    if left:
        raise JoinError(
            f"{path.name}: got {left[0].strip()!r}, expected import {{ names }} from "
            '"./file.js"; or export before a declaration'
        )
    done[path] = name = f"module{len(done)}"
    parts.append(f"const {name} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n")
    return name


def export_html(payload: Mapping[str, Any]) -> str:
    """The whole file. Its links to the site are left out: the site may be gone when it is read."""
    meta = {**payload["meta"], "links": {}}
    meta["players"] = [{**player, "href": None} for player in meta["players"]]
    script = join_modules(ENTRY)
    style = "\n".join(map(style_sheet, STYLES))
    for name, text in (("script", script), ("style", style)):
        if f"</{name}" in text.lower():
            raise JoinError(f"the joined {name} contains its own end tag: write it in two parts")
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("replay/export.html").render(
        replay={**payload, "meta": meta},
        data=embed_json({**payload, "meta": meta}),
        script=script,
        script_hash=_hash(script),
        style=style,
        style_hash=_hash(style),
        icon="data:image/svg+xml;base64," + base64.b64encode(MARK.read_bytes()).decode(),
    )


def embed_json(value: object) -> str:
    r"""JSON that may stand inside a script element: no text in it can end the element.

    >>> embed_json({"bot": "</script><!--"})
    '{"bot":"\\u003c/script>\\u003c!--"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace("\u2028", r"\u2028").replace("\u2029", r"\u2029")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
