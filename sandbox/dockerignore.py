"""`.dockerignore`, as `docker build` reads it: which files of a folder are left out. No I/O."""

import re
from collections.abc import Sequence


class Ignored:
    """The rules of one file; the last rule that fits decides."""

    def __init__(self, text: str) -> None:
        self._rules = [rule for line in text.splitlines() if (rule := _rule(line)) is not None]

    @property
    def can_bring_back(self) -> bool:
        """Whether something inside a folder that is left out may be wanted after all."""
        return any(wanted for wanted, _ in self._rules)

    def leaves_out(self, path: str) -> bool:
        """Whether a path, relative to the folder and with slashes, is left out.

        >>> rules = Ignored("*.log\\n**/data\\n!keep.log")
        >>> [rules.leaves_out(path) for path in ("a.log", "keep.log", "x/data/1", "x/a.log")]
        [True, False, True, False]
        """
        out = False
        # A folder that is left out takes along what is in it.
        parts = path.split("/")
        whole = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        for wanted, pattern in self._rules:
            if _fits(pattern, whole):
                out = not wanted
        return out


def _fits(pattern: "re.Pattern[str]", paths: Sequence[str]) -> bool:
    return any(pattern.fullmatch(path) for path in paths)


def _rule(line: str) -> "tuple[bool, re.Pattern[str]] | None":
    """Whether a line brings files back, and what it fits; None for a comment or nothing."""
    text = line.strip()
    if not text or text.startswith("#"):
        return None
    wanted = text.startswith("!")
    path = "/".join(part for part in text.lstrip("!").strip().split("/") if part not in ("", "."))
    return (wanted, re.compile(_translated(path))) if path else None


def _translated(path: str) -> str:
    """A pattern of Go's filepath.Match, with `**` for any number of folders, as an expression."""
    done, at = "", 0
    while at < len(path):
        if path.startswith("**/", at):
            done, at = done + "(?:.*/)?", at + 3
        elif path.startswith("**", at):
            done, at = done + ".*", at + 2
        elif path[at] == "*":
            done, at = done + "[^/]*", at + 1
        elif path[at] == "?":
            done, at = done + "[^/]", at + 1
        elif path[at] == "[" and (end := path.find("]", at + 2)) > 0:
            done, at = done + path[at : end + 1].replace("\\", "\\\\"), end + 1
        else:
            done, at = done + re.escape(path[at]), at + 1
    return done
