"""What the API says of friendly matches, as types."""

from datetime import datetime

from pydantic import Field

from api_models.base import Given, Public
from api_models.states import MatchState


class FriendlySeatOut(Public):
    """A bot at the table; numbers are null until the match is done."""

    number: int = Field(description="The seat of the match, from 0.", examples=[0])
    bot: str = Field(description="Who sits there, `owner/name`.", examples=["ada/greedy"])
    version: int = Field(description="Which version of it.", examples=[3])
    games: int = Field(description="Games that it played.", examples=[20])
    points_per_round: float | None = Field(description="Fewer are better.", examples=[9.41])
    points_half: float | None = Field(
        description="Half the 95 % interval by block; null with fewer than five blocks.",
        examples=[0.8],
    )
    win_share: float | None = Field(
        description="Share of games won; ties are shared.", examples=[0.31]
    )
    mean_place: float | None = Field(description="Its mean place; ties are shared.", examples=[2.2])
    faults: int = Field(description="What it did wrong, counted.", examples=[0])
    out_games: int = Field(description="Games it did not finish itself.", examples=[0])
    median_ms: float | None = Field(description="Median thinking time.", examples=[1.5])
    worst_ms: float | None = Field(description="Longest thinking time.", examples=[22.0])


class FriendlyOut(Public):
    """A friendly match: how far it is, and what came of it."""

    match: int = Field(description="Its number.", examples=[12])
    bot: str = Field(description="Whose owner asked for it.", examples=["ada/greedy"])
    state: MatchState = Field(
        description="Where it is between plan and result.", examples=["queued"]
    )
    rules: str = Field(description="The rules that are played.", examples=["six-nimmt"])
    options: dict[str, object] = Field(
        description="The options of the rules.", examples=[{"rounds": 1}]
    )
    boards: int = Field(description="Deals that are played.", examples=[20])
    passes: int = Field(
        description="How often every board is played, with other seats.", examples=[1]
    )
    games: int = Field(description="How many there are to play.", examples=[20])
    games_over: int | None = Field(
        description="How many are over; null when that is not known.", examples=[8]
    )
    ahead: int | None = Field(
        description="Friendly matches that wait longer; null: it is not up.", examples=[0]
    )
    reason: str = Field(
        description="Why it came to nothing, or what its last attempt said.", examples=[""]
    )
    shared: bool = Field(
        description="Whether everyone with its address may see it.", examples=[False]
    )
    seats: list[FriendlySeatOut] = Field(
        description="In the order of the table; yours is first.", examples=[[]]
    )
    created_at: datetime = Field(
        description="When it was asked for.", examples=["2031-10-01T18:00:00Z"]
    )
    finished_at: datetime | None = Field(
        description="When it ended; null: not yet.", examples=["2031-10-01T18:00:42Z"]
    )
    seconds: float | None = Field(description="How long it took.", examples=[37.2])
    url: str = Field(description="Its page on this site.", examples=["/matches/12"])


class Shared(Given):
    """Whether everyone with its address may see a friendly match."""

    shared: bool = Field(description="false: only you and organisers.", examples=[True])
