"""Writes a trained policy as a bot in one file, which needs botkit alone: no numpy, no `train`."""

import json
from pathlib import Path

from nimmt.encoding import OBSERVATION_VERSION
from nimmt.features import FEATURE_VERSION, FEATURES
from train.policy import CardPolicy

TEMPLATE = '''\
"""A trained bot for 6 nimmt! and X nimmt!. `train.write_bot` wrote this file."""

import json
import math

from botkit import Bot, SixNimmtView, XNimmtView, run
from nimmt.encoding import OBSERVATION_VERSION, encode
from nimmt.features import FEATURE_VERSION, card_features, cheapest_row

TRAINED = json.loads("""
{weights}
""")
if (TRAINED["observation"], TRAINED["features"]) != (OBSERVATION_VERSION, FEATURE_VERSION):
    raise SystemExit("this bot was trained with another version of botkit: train it again")
UNITS = list(zip(zip(*TRAINED["inner"]), TRAINED["shift"], TRAINED["outer"]))


def dot(one, other):
    return sum([a * b for a, b in zip(one, other)])


def score(features):
    hidden = [out * math.tanh(dot(features, into) + shift) for into, shift, out in UNITS]
    return sum(hidden) + dot(features, TRAINED["direct"])


class {name}(Bot):
    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        found = card_features(encode(view, "card"))
        return max(found, key=lambda card: score(found[card]))

    def choose_row(self, view: SixNimmtView | XNimmtView) -> int:
        return cheapest_row(encode(view, "row"))


if __name__ == "__main__":
    run({name}, rules=["six-nimmt", "x-nimmt"])
'''


def write_bot(policy: CardPolicy, path: str | Path, name: str = "TrainedBot") -> Path:
    """Write the policy as a bot, `NAME.py` or a folder's `bot.py`; returns where."""
    if not name.isidentifier():
        raise ValueError(f"got the name {name!r}, expected a name for a Python class")
    target = Path(path)
    parts = dict(zip(("inner", "shift", "outer", "direct"), policy.weights(), strict=True))
    weights: dict[str, object] = {key: part.round(5).tolist() for key, part in parts.items()}
    versions = {"observation": OBSERVATION_VERSION, "features": FEATURE_VERSION}
    assert len(policy.direct) == len(FEATURES)
    text = json.dumps({**versions, **weights}, separators=(",", ":")).replace("],[", "],\n[")
    written = TEMPLATE.replace("{weights}", text).replace("{name}", name)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(written, encoding="utf-8")
    return target
