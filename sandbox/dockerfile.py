"""The rules for an author's Dockerfile: parsed here, refused or rewritten.

The engine only ever sees the text that `checked` wrote, so a trick of spelling that we read one way
and the engine another cannot get past the rules.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.api import SubmissionRejected

PLAIN = frozenset(
    ("ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "LABEL", "MAINTAINER", "SHELL",
     "STOPSIGNAL", "USER", "WORKDIR")
)  # fmt: skip
"""Instructions that need no rule beyond those for every line (COPY has one more, for --from)."""

REFUSED = {
    "VOLUME": ("volume", "a volume is written to the host's disk", "Write to /tmp instead."),
    "HEALTHCHECK": ("healthcheck", "the engine would run it, outside every limit", "Remove it."),
    "ONBUILD": ("onbuild", "it hides instructions from this check", "Write them out."),
}

DIRECTIVE = re.compile(r"#\s*(syntax|escape|check)\s*=", re.IGNORECASE)
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029\x85]")
HEREDOC_WORD = re.compile(r"\d*<<-?[^<]+")
"""A word that the engine's own parser takes for a here-document, whatever the shell thinks."""
HEREDOC = re.compile(r"(?<!<)<<(?!<)")
ARITHMETIC = re.compile(r"\(\((?:[^()]|\([^()]*\))*\)\)")
REMOTE = re.compile(r"://|^git@|\.git(?:[#/]|$)|\$")


@dataclass(frozen=True, slots=True)
class Line:
    """One instruction, continuation lines joined."""

    number: int
    word: str
    rest: str


def refuse(rule: str, line: int, problem: str, fix: str) -> SubmissionRejected:
    """A refusal that names the line."""
    return SubmissionRejected(rule, f"Dockerfile line {line}: {problem}.", fix)


def parse(text: str) -> list[Line]:
    """The instructions of a Dockerfile; comments and empty lines are gone."""
    found: list[Line] = []
    open_number = 0
    parts: list[str] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip("\r").strip(" \t")
        if line.startswith("#"):
            if not found and DIRECTIVE.match(line):
                raise refuse("directive", number, f"the directive {line[:60]!r} changes how this "
                             "file is read", "Remove it.")  # fmt: skip
            continue
        if not line:
            continue
        goes_on = line.endswith("\\")
        parts.append(line[:-1].rstrip() if goes_on else line)
        open_number = open_number or number
        if goes_on:
            continue
        found.append(_line(open_number, " ".join(part for part in parts if part)))
        open_number, parts = 0, []
    if parts:
        raise refuse("syntax", open_number, "the last line ends in a backslash",
                     "Finish the instruction.")  # fmt: skip
    return found


def _line(number: int, text: str) -> Line:
    word, _, rest = text.partition(" ")
    if "\t" in word:
        word, _, rest = text.partition("\t")
    return Line(number, word.upper(), rest.strip())


def _flags(rest: str) -> tuple[list[str], str]:
    words = rest.split()
    flags = []
    while words and words[0].startswith("--"):
        flags.append(words.pop(0))
    return flags, " ".join(words)


def _sources(line: Line, rest: str) -> list[str]:
    """All words of a COPY or ADD, in its shell or its JSON form."""
    if rest.startswith("["):
        try:
            words = json.loads(rest)
        except (ValueError, RecursionError):
            words = None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise refuse("syntax", line.number, "the list in brackets is not a JSON list of "
                         "strings", 'Write ["from", "to"].')  # fmt: skip
        return words
    return rest.split()


def _shell_words(text: str) -> list[str] | None:
    """The words of a line as a shell splits them, quotes kept; None when a quote stays open.

    >>> _shell_words("python3 -c 'print(1 << 2)' a\\\\ b")
    ['python3', '-c', "'print(1 << 2)'", 'a\\\\ b']
    """
    words: list[str] = []
    word, quote, escaped = "", "", False
    for letter in text:
        if escaped:
            escaped = False
        elif letter == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter.isspace():
            words += [word] if word else []
            word = ""
            continue
        word += letter
    if quote or escaped:
        return None
    return [*words, word] if word else words


