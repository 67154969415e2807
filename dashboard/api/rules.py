"""The rules that can be played."""

from typing import Annotated

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from api_models.models import RulesOut
from dashboard.api.common import OPTIONAL, api_router, begin, errors, send, send_all
from dashboard.http import Refused
from nimmt import GAMES, get

router = api_router("rules")
RulesPart = Annotated[
    str, Path(max_length=60, description="The name of the rules.", examples=["six-nimmt"])
]


@router.get("/rules", response_model=list[RulesOut], responses=errors(), openapi_extra=OPTIONAL)
def rules_list(request: Request) -> Response:
    """All rule sets, with their default options."""
    begin(request)
    return send_all(request, [_public(name) for name in GAMES])


@router.get("/rules/{name}", response_model=RulesOut, responses=errors(404), openapi_extra=OPTIONAL)
def rules_get(request: Request, name: RulesPart) -> Response:
    """One rule set."""
    begin(request)
    if name not in GAMES:
        raise Refused(404, f"got rules {name!r}, expected one of {', '.join(GAMES)}")
    return send(request, _public(name))


def _public(name: str) -> RulesOut:
    rules = get(name, {})
    return RulesOut(
        name=rules.name,
        title=rules.title,
        version=rules.version,
        min_players=rules.min_players,
        max_players=rules.max_players,
        options=dict(rules.options),
        kinds=list(rules.kinds),
    )
