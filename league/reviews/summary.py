"""A review in a few numbers, for lists of games: the costliest mistake, and the luckiest winner."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from store import JsonDict

BAND = 2.0
"""A loss below this many errors counts as none, as in the review itself."""


def is_clear(step: Mapping[str, Any]) -> bool:
    """Whether the bot itself chose something worse than the best, beyond doubt."""
    return bool(
        step["by"] == "bot" and step["mistake"] and step["loss"] > BAND * max(step["error"], 1e-9)
    )


def steps_of(review: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """All decisions of a review, each with its round."""
    for number, part in enumerate(review["rounds"]):
        for step in part["steps"]:
            yield number, step


def summary_of(review: Mapping[str, Any], places: Sequence[int]) -> JsonDict:
    """What is worth telling of a review; either may be None."""
    clear = [(number, step) for number, step in steps_of(review) if is_clear(step)]
    worst = max(clear, key=lambda pair: float(pair[1]["loss"]), default=None)
    winners = [one for one in review["seats"] if places[one["seat"]] == 1]
    lucky = min(winners, key=lambda one: float(one["ledger"]["luck"]), default=None)
    return {
        "costliest": worst and _mistake(*worst),
        "luckiest": lucky
        and {"seat": lucky["seat"], "luck": lucky["ledger"]["luck"], "points": lucky["points"]},
    }


def _mistake(number: int, step: Mapping[str, Any]) -> JsonDict:
    kept = ("seat", "decision", "turn", "kind", "choice", "best", "loss", "error")
    return {"round": number, **{name: step[name] for name in kept}}
