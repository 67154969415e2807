"""What the API says of friendly matches, as types."""

from datetime import datetime

from pydantic import Field

from api_models.base import Given, Public
from api_models.states import MatchState


class FriendlySeatOut(Public):
    """A bot at the table; numbers are null until the match is done."""

    number: int
    bot: str = Field(examples=["ada/greedy"])
    version: int
    games: int
    points_per_round: float | None
    points_half: float | None = Field(
        description="Half the 95 % interval by block; null with fewer than five blocks."
    )
    win_share: float | None
    mean_place: float | None
    faults: int
    out_games: int
    median_ms: float | None
    worst_ms: float | None


class FriendlyOut(Public):
    """A friendly match: how far it is, and what came of it."""

    match: int = Field(examples=[12])
    bot: str = Field(examples=["ada/greedy"], description="Whose owner asked for it.")
    state: MatchState
    rules: str = Field(examples=["six-nimmt"])
    options: dict[str, object]
    boards: int
    passes: int
    games: int = Field(description="How many there are to play.")
    games_over: int | None = Field(description="How many are over; null when that is not known.")
    ahead: int | None = Field(description="Friendly matches that wait longer; null: it is not up.")
    reason: str = Field(description="Why it came to nothing, or what its last attempt said.")
    shared: bool = Field(description="Whether everyone with its address may see it.")
    seats: list[FriendlySeatOut] = Field(description="In the order of the table; yours is first.")
    created_at: datetime
    finished_at: datetime | None
    seconds: float | None
    url: str = Field(examples=["/matches/12"])


class Shared(Given):
    """Whether everyone with its address may see a friendly match."""

    shared: bool
