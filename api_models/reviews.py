"""What the API says of reviews: of one game, and of where a bot loses points."""

from typing import Any

from pydantic import Field

from api_models.base import Public


class ReviewOut(Public):
    """The review of a game, or how far it is."""

    state: str = Field(
        examples=["working"], description="`none`, `waiting`, `working`, `done` or `failed`."
    )
    done: int = Field(description="Decisions that have been looked at.")
    total: int = Field(description="Decisions there are; 0 until the work begins.")
    ahead: int = Field(description="Reviews that are made before this one.")
    error: str = Field(description="Why it failed; whoever asks again has it tried again.")
    review: dict[str, Any] | None = Field(description="`bullring-review/1` when it is done.")


class MeanOut(Public):
    """The mean loss of decisions, in heads each, with its 95 % interval."""

    decisions: int
    mean: float | None
    low: float | None
    high: float | None


class GroupOut(Public):
    """The bot's decisions of one kind, phase or version, beside those of the others."""

    by: str = Field(examples=["kind"], description="`all`, `kind`, `phase` or `version`.")
    name: str = Field(examples=["card"])
    own: MeanOut
    field: MeanOut = Field(description="The others at the same tables.")


class CostlyOut(Public):
    """A decision that cost much."""

    match: int
    pass_no: int
    game_no: int
    round: int
    turn: int
    decision: int
    version: int = Field(description="The number of the version that decided.")
    kind: str
    choice: Any
    best: Any
    played: str = Field(examples=["row 2"], description="The choice in words.")
    better: str = Field(examples=["row 1"], description="The best alternative in words.")
    loss: float
    error: float
    url: str


class BotReviewOut(Public):
    """Where a bot loses points, by the games of a random sample that have been reviewed."""

    bot: str
    population: int = Field(description="Games of its latest 200 matches.")
    sample: int = Field(description="How many of them were drawn.")
    reviewed: int
    waiting: int
    groups: list[GroupOut]
    costliest: list[CostlyOut]
