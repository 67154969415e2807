"""The layers of a stranger's image, copied entry by entry into tars of our own.

Only files, folders and links pass, without owners, setuid bits or extended attributes. The
flattened tree, from which a fingerprint is made, grows on the way.
"""

import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from sandbox.api import SubmissionRejected
from sandbox.engine import compact
from sandbox.tarcheck import Budget, decompressed, entries, safe_name

WHITEOUT = ".wh."
OPAQUE = ".wh..wh..opq"


FOLDER = ("dir",)


def kind_of(facts: tuple[str, ...]) -> str:
    """What an entry is, in a word for people."""
    return {"symlink": "link", "dir": "folder"}.get(facts[0], "file")


@dataclass(slots=True)
class Node:
    """A file, link or folder, by what matters to a bot, and what is in it."""

    facts: tuple[str, ...] = FOLDER
    inside: dict[str, "Node"] = field(default_factory=dict)


def _check_whiteout(name: str, what: str) -> None:
    """A name that begins with `.wh.` takes something away; engines choke on any other use."""
    *folders, last = name.split("/")
    hidden = last.removeprefix(WHITEOUT)
    odd = last.startswith(WHITEOUT) and last != OPAQUE and (
        hidden in ("", ".", "..") or hidden.startswith(WHITEOUT)
    )  # fmt: skip
    if odd or any(folder.startswith(WHITEOUT) for folder in folders):
        raise SubmissionRejected(
            "whiteout", f"{what} holds {name[:100]!r}: in an image such a name means that a file "
            f"of a lower layer is removed, expected {WHITEOUT} and the name of that file.",
            "Rename the file, or leave it out.",
        )  # fmt: skip


