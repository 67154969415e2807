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
_OF_THE_EXTRA = ("gymnasium", "pettingzoo")


def __getattr__(name: str) -> object:
    # VecNimmt needs numpy alone; PettingZoo and Gymnasium are loaded by those who use them.
    if name not in _ELSEWHERE:
        raise AttributeError(f"train has no public name {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(_ELSEWHERE[name]), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_THE_EXTRA:
            raise
        raise ModuleNotFoundError(
            f"train.{name} needs {error.name}, which is not installed; type:"
            " pip install 'bullring[train]', or use train.VecNimmt, which does without",
            name=error.name,
        ) from None
