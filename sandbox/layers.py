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


@dataclass(slots=True)
class Node:
    """A file, link or folder, by what matters to a bot, and what is in it."""

    facts: tuple[str, ...] = FOLDER
    inside: dict[str, "Node"] = field(default_factory=dict)


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
        for folder in folders:
            if folder not in parent.inside:
                # Folders that no entry names take memory here and room on the disk all the same.
                self._budget.take_file()
                parent.inside[folder] = Node()
            parent = parent.inside[folder]
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
        """What is known of a path, None when it is not there."""
        node: Node | None = self._root
        for part in path.split("/"):
            node = node.inside.get(part) if node else None
        return node.facts if node else None

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

    def copy(self, source: IO[bytes], target: IO[bytes], number: int) -> str:
        """Copy one layer; returns its digest."""
        what = f"Layer {number}"
        reader = decompressed(source, self.budget.limit_unpacked * 2, what)
        hashed = _Hashed(target)
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
            self.tree.put(name, *(self.tree.facts(clean.linkname) or ("link", clean.linkname)))
        elif entry.issym():
            clean.linkname = entry.linkname
            self.tree.put(name, "symlink", entry.linkname)
        else:
            self.tree.put(name, "dir")
        out.addfile(clean)


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
