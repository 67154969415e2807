"""Static files under a path with a hash of them all, so that browsers may keep them for ever.

The hash is a folder, not a part of each name: relative imports between modules keep working. A
folder below `css/` is sent as one style sheet: `css/site/*.css` is `css/site.css`.
"""

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from dashboard.http.styles import STATIC, style_sheet

PREFIX = "/static"
FOR_EVER = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent."""

    body: bytes
    media_type: str


class Assets:
    """All files of a folder, read once at the start. What is not in it cannot be asked for."""

    def __init__(self, root: Path = STATIC) -> None:
        sheets = [path for path in (root / "css").glob("*") if path.is_dir()]
        self.files = {
            path.relative_to(root).as_posix(): _load(path)
            for path in sorted(root.rglob("*"))
            if path.is_file() and not path.name.startswith(".") and path.parent not in sheets
        }
        for folder in sheets:
            joined = style_sheet(folder.name, root).encode()
            self.files[f"css/{folder.name}.css"] = Asset(joined, _TYPES[".css"])
        digest = hashlib.sha256()
        for name in sorted(self.files):
            body = self.files[name].body
            digest.update(f"{name}\0{len(body)}\0".encode() + body)
        self.version = digest.hexdigest()[:12]

    def url(self, name: str) -> str:
        """The address of a file; a name that does not exist is a mistake in a template."""
        if name not in self.files:
            raise LookupError(f"got static file {name!r}, expected one of {sorted(self.files)}")
        return f"{PREFIX}/{self.version}/{name}"

    def respond(self, request: Request, version: str, name: str) -> Response | None:
        """The file; an old hash gets today's file, but must ask again. None: no such file."""
        asset = self.files.get(name)
        if asset is None:
            return None
        keep = FOR_EVER if version == self.version else "no-cache"
        headers = {"cache-control": keep, "etag": f'"{self.version}"'}
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(asset.body, media_type=asset.media_type, headers=headers)


def _load(path: Path) -> Asset:
    guessed = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Asset(path.read_bytes(), _TYPES.get(path.suffix, guessed))
