"""Version gates: is a new version better than the old one, and who has to show it.

The sequential test itself is in `league.ratings`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.gate.company import GateCompany, GateStep, deal, gate_company, least_steps
    from league.gate.due import open_due, waiting_gates
    from league.gate.life import advance, cancel, open_gate, queue_matches
    from league.gate.report import gate_report
    from league.gate.requirement import (
        accept_version,
        choose_version,
        gate_rule,
        proven,
        required,
        rule_sentence,
        set_rule,
        set_rules,
    )
    from league.gate.verdict import GateResult, GateSettings, GateVerdict, judge_gate
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
