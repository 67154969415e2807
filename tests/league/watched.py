"""What a supervisor tells of a watched match, from a referee without processes."""

from collections.abc import Iterator, Mapping
from typing import Any

from league.live import Broadcast
from nimmt.events import to_json
from referee.plan import MatchPlan
from tests.referee.simulation import Simulation, honest, make_plan


def watched_plan(players: int = 3, boards: int = 4, rules: str = "six-nimmt") -> MatchPlan:
    return make_plan(players, boards, rules, in_flight=1, watch=True)


def told(plan: MatchPlan) -> Iterator[Mapping[str, Any]]:
    """The messages in their order."""
    run = Simulation(plan, honest(len(plan.bots))).run()
    for game_no, events in run.watched_events:
        shown = [to_json(event) for event in events]
        yield {"type": "event", "pass": 0, "game_no": game_no, "events": shown}
        if shown[-1]["event"] == "game_end":
            of = len(plan.passes[0])
            yield {"type": "progress", "games": game_no + 1, "of": of, "decisions": 1}


def broadcast_match(broadcast: Broadcast, match_id: int, plan: MatchPlan) -> None:
    """A whole match, told at once."""
    broadcast.begin(match_id, plan)
    for message in told(plan):
        broadcast.tell(match_id, message)
    broadcast.end(match_id, "done")
