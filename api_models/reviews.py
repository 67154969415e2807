"""What the API says of reviews: of one game, and of where a bot loses points."""

from typing import Any

from pydantic import Field

from api_models.base import Public


class ReviewOut(Public):
    """The review of a game, or how far it is."""

    state: str = Field(
        examples=["working"], description="`none`, `waiting`, `working`, `done` or `failed`."
    )
    done: int = Field(description="Decisions that have been looked at.", examples=[12])
    total: int = Field(description="Decisions there are; 0 until the work begins.", examples=[40])
    ahead: int = Field(description="Reviews that are made before this one.", examples=[0])
    error: str = Field(
        description="Why it failed; whoever asks again has it tried again.", examples=[""]
    )
    review: dict[str, Any] | None = Field(
        description="`bullring-review/1` when it is done.", examples=[None]
    )


class MeanOut(Public):
    """The mean loss of decisions, in heads each, with its 95 % interval; null: too few."""

    decisions: int = Field(description="How many decisions.", examples=[200])
    mean: float | None = Field(description="Their mean loss.", examples=[0.31])
    low: float | None = Field(description="The lower end of the interval.", examples=[0.24])
    high: float | None = Field(description="The upper end of the interval.", examples=[0.38])


_MEAN = {"decisions": 200, "mean": 0.31, "low": 0.24, "high": 0.38}


class GroupOut(Public):
    """The bot's decisions of one game, kind, phase or version, beside those of the others."""

    by: str = Field(examples=["kind"], description="`all`, `rules`, `kind`, `phase` or `version`.")
    name: str = Field(description="Which rules, kind, phase or version.", examples=["card"])
    rules: str | None = Field(
        default=None,
        description="The rules of their games; null: of all games together.",
        examples=["six-nimmt"],
    )
    advanced: bool = Field(
        default=False,
        description="Whether they are of games with a draft, whose losses are larger.",
        examples=[False],
    )
    own: MeanOut = Field(description="The bot's own.", examples=[_MEAN])
    field: MeanOut = Field(description="The others at the same tables.", examples=[_MEAN])


class CostlyOut(Public):
    """A decision that cost much."""

    match: int = Field(description="The match.", examples=[7])
    pass_no: int = Field(description="The pass, from 0.", examples=[0])
    game_no: int = Field(description="The game of the pass, from 0.", examples=[3])
    rules: str = Field(description="The rules of its game.", examples=["six-nimmt"])
    advanced: bool = Field(description="Whether it has a draft.", examples=[False])
    round: int = Field(description="The round of the game, from 0.", examples=[0])
    turn: int = Field(description="The turn of the round, from 0.", examples=[3])
    decision: int = Field(description="The decision of the round, from 0.", examples=[12])
    version: int = Field(description="The number of the version that decided.", examples=[3])
    kind: str = Field(description="What was asked for.", examples=["card"])
    choice: Any = Field(description="What the bot played.", examples=[55])
    best: Any = Field(description="What the review would have played.", examples=[4])
    played: str = Field(description="The choice in words.", examples=["row 2"])
    better: str = Field(description="The best alternative in words.", examples=["row 1"])
    loss: float = Field(description="Heads that it cost on average.", examples=[3.4])
    error: float = Field(description="The standard error of that.", examples=[0.2])
    url: str = Field(
        description="The decision in the viewer.", examples=["/matches/7/games/0/3?d=0.12"]
    )


class BotReviewOut(Public):
    """Where a bot loses points, by the games of a random sample that have been reviewed."""

    bot: str = Field(description="The bot, `owner/name`.", examples=["ada/greedy"])
    population: int = Field(description="Games of its latest 200 matches.", examples=[4000])
    sample: int = Field(description="How many of them were drawn.", examples=[20])
    reviewed: int = Field(description="How many of these have been reviewed.", examples=[18])
    waiting: int = Field(description="How many wait for their review.", examples=[2])
    groups: list[GroupOut] = Field(description="Its mean losses, in several ways.", examples=[[]])
    costliest: list[CostlyOut] = Field(description="The decisions that cost most.", examples=[[]])
