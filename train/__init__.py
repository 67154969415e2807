"""Environments for training bots on the referee's own rules. Needs the extra `bullring[train]`.

`VecNimmt` steps many games at once; the others are what PettingZoo and Gymnasium expect. What an
observation and an action mean is in `nimmt.encoding` and `nimmt.actions`, which bots have as well.
"""

from typing import TYPE_CHECKING

from nimmt.features import FEATURES
from train.export import write_bot
from train.features import card_features
from train.policy import CardPolicy
from train.vec import Step, VecNimmt

if TYPE_CHECKING:
    from train.aec import NimmtAEC
    from train.parallel import NimmtParallel
    from train.single import NimmtSingle

__all__ = [
    "FEATURES",
    "CardPolicy",
    "NimmtAEC",
    "NimmtParallel",
    "NimmtSingle",
    "Step",
    "VecNimmt",
    "card_features",
    "write_bot",
]
_ELSEWHERE = {
    "NimmtAEC": "train.aec",
    "NimmtParallel": "train.parallel",
    "NimmtSingle": "train.single",
}


def __getattr__(name: str) -> object:
    # VecNimmt needs numpy alone; PettingZoo and Gymnasium are loaded by those who use them.
    if name not in _ELSEWHERE:
        raise AttributeError(f"train has no public name {name!r}")
    from importlib import import_module

    return getattr(import_module(_ELSEWHERE[name]), name)
