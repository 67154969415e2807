"""Who owns a container or a socket directory, and whether that owner still lives.

An owner is a process that holds a lock on a file in the state directory. The lock goes with the
process however it dies, so that a reaper never needs pids, which come back and mean nothing
across namespaces.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sandbox.api import PlatformFault

LABEL = "bullring"
OWNER_LABEL = "bullring.owner"
SITE_LABEL = "bullring.site"
TOKEN = re.compile(r"[0-9a-f]{12}")
CONTAINERS = "containers"
"""The folder in an owner's own where its containers are noted."""
MAX_SOCKET_PATH = 100
"""The kernel takes 107 bytes; a socket's whole path must stay below."""


def default_state_dir() -> Path:
    """`/run/bullring` for root, else the user's runtime directory."""
    if os.geteuid() == 0:
        return Path("/run/bullring")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "bullring" if runtime else Path(f"/tmp/bullring-{os.geteuid()}")


def _refuse_foreign(folder: Path) -> None:
    """Whoever owns the folder, or may write to it, can put sockets of their own into it.

    In /tmp any user can be first to make a folder or a link of that name.
    """
    for found in (folder.lstat(), folder.stat()):
        others = 0 if stat.S_ISLNK(found.st_mode) else found.st_mode & stat.S_IWOTH
        if found.st_uid != os.geteuid() or others:
            raise PlatformFault(
                f"The state directory {folder} belongs to uid {found.st_uid} (mode "
                f"{found.st_mode & 0o777:o}), expected uid {os.geteuid()} and a mode that lets "
                "no other user write. Remove it, or set XDG_RUNTIME_DIR to a folder of your own."
            )


class Owner:
    """This process as an owner: its lock, its labels, its socket directories."""

    def __init__(self, state_dir: Path | None = None, host: str | None = None) -> None:
        self._host = host or socket.gethostname()
        self.state_dir = (state_dir or default_state_dir()).absolute()
        # 0711: the referee's uid must be able to reach its own directories, and see no others.
        self.state_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
        _refuse_foreign(self.state_dir)
        self.token = secrets.token_hex(6)
        # Locked before it has its name, and named before the folder exists: a sweep that runs at
        # the same time never sees an unlocked lock or a folder without one.
        unnamed = self.state_dir / f"{self.token}.new"
        self._home = self.state_dir / self.token
        self._lock = os.open(unnamed, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            unnamed.rename(self.state_dir / f"{self.token}.lock")
            self._home.mkdir(mode=0o711)
            self._home.chmod(0o711)
        except OSError:
            # The folder may be full; whoever tries again must not fill it further.
            unnamed.unlink(missing_ok=True)
            self.close()
            raise

    @property
    def site(self) -> str:
        """Names this host and state directory, so that two installations leave each other alone."""
        text = f"{self._host}:{self.state_dir}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def labels(self) -> dict[str, str]:
        """What every container of this owner carries."""
        return {LABEL: "bot", OWNER_LABEL: self.token, SITE_LABEL: self.site}

    def new_socket_dir(self, uid: int | None = None) -> Path:
        """A fresh directory for one seat's socket, given to the referee's uid.

        Layout: an unguessable folder that only the referee may enter, and in it the one that is
        mounted. So the socket itself may be open to every uid, and still only this seat's bot
        reaches it.
        """
        gate = self._home / secrets.token_hex(6)
        gate.mkdir(mode=0o700)
        inner = gate / "s"
        inner.mkdir(mode=0o755)
        inner.chmod(0o755)
        if uid is not None:
            os.chown(gate, uid, uid)
            os.chown(inner, uid, uid)
        if len(os.fsencode(inner)) + len("/referee.sock") > MAX_SOCKET_PATH:
            raise ValueError(
                f"The state directory {str(self.state_dir)!r} is too long for unix sockets: "
                f"choose one so that {str(inner)!r} plus /referee.sock fits in 100 bytes."
            )
        return inner

    def remove_socket_dir(self, inner: Path) -> None:
        """Remove a directory that `new_socket_dir` made; gone is fine."""
        shutil.rmtree(inner.parent, ignore_errors=True)

    def note(self, container: str) -> None:
        """Remember a container beyond this process: what serves it may outlive it in the engine."""
        folder = self._home / CONTAINERS
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / container).touch()

    def forget(self, container: str) -> None:
        """Nothing of this container is left; never noted is fine."""
        (self._home / CONTAINERS / container).unlink(missing_ok=True)

    def noted_by_the_dead(self) -> set[str]:
        """The containers that owners of this site had noted and not forgotten when they died."""
        noted = self.state_dir.glob(f"*/{CONTAINERS}/*")
        return {path.name for path in noted if self.is_gone(path.parent.parent.name)}

    def scratch_prefix(self) -> str:
        """How names of this owner's folders in the temporary directory begin: large files."""
        return f"bullring-{self.site}-{self.token}-"

    def _old_scratch(self) -> Iterator[tuple[str, Path]]:
        begin = f"bullring-{self.site}-"
        for path in Path(tempfile.gettempdir()).glob(begin + "*"):
            yield path.name.removeprefix(begin).partition("-")[0], path

    def is_gone(self, token: str) -> bool:
        """Whether the owner with this token has died. Never true for this one."""
        if token == self.token:
            return False
        path = self.state_dir / f"{token}.lock"
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(descriptor)
        return True

    def sweep(self) -> list[str]:
        """Remove the lock files and directories of owners that are gone; says which."""
        removed = []
        folders = {path.name for path in self.state_dir.iterdir() if TOKEN.fullmatch(path.name)}
        locks = {path.stem for path in self.state_dir.glob("*.lock")}
        for token in sorted(folders | locks):
            if self.is_gone(token):
                shutil.rmtree(self.state_dir / token, ignore_errors=True)
                (self.state_dir / f"{token}.lock").unlink(missing_ok=True)
                removed.append(token)
        for token, path in self._old_scratch():
            if self.is_gone(token):
                shutil.rmtree(path, ignore_errors=True)
        return removed

    def close(self) -> None:
        """Release the lock and remove everything of this owner."""
        shutil.rmtree(self._home, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            (self.state_dir / f"{self.token}.lock").unlink()
        os.close(self._lock)