def has_heredoc(text: str) -> bool:
    """Whether the arguments of an instruction hold a here-document, not merely a shift.

    >>> has_heredoc("cat <<EOF"), has_heredoc("cat<<EOF"), has_heredoc("echo $((1 << 2))")
    (True, True, False)
    """
    if "<<" not in text:
        return False
    words = _shell_words(text)
    if words is None or any(HEREDOC_WORD.fullmatch(word) for word in words):
        return True
    bare = " ".join([re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.", "_", word) for word in words])
    return HEREDOC.search(ARITHMETIC.sub("_", bare)) is not None


class _Checker:
    """Walks the instructions of one Dockerfile."""

    def __init__(self, bases: Mapping[str, str], labels: Mapping[str, str]) -> None:
        self.bases = bases
        self.label = " ".join(f"{key}={value}" for key, value in labels.items())
        self.arguments: dict[str, str] = {}
        self.stages: list[str] = []
        self.out: list[str] = []

    def take(self, line: Line) -> None:
        """Check one instruction and write it down."""
        if line.word in REFUSED:
            rule, why, fix = REFUSED[line.word]
            raise refuse(rule, line.number, f"{line.word} is not allowed: {why}", fix)
        if line.word in ("RUN", "COPY", "ADD") and has_heredoc(line.rest):
            raise refuse("heredoc", line.number, "here-documents are not supported",
                         "Put the text into a file of the build context. If << is a shift, put "
                         "spaces on both sides of it, or quotes around it all.")  # fmt: skip
        if line.word == "FROM":
            self.out.append(self._from(line))
            if self.label:
                self.out.append(f"LABEL {self.label}")
            return
        if line.word not in PLAIN | {"RUN", "ADD"}:
            raise refuse("syntax", line.number, f"{line.word[:30]!r} is not an instruction",
                         "See the Dockerfile reference for the names.")  # fmt: skip
        if not self.stages:
            self._global_argument(line)
        if line.word in ("LABEL", "MAINTAINER"):
            # An image keeps no labels of its author's, and none may replace those of the build.
            return
        rules = {"RUN": self._run, "ADD": self._add, "COPY": self._copy, "ENV": _named}
        rules.get(line.word, _fine)(line)
        self.out.append(f"{line.word} {line.rest}")

    def _global_argument(self, line: Line) -> None:
        if line.word != "ARG":
            raise refuse("syntax", line.number, f"{line.word} stands before FROM",
                         "Begin with FROM.")  # fmt: skip
        name, _, value = line.rest.partition("=")
        self.arguments[name] = value.strip("\"'")

    def _from(self, line: Line) -> str:
        flags, rest = _flags(line.rest)
        words = rest.split()
        named = len(words) == 3 and words[1].upper() == "AS"
        if flags or not (len(words) == 1 or named):
            raise refuse("syntax", line.number, f"cannot read FROM {line.rest[:80]!r}",
                         "Write FROM image, or FROM image AS name.")  # fmt: skip
        image = VARIABLE.sub(lambda m: self.arguments.get(m[1] or m[2], ""), words[0])
        image = image.removesuffix(":latest")
        if image in self.stages or image == "scratch":
            pinned = image
        elif image in self.bases:
            pinned = self.bases[image]
        else:
            known = ", ".join(sorted(self.bases)) or "none"
            raise refuse("base_image", line.number, f"the base image {image[:100]!r} is not on "
                         f"the list; allowed here: {known}, scratch",
                         "Build on one of these, or build it with your own Docker and send the "
                         "image: bullring submit FOLDER --build-here.")  # fmt: skip
        self.stages.append(words[2].lower() if named else str(len(self.stages)))
        return f"FROM {pinned} AS {words[2].lower()}" if named else f"FROM {pinned}"

    def _run(self, line: Line) -> None:
        flags, _ = _flags(line.rest)
        if flags:
            raise refuse("run_flag", line.number, f"RUN {flags[0][:40]} is not allowed",
                         "Use RUN without flags.")  # fmt: skip

    def _add(self, line: Line) -> None:
        flags, rest = _flags(line.rest)
        for word in [*flags, *_sources(line, rest)]:
            if REMOTE.search(word):
                raise refuse("add_remote", line.number, f"ADD of {word[:80]!r}: only plain files "
                             "of the build context can be added",
                             "Put the file into the context and use COPY.")  # fmt: skip

    def _copy(self, line: Line) -> None:
        flags, rest = _flags(line.rest)
        _sources(line, rest)
        for flag in flags:
            name, _, value = flag.partition("=")
            if name == "--from" and value.lower() not in self._stage_names():
                raise refuse("copy_from", line.number, f"COPY --from={value[:60]}: only an "
                             "earlier stage of this file can be copied from",
                             "Name a stage with FROM image AS name.")  # fmt: skip
            if name not in ("--from", "--chown", "--chmod"):
                raise refuse("syntax", line.number, f"COPY {name[:40]} is not supported",
                             "Use --from, --chown or --chmod.")  # fmt: skip

    def _stage_names(self) -> Sequence[str]:
        # Stages are known by number too; the one being written cannot copy from itself.
        done = self.stages[:-1]
        return [*done, *(str(number) for number in range(len(done)))]


def _named(line: Line) -> None:
    """ENV NAME=value NAME=value, or ENV NAME value."""
    words = _shell_words(line.rest) or [""]
    old = "=" not in words[0]
    nameless = [word for word in words if not old and word.startswith("=")]
    if nameless or (old and len(words) < 2):
        got = (nameless or [line.rest])[0]
        raise refuse("env", line.number, f"ENV {got[:60]!r} has no name or no value, expected "
                     "NAME=value", "Write ENV NAME=value.")  # fmt: skip


def _fine(line: Line) -> None:
    """Nothing more to check."""


def checked(data: bytes, bases: Mapping[str, str], labels: Mapping[str, str]) -> str:
    """The Dockerfile rewritten, base images pinned and labels added, or a refusal."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SubmissionRejected(
            "encoding", f"The Dockerfile is not UTF-8 at byte {error.start}.", "Save it as UTF-8."
        ) from error
    odd = FORBIDDEN.search(text) or (text.startswith("\ufeff") and re.match(".", text))
    if odd:
        raise SubmissionRejected(
            "encoding", f"The Dockerfile holds the control character {odd[0]!r}.", "Remove it."
        )
    checker = _Checker(bases, labels)
    for line in parse(text):
        checker.take(line)
    if not checker.stages:
        raise SubmissionRejected("syntax", "The Dockerfile has no FROM.", "Begin with FROM.")
    return "\n".join(checker.out) + "\n"
