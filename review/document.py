"""A review as JSON: `bullring-review/1`, one document a game. docs/review.md describes it."""

import hashlib
import json
from typing import Any

from nimmt.choices import choice_to_json
from nimmt.core.field import EPSILON
from review.game import Review, RoundReview, Step
from review.ledger import UNIT, Ledger, total
from review.values import Alternative, Hindsight

FORMAT = "bullring-review/1"
MOST_ALTERNATIVES = 12
"""How many alternatives are written down for a decision, the best first."""


def digest(replay: dict[str, Any]) -> str:
    """What names a replay: the hash of its JSON with sorted keys and no spaces."""
    text = json.dumps(replay, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def to_json(review: Review) -> dict[str, Any]:
    """The review as one document."""
    settings = review.settings
    return {
        "format": FORMAT,
        "replay": digest(review.document),
        "settings": {
            "seed": settings.seed,
            "policy": review.policy,
            "epsilon": EPSILON,
            "rollouts": settings.rollouts,
        },
        "rollouts": review.rollouts,
        "seats": [
            {"seat": seat, **_ledger(total(part.ledgers[seat] for part in review.rounds))}
            for seat in review.seats
        ],
        "rounds": [_round(part) for part in review.rounds],
    }


def _ledger(booked: Ledger) -> dict[str, Any]:
    return {
        "points": booked.points // UNIT,
        "ledger": {
            "hand": booked.hand / UNIT,
            "decisions": booked.decisions / UNIT,
            "faults": booked.faults / UNIT,
            "luck": booked.luck / UNIT,
        },
        "errors": {name: round(error, 3) for name, error in booked.errors.items()},
    }


def _round(part: RoundReview) -> dict[str, Any]:
    return {
        "seats": [{"seat": seat, **_ledger(booked)} for seat, booked in part.ledgers.items()],
        "steps": [_step(step) for step in part.steps],
    }


def _step(step: Step) -> dict[str, Any]:
    one, entry = step.judgement, step.entry()
    return {
        "seat": step.seat,
        "decision": step.decision,
        "turn": step.turn,
        "kind": step.kind,
        "choice": choice_to_json(step.choice),
        "by": step.by,
        "v": entry.v / UNIT,
        "q": entry.q / UNIT,
        "loss": round(one.loss.value, 3),
        "error": round(one.loss.error, 3),
        "mistake": one.mistake,
        "best": choice_to_json(one.best),
        "ess": one.ess,
        "considered": len(one.alternatives),
        "complete": one.complete,
        "alternatives": [_alternative(other) for other in _shown(step)],
        "hindsight": None if step.hindsight is None else _hindsight(step.hindsight),
    }


def _hindsight(back: Hindsight) -> dict[str, Any]:
    return {
        "best": choice_to_json(back.best),
        "q": round(back.q.value, 3),
        "loss": round(back.loss.value, 3),
        "error": round(back.loss.error, 3),
    }


def _shown(step: Step) -> list[Alternative]:
    """The best alternatives, and always the choice itself."""
    every = step.judgement.alternatives
    return every[:MOST_ALTERNATIVES] + [
        other for other in every[MOST_ALTERNATIVES:] if other.choice == step.choice
    ]


def _alternative(other: Alternative) -> dict[str, Any]:
    return {
        "choice": choice_to_json(other.choice),
        "q": round(other.q.value, 3),
        "error": round(other.q.error, 3),
        "near": other.near,
        "tied": other.tied,
    }
