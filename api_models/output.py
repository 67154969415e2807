"""What the API says to an owner of a bot's own output, faults and moves."""

from pydantic import Field

from api_models.base import Public


class MoveOut(Public):
    """One decision of your bot, counted from 0 as in replays."""

    pass_no: int = Field(description="The pass.", examples=[0])
    game_no: int = Field(description="The game of the pass.", examples=[3])
    round_no: int = Field(description="The round of the game.", examples=[0])
    decision: int = Field(description="Its index among the decisions of its round.", examples=[12])
    seat: int = Field(description="The bot's seat in this game.", examples=[2])
    kind: str = Field(description="What was asked for.", examples=["card"])
    choice: object = Field(description="What was played.", examples=[55])
    by: str = Field(
        description="`bot`; `forced`: there was one legal choice; `house`: played for it.",
        examples=["bot"],
    )
    ms: float | None = Field(
        description="Its share of the time that its message took.", examples=[1.8]
    )
    batch: int | None = Field(description="How many asks were in that message.", examples=[32])
    fault: str | None = Field(
        description="The kind of fault, if it was one.", examples=["illegal_choice"]
    )
    sent: object = Field(
        description="What the bot sent instead of a legal choice.", examples=[None]
    )
    note: str | None = Field(description="The bot's own note on it.", examples=["lowest risk"])


class AskedOut(Public):
    """The ask behind a fault."""

    move: MoveOut = Field(
        description="The decision.",
        examples=[
            {
                "pass_no": 0,
                "game_no": 3,
                "round_no": 0,
                "decision": 12,
                "seat": 2,
                "kind": "card",
                "choice": 55,
                "by": "house",
                "ms": 1.8,
                "batch": 32,
                "fault": "illegal_choice",
                "sent": 0,
                "note": None,
            }
        ],
    )
    view: dict[str, object] = Field(
        description="What the bot was shown.", examples=[{"hand": [4, 55], "rows": [[12]]}]
    )
    legal: object = Field(
        description="The choices it had: a list, or the options of a turn.", examples=[[4, 55]]
    )
    words: str = Field(
        description="The same on one line.", examples=["hand 4 55, sent 0, played 55"]
    )


class OwnFaultOut(Public):
    """A fault of your bot, with the ask that caused it; places are null outside a game."""

    kind: str = Field(description="What kind of fault.", examples=["illegal_choice"])
    cause: str = Field(
        description="What happened, in words.", examples=["card 0 is not in the hand"]
    )
    out: bool = Field(description="Whether it put the bot out of the pass.", examples=[False])
    pass_no: int | None = Field(description="In which pass, from 0.", examples=[0])
    game_no: int | None = Field(description="In which game of it, from 0.", examples=[3])
    round_no: int | None = Field(description="In which round of it, from 0.", examples=[0])
    decision: int | None = Field(
        description="At which decision of the round, from 0.", examples=[12]
    )
    ask: AskedOut | None = Field(description="null: it did not happen at an ask.", examples=[None])


class OutputOut(Public):
    """What your bot wrote and did in one seat of a match. Only you and organisers get it."""

    match: int = Field(description="The match.", examples=[7])
    seat: int = Field(description="The seat of the match, for `moves`.", examples=[0])
    bot: str = Field(description="The bot, `owner/name`.", examples=["ada/greedy"])
    version: int = Field(description="The version that played.", examples=[3])
    log: str = Field(
        description="The end of what it wrote, control characters escaped.",
        examples=["ready after 12 ms"],
    )
    games: int = Field(description="Games that it played.", examples=[100])
    decisions: int = Field(description="Decisions that it was asked for.", examples=[1000])
    mean_ms: float | None = Field(description="Mean thinking time.", examples=[1.8])
    median_ms: float | None = Field(description="Median thinking time.", examples=[1.5])
    worst_ms: float | None = Field(description="Longest thinking time.", examples=[22.0])
    cpu_s: float | None = Field(description="Seconds of processor time.", examples=[3.2])
    memory_peak: int | None = Field(description="In bytes.", examples=[41943040])
    faults: list[OwnFaultOut] = Field(description="What it did wrong.", examples=[[]])
