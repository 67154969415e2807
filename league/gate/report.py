"""A gate's verdict as fields, for the store, the API and the terminal."""

import math
from dataclasses import asdict
from typing import Any

from league.gate.company import GateCompany
from league.gate.verdict import GateResult


def gate_report(
    result: GateResult, games: int, company: GateCompany | None = None
) -> dict[str, Any]:
    """A verdict as it is stored in `Gate.report`: endless bounds become null."""
    fields = {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in asdict(result).items()
    }
    panel = {} if company is None else {"company": asdict(company)}
    return {**fields, "verdict": result.verdict.name.lower(), "games": games, **panel}