class Tree:
    """All layers flattened: what a bot sees. Every step costs only the depth of its path."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._root = Node()
        self.setuid: list[str] = []

    def put(self, path: str, *facts: str) -> None:
        """Add an entry of the next layer, which may be one that hides others."""
        *folders, name = path.split("/")
        parent = self._root
        for depth, folder in enumerate(folders, start=1):
            if folder not in parent.inside:
                # Folders that no entry names take memory here and room on the disk all the same.
                self._budget.take_file()
                parent.inside[folder] = Node()
            parent = parent.inside[folder]
            if parent.facts != FOLDER:
                # Some engines would write where a link leads, some would put a folder in its place.
                raise SubmissionRejected(
                    "through_link", f"The image holds {path[:100]!r}, but "
                    f"{'/'.join(folders[:depth])[:100]!r} is a {kind_of(parent.facts)}, expected a "
                    "folder.", "Write to the real path, or make a folder of it first.",
                )  # fmt: skip
        if name == OPAQUE:
            parent.inside.clear()
        elif name.startswith(WHITEOUT):
            parent.inside.pop(name.removeprefix(WHITEOUT), None)
        elif facts == FOLDER and parent.inside.get(name, Node(("",))).facts == FOLDER:
            return
        else:
            # A file in place of a folder hides what was in it.
            parent.inside[name] = Node(facts)

    def facts(self, path: str) -> tuple[str, ...] | None:
        """What is known of a path; None when it does not exist."""
        node: Node | None = self._root
        for part in path.split("/"):
            node = node.inside.get(part) if node else None
        return node.facts if node else None

    def obstacle(self, path: str) -> tuple[str, str] | None:
        """The first part of a path that exists and is not a folder, and what it is."""
        parts = path.split("/") if path else []
        node: Node | None = self._root
        for depth, part in enumerate(parts, start=1):
            node = node.inside.get(part) if node else None
            if node and node.facts != FOLDER:
                return "/".join(parts[:depth]), kind_of(node.facts)
        return None

    def _walk(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        open_nodes = [("", self._root)]
        while open_nodes:
            path, node = open_nodes.pop()
            yield path, node.facts
            open_nodes += [(f"{path}/{name}", child) for name, child in node.inside.items()]

    def digest(self, command: Mapping[str, Any]) -> str:
        """The fingerprint: equal for equal files and command, whoever built it and when."""
        text = compact([sorted(self._walk()), command])
        return hashlib.sha256(text.encode()).hexdigest()


class LayerWriter:
    """Copies the layers of one image, entry by entry, into tars of our own."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.tree = Tree(budget)
        self._names: set[bytes] = set()
        """Digests of the names in the layer that is being copied."""

    def copy(self, source: IO[bytes], target: IO[bytes], number: int) -> str:
        """Copy one layer; returns its digest."""
        what = f"Layer {number}"
        reader = decompressed(source, self.budget.limit_unpacked * 2, what)
        hashed = _Hashed(target)
        self._names.clear()
        # The library only writes to it; its types ask for a whole file.
        with tarfile.open(fileobj=hashed, mode="w|", format=tarfile.PAX_FORMAT) as out:  # type: ignore[call-overload]
            for tar, entry in entries(reader, what):
                self._entry(tar, entry, out, what)
                out.members.clear()
        return "sha256:" + hashed.digest.hexdigest()

    def _entry(
        self, tar: tarfile.TarFile, entry: tarfile.TarInfo, out: tarfile.TarFile, what: str
    ) -> None:
        name = safe_name(entry.name, what)
        self.budget.take_file()
        if name:
            self._check_name(name, entry, what)
        if not name or (not (entry.isfile() or entry.isdir() or entry.issym() or entry.islnk())):
            # The container's /dev is its own; nodes from a base system's /dev mean nothing there.
            if not name or name == "dev" or name.startswith("dev/"):
                return
            raise SubmissionRejected(
                "special_file", f"{what} holds {name[:100]!r}, a device or another special file.",
                "Leave it out: only files, folders and links are allowed.",
            )  # fmt: skip
        clean = tarfile.TarInfo(name)
        clean.type = entry.type if not entry.isfile() else tarfile.REGTYPE
        clean.mode = entry.mode & 0o777 | (entry.mode & 0o1000 if entry.isdir() else 0)
        clean.mtime = int(entry.mtime) if 0 <= entry.mtime < 2**33 else 0
        if entry.isfile() and entry.mode & 0o6000:
            self.tree.setuid.append(name)
        if entry.isfile():
            self.budget.take_bytes(entry.size)
            clean.size = entry.size
            content = _HashedReader(tar.extractfile(entry))
            out.addfile(clean, content)  # type: ignore[arg-type]  # it only reads
            self.tree.put(name, "file", str(clean.mode & 0o111), content.digest.hexdigest())
            return
        if entry.islnk():
            clean.linkname = safe_name(entry.linkname.lstrip("/"), what)
            self.tree.put(name, *self._linked(name, clean.linkname, what))
        elif entry.issym():
            clean.linkname = entry.linkname
            self.tree.put(name, "symlink", entry.linkname)
        else:
            self.tree.put(name, "dir")
        out.addfile(clean)

    def _check_name(self, name: str, entry: tarfile.TarInfo, what: str) -> None:
        """Engines refuse a layer that names one path twice, or removes what it has just added."""
        _check_whiteout(name, what)
        folder, slash, last = name.rpartition("/")
        removes = last.startswith(WHITEOUT) and last != OPAQUE
        hidden = f"{folder}{slash}{last.removeprefix(WHITEOUT)}"
        if last.startswith(WHITEOUT) and not entry.isfile():
            raise SubmissionRejected(
                "whiteout", f"{what} holds {name[:100]!r} as a folder or link, expected a plain "
                "file: the name means that something is removed.", "Rename it, or leave it out.",
            )  # fmt: skip
        if removes and _digest(hidden) in self._names:
            raise SubmissionRejected(
                "whiteout", f"{what} both adds and removes {hidden[:100]!r}, expected one of the "
                "two.", "Make the image with `docker build`, the archive with `docker save`.",
            )  # fmt: skip
        if _digest(name) in self._names:
            raise SubmissionRejected(
                "duplicate_name", f"{what} holds {name[:100]!r} twice, expected each path once.",
                "Leave one of them out: an archive that was appended to holds the old file too.",
            )  # fmt: skip
        self._names.add(_digest(name))

    def _linked(self, name: str, target: str, what: str) -> tuple[str, ...]:
        """What a hard link leads to: a file that came before it in its own layer."""
        facts = self.tree.facts(target)
        if facts is None or facts == FOLDER or _digest(target) not in self._names:
            raise SubmissionRejected(
                "hard_link", f"{what} holds {name[:100]!r} as a hard link to {target[:100]!r}, "
                "expected a file that comes before it in the same layer.",
                "Use a symbolic link or a copy.",
            )  # fmt: skip
        return facts


def _digest(name: str) -> bytes:
    """A name in few bytes: there may be many, and each may be long."""
    data = name.encode("utf-8", "surrogateescape")
    return hashlib.blake2b(data, digest_size=16).digest()


class _Hashed:
    """A writer that hashes what goes through."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return self._target.write(data)


class _HashedReader:
    """A reader that hashes what goes through."""

    def __init__(self, source: IO[bytes] | None) -> None:
        self._source = source or io.BytesIO()
        self.digest = hashlib.sha256()

    def read(self, size: int) -> bytes:
        data = self._source.read(size)
        self.digest.update(data)
        return data
