"""With BULLRING_CORE=1 the wheel holds the compiled core and is for this platform alone."""

import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_GLIBC = (2, 17)


def platform_tag(library: Path) -> str:
    """What an installer must find: on Linux the glibc whose symbols the library asks for."""
    plain = re.sub(r"[^a-zA-Z0-9]", "_", sysconfig.get_platform())
    versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", library.read_bytes())
    if not versions or not plain.startswith("linux_"):
        return plain
    major, minor = max(OLDEST_GLIBC, *[(int(a), int(b)) for a, b in versions])
    return f"manylinux_{major}_{minor}_{plain.removeprefix('linux_')}"


class CoreHook(BuildHookInterface[Any]):
    """Puts the library beside its sources, where the loader looks first."""

    scratch: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is made; build_data says what goes into it."""
        if os.environ.get("BULLRING_CORE", "") in ("", "0"):
            return
        sys.path.insert(0, str(Path(self.root).resolve().parents[1]))
        from nimmt.core.build import build

        self.scratch = Path(mkdtemp(prefix="bullring-core-"))
        library = build(self.scratch)
        build_data["force_include"][str(library)] = f"nimmt/core/{library.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag(library)}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the wheel is made."""
        if self.scratch is not None:
            shutil.rmtree(self.scratch)
