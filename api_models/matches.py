"""What the API says of matches, their seats, faults and games, as types."""

from datetime import datetime

from pydantic import Field

from api_models.base import Public
from api_models.states import AttemptState, MatchKind, MatchState


class SeatOut(Public):
    """A bot at the table of a match; sums are zero until the match is done."""

    number: int = Field(description="The seat of the match, from 0.", examples=[0])
    bot: str = Field(description="Who sits there, `owner/name`.", examples=["ada/greedy"])
    version: int = Field(description="Which version of it.", examples=[3])
    is_anchor: bool = Field(description="Whether it is a platform bot.", examples=[False])
    substitute: bool = Field(
        description="A platform bot in the seat of one that left; nothing here counts for it.",
        examples=[False],
    )
    games: int = Field(description="Games that it played.", examples=[100])
    points: float = Field(
        description="Bull heads in all of them; fewer are better.", examples=[950]
    )
    wins: float = Field(description="Games won; a shared win counts in part.", examples=[27.5])
    mean_place: float | None = Field(
        description="Its mean place; null: no game yet.", examples=[2.31]
    )
    faults: int = Field(description="What it did wrong, counted.", examples=[0])
    out_games: int = Field(description="Games it did not finish itself.", examples=[0])
    mean_ms: float | None = Field(
        description="Mean thinking time of a decision; null: no decision.", examples=[1.8]
    )


class MatchOut(Public):
    """A match. The key is null until it is done."""

    id: int = Field(description="Its number.", examples=[7])
    kind: MatchKind = Field(description="Why it is played.", examples=["season"])
    state: MatchState = Field(description="Where it is between plan and result.", examples=["done"])
    season: str | None = Field(
        description="The name of its season; null: it belongs to none.", examples=["autumn"]
    )
    season_id: int | None = Field(
        description="The number that `season` was before it became a name.",
        deprecated=True,
        examples=[2],
    )
    ladder: int | None = Field(
        description="The rating scale that it moves; null: none.", examples=[1]
    )
    round: int | None = Field(
        description="The round of its season, from 0; null: of none.", examples=[0]
    )
    rules: str = Field(description="The rules that are played.", examples=["six-nimmt"])
    options: dict[str, object] = Field(
        description="The options of the rules.", examples=[{"rounds": 1}]
    )
    table_size: int = Field(description="Seats at the table.", examples=[4])
    boards: int = Field(description="Deals that are played.", examples=[100])
    passes: int = Field(
        description="How often every board is played, with other seats.", examples=[1]
    )
    rated: bool = Field(description="Whether it counts.", examples=[True])
    rated_why: str = Field(description="Why it does not count; empty: it does.", examples=[""])
    runner: str | None = Field(
        description="What ran the bots; null: it has not been played.", examples=["docker"]
    )
    commitment: str = Field(
        description="The hash of its key, published before the first card.",
        examples=["sha256:…"],
    )
    key: str | None = Field(
        description="What all deals are made from, in hex; null until it is done.",
        examples=["9f86d081884c7d65"],
    )
    created_at: datetime = Field(
        description="When it was planned.", examples=["2031-10-01T18:00:00Z"]
    )
    started_at: datetime | None = Field(
        description="When it began; null: not yet.", examples=["2031-10-01T18:00:05Z"]
    )
    finished_at: datetime | None = Field(
        description="When it ended; null: not yet.", examples=["2031-10-01T18:00:42Z"]
    )
    seconds: float | None = Field(description="How long it took.", examples=[37.2])
    seats: list[SeatOut] = Field(description="Who plays, in the order of seats.", examples=[[]])
    url: str = Field(description="Its page on this site.", examples=["/matches/7"])


class FaultOut(Public):
    """What a bot did wrong, and where; places are null when it was outside a game."""

    seat: int = Field(description="The seat of the match, from 0.", examples=[0])
    bot: str = Field(description="Who sat there.", examples=["ada/greedy"])
    kind: str = Field(description="What kind of fault.", examples=["timeout"])
    cause: str = Field(description="What happened, in words.", examples=["no answer in 100 ms"])
    pass_no: int | None = Field(description="In which pass, from 0.", examples=[0])
    game_no: int | None = Field(description="In which game of it, from 0.", examples=[3])
    round_no: int | None = Field(description="In which round of it, from 0.", examples=[0])
    decision: int | None = Field(
        description="At which decision of the round, from 0.", examples=[12]
    )


class AttemptOut(Public):
    """One try at playing a match."""

    number: int = Field(description="Counts from 1.", examples=[1])
    state: AttemptState = Field(description="How it stands.", examples=["done"])
    reason: str = Field(description="Why it came to nothing; empty: it did not.", examples=[""])
    started_at: datetime = Field(description="When it began.", examples=["2031-10-01T18:00:05Z"])
    finished_at: datetime | None = Field(
        description="When it ended; null: not yet.", examples=["2031-10-01T18:00:42Z"]
    )


class MatchDetail(MatchOut):
    """A match with what went wrong in it."""

    faults: list[FaultOut] = Field(description="What bots did wrong.", examples=[[]])
    attempts: list[AttemptOut] = Field(description="Every try at playing it.", examples=[[]])


class GameOut(Public):
    """One game; lists go by the seat in this game."""

    pass_no: int = Field(description="Its pass, from 0.", examples=[0])
    game_no: int = Field(description="Its number in the pass, from 0.", examples=[3])
    board: int = Field(description="The deal that it was played with, from 0.", examples=[3])
    seats: list[int] = Field(
        description="Which seat of the match sat at each seat of the game.",
        examples=[[0, 1, 2, 3]],
    )
    bots: list[str] = Field(
        description="Who sat there.",
        examples=[["ada/greedy", "bob/dice", "house/gap", "house/random"]],
    )
    points: list[int] = Field(description="Bull heads; fewer are better.", examples=[[4, 12, 9, 0]])
    places: list[int] = Field(
        description="Places from 1; equal points share one.", examples=[[2, 4, 3, 1]]
    )
    rounds: int = Field(description="Rounds that were played.", examples=[1])
    out: list[int] = Field(
        description="Seats that were out: the house played on for them.", examples=[[]]
    )
    replay: str = Field(
        description="Where its replay is.", examples=["/api/v1/matches/7/games/0/3/replay"]
    )


class MatchActOut(Public):
    """What became of a match by an act of an organiser."""

    match: int = Field(description="Its number.", examples=[7])
    state: MatchState = Field(description="Its state from now on.", examples=["queued"])
