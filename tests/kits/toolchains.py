"""The languages of the kits: how a bot of each is built and started, or why that cannot be done."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from kits.images import make_image
from sandbox.base.make import make_base
from tests.services import missing

ROOT = Path(__file__).resolve().parents[2]
KITS = ROOT / "kits"
PROBES = Path(__file__).with_name("probes")
LANGUAGES = ("python", "javascript", "cpp", "ruby", "go")
NEEDS = {
    "python": (),
    "javascript": ("node", "npm", "make"),
    "cpp": ("g++", "make", "pkg-config", "protoc", "grpc_cpp_plugin"),
    "ruby": ("ruby", "make", "grpc_tools_ruby_protoc"),
    "go": ("go", "make", "protoc"),
}
LIBRARIES = {
    "cpp": ("pkg-config", "--exists", "grpc++_unsecure", "protobuf"),
    "ruby": ("ruby", "-e", "require 'grpc'; require 'minitest'"),
    "go": ("test", "-d", "/usr/share/gocode/src/google.golang.org/grpc"),
}
"""Commands that fail where a library is missing."""
COMPILED = ("cpp", "go")
"""Their bots are programs of their own, and cannot even return what is no choice."""
ADVICE = {
    "python": "",
    "javascript": "apt install nodejs npm make",
    "cpp": "apt install g++ make pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc",
    "ruby": "apt install ruby ruby-grpc ruby-grpc-tools ruby-minitest make",
    "go": "apt install golang-go golang-google-grpc-dev golang-google-protobuf-dev"
    " protobuf-compiler make",
}


@dataclass(frozen=True, slots=True)
class Kit:
    """A language whose tools are here and whose kit is built."""

    language: str
    sample: Path
    command: tuple[str, ...]
    """Starts the probe; the style follows."""
    env: Mapping[str, str] = field(default_factory=dict)


def build(folder: Path) -> None:
    """Run make there, one test process at a time."""
    # The parallel processes of a test run share the checkout, and make knows nothing of that.
    # The optimiser costs most of the time, and has its say where bots are built for containers.
    quick = {**os.environ, "CXXFLAGS": "-O0"}
    with _one_at_a_time(folder):
        done = subprocess.run(
            ["make", "-C", str(folder)],
            capture_output=True, text=True, check=False, timeout=900, env=quick,
        )  # fmt: skip
    assert done.returncode == 0, f"make -C {folder}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}"


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    name = "bullring-kit-" + str(folder).strip("/").replace("/", "-") + ".lock"
    with (Path(tempfile.gettempdir()) / name).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def need_tools(language: str) -> None:
    """Skip, or fail where everything is required, when a program of the language is missing."""
    absent = [name for name in NEEDS[language] if shutil.which(name) is None]
    if absent:
        missing(f"the {language} tools", f"{', '.join(absent)} not found; {ADVICE[language]}")
    command = LIBRARIES.get(language)
    if command and subprocess.run(command, capture_output=True, check=False).returncode != 0:
        missing(f"the {language} libraries", f"{' '.join(command)} fails; {ADVICE[language]}")
    if language == "javascript" and not (KITS / language / "node_modules").is_dir():
        with _one_at_a_time(KITS / language):
            fetch = ["make", "-C", str(KITS / language)]
            done = subprocess.run(fetch, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            missing("the packages of the JavaScript kit", f"npm ci fails: {done.stderr[-500:]}")


def prepared(language: str) -> Kit:
    """The kit of a language, built."""
    need_tools(language)
    probe = PROBES / language
    sample = ROOT / "sample_bots" / language
    if language == "python":
        command = (sys.executable, str(probe / "bot.py"))
        return Kit(language, ROOT / "sample_bots" / "gap", command, {"PYTHONPATH": str(ROOT)})
    if language in COMPILED:
        build(probe)
        build(sample)
        return Kit(language, sample, (str(probe / "build" / "bot"),))
    build(KITS / language)
    if language == "javascript":
        command = ("node", str(probe / "bot.js"))
        return Kit(language, sample, command, {"NODE_PATH": str(KITS / language)})
    return Kit(language, sample, ("ruby", "-I", str(KITS / language), str(probe / "bot.rb")))


# A bot in C++ is compiled on its own base and runs on the base of Python bots.
common_base = cache(make_base)


@cache
def base_of(language: str) -> str:
    """The base image of a language's bots, made when it is not there yet, once a test run."""
    try:
        common_base()
        return make_image(language)
    except (SystemExit, subprocess.CalledProcessError) as error:
        missing(f"the base image of {language}", f"python -m kits.images {language} ({error})")


def environment(**more: str) -> dict[str, str]:
    """A bot's environment: nothing of ours but the way to its programs."""
    passed = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**passed, "PYTHONUNBUFFERED": "1", **more}
