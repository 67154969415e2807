"""Finds the compiled core, checks that it is the one of these sources, and loads it.

Without it, or with NIMMT_PURE=1 in the environment, everything runs in pure Python.
"""

import ctypes
import os
from ctypes import POINTER, c_char_p, c_float, c_int32, c_int64, c_uint8, c_uint64
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nimmt.core.build import (
    HOW_TO_GET_ONE,
    SOURCES,
    environment_folder,
    find_compiler,
    fingerprint,
    library_name,
)
from nimmt.core.layout import (
    STRUCTURES,
    CChoice,
    CEvidence,
    CExpected,
    CHint,
    CPolicy,
    CSums,
    CTable,
)

PURE = "NIMMT_PURE"
FOLDER = "NIMMT_CORE_FOLDER"
_bytes = POINTER(c_uint8)
_numbers = POINTER(c_int32)
_table = POINTER(CTable)
_choices = POINTER(CChoice)
_policy = POINTER(CPolicy)
_guess = (_table, _bytes, c_int32, _choices)
SIGNATURES: dict[str, tuple[type, ...]] = {
    "nimmt_sizes": (c_int32,),
    "nimmt_random": (c_uint64, c_uint64, c_uint64, _bytes, c_int32, _bytes),
    "nimmt_rollouts": (
        *_guess, c_int32, _policy, _policy, POINTER(CHint), c_int32, POINTER(CExpected),
        c_uint64, c_int64, c_int32, POINTER(CSums),
    ),
    "nimmt_playouts": (*_guess, _policy, _policy, c_uint64, c_int64, _numbers),
    "nimmt_field": (
        _table, c_int32, _bytes, c_int32, POINTER(CEvidence), c_int32, _choices, c_int32,
        _policy, _policy, c_uint64, c_int64, c_int64, POINTER(c_int64), POINTER(c_int64),
    ),
    "nimmt_start": (_table, _table, c_int64, c_uint64),
    "nimmt_apply": (_table, _bytes, _choices),
    "nimmt_legal": (_table, c_int32, _bytes),
    "nimmt_games": (_table, _bytes, c_int64, c_uint64, _numbers, _numbers),
    "nimmt_observe": (_table, c_int64, c_int32, _bytes, _bytes),
    "nimmt_step": (
        _table, c_int64, c_int32, _bytes, _choices, _bytes, _bytes, _numbers, _bytes, _numbers,
    ),
    "nimmt_train_look": (_table, c_int64, c_int32, c_int32, _bytes, _bytes, _bytes),
    "nimmt_train_step": (
        _table, c_int64, c_int32, c_int32, _numbers, _bytes, _bytes, _bytes, POINTER(c_float),
        _numbers, _bytes, _numbers,
    ),
}  # fmt: skip


class CoreError(Exception):
    """The core refused what it was given, or is not usable; the message says why."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Which engine plays rollouts and batches here, and how to get the other one."""

    compiled: bool
    found: str
    """Which one it is, and where it lies or why it is not the other."""
    get: str = ""
    """How to get the compiled one."""
    path: Path | None = None

    @property
    def about(self) -> str:
        """One line for people."""
        return f"{self.found}; for the compiled core: {self.get}" if self.get else self.found

    @property
    def name(self) -> str:
        return "compiled" if self.compiled else "pure"


def open_library(path: Path, expected: str) -> ctypes.CDLL:
    """Load a library and make sure that it was built from the sources beside us."""
    try:
        library = ctypes.CDLL(str(path))
        library.nimmt_fingerprint.restype = c_char_p
        got = library.nimmt_fingerprint().decode("ascii", "replace")
        for name, arguments in SIGNATURES.items():
            function = library[name]
            function.argtypes = arguments
            function.restype = c_uint64 if name == "nimmt_random" else c_int32
            setattr(library, name, function)
    except (OSError, AttributeError) as error:
        raise CoreError(f"{path} cannot be loaded: {error}") from None
    if got != expected:
        raise CoreError(f"{path} was built from other sources ({got}, expected {expected})")
    sizes = [library.nimmt_sizes(index) for index in range(len(STRUCTURES))]
    if sizes != [ctypes.sizeof(kind) for kind in STRUCTURES]:
        raise CoreError(f"{path} has other structures than layout.py: sizes {sizes}")
    return library


def folders() -> tuple[Path, ...]:
    """Where a library may lie: in the installed package, or in the environment of a checkout; in a
    folder that is named first of all, so that a build with sanitizers can be tried."""
    named = os.environ.get(FOLDER)
    return (*([Path(named)] if named else []), SOURCES, environment_folder())


@cache
def _found() -> tuple[ctypes.CDLL | None, Engine]:
    if os.environ.get(PURE, "") not in ("", "0"):
        return None, Engine(False, f"pure Python, as {PURE} is set", f"unset {PURE}")
    expected = fingerprint()
    if expected is None:
        return None, Engine(False, "pure Python, from a zip file", "unpack or install it")
    reason = ""
    for folder in folders():
        path = folder / library_name(expected)
        if not path.exists():
            continue
        try:
            library = open_library(path, expected)
            return library, Engine(True, f"compiled core ({path})", path=path)
        except CoreError as error:
            reason = f", as {error}"
    get = HOW_TO_GET_ONE if find_compiler() is None else "run python -m nimmt.core"
    return None, Engine(False, f"pure Python{reason}", get)


def engine() -> Engine:
    """What plays rollouts and batches in this process."""
    return _found()[1]


def load(pure: bool | None = None) -> ctypes.CDLL | None:
    """The library to use: None for pure Python. `pure=False` insists on the core."""
    if pure:
        return None
    library, here = _found()
    if library is None and pure is False:
        raise CoreError(f"the compiled core is not here: this is {here.about}")
    return library


_ANSWERS = {
    -1: "a table that these rules can lead to",
    -2: "1 to 128 legal candidates",
    -3: "a policy with weights from 1 to 2^24, and none by slot risk in 11 nimmt!",
    -4: "a budget of one rollout for each candidate or more, or a count in range",
    -5: "evidence by seat, of other seats than the one that looks",
    -6: "up to 16 hints a seat in their order, of other seats than the one that is asked",
    -7: "weights from 1 to 2^24 for every card that a seat is expected to lay",
    -8: "a buffer for everything that the call reads and writes",
}


def check(answer: int, what: str) -> None:
    """Raise what the core answered, if it refused."""
    if answer:
        expected = _ANSWERS.get(answer, f"legal choices, seat {-answer - 16} made another")
        raise CoreError(f"{what} was refused; expected {expected}")
