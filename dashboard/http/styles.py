"""The style sheets as they lie on disk, for whoever writes a page into a file; needs no server."""

from pathlib import Path

STATIC = Path(__file__).resolve().parents[1] / "static"


def style_sheet(name: str, root: Path = STATIC) -> str:
    """A style sheet: one file, or the files of its folder joined in the order of their names.

    The order counts only within a layer, and a part keeps its rules together in one file.
    """
    folder = root / "css" / name
    if not folder.is_dir():
        return folder.with_suffix(".css").read_text()
    return "\n".join(path.read_text() for path in sorted(folder.glob("*.css")))
