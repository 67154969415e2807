"""What the API says to an owner of a bot's own output, faults and moves."""

from pydantic import Field

from api_models.base import Public


class MoveOut(Public):
    """One decision of your bot, counted from 0 as in replays."""

    pass_no: int
    game_no: int
    round_no: int
    decision: int = Field(description="Its index among the decisions of its round.")
    seat: int = Field(description="The bot's seat in this game.")
    kind: str = Field(description="What was asked for.", examples=["card"])
    choice: object = Field(description="What was played.", examples=[55])
    by: str = Field(
        description="`bot`; `forced`: there was one legal choice; `house`: played for it.",
        examples=["bot"],
    )
    ms: float | None = Field(description="Its share of the time that its message took.")
    batch: int | None = Field(description="How many asks were in that message.")
    fault: str | None = Field(description="The kind of fault, if it was one.")
    sent: object = Field(description="What the bot sent instead of a legal choice.")
    note: str | None = Field(description="The bot's own note on it.")


class AskedOut(Public):
    """The ask behind a fault."""

    move: MoveOut
    view: dict[str, object] = Field(description="What the bot was shown.")
    legal: object = Field(description="The choices it had: a list, or the options of a turn.")
    words: str = Field(description="The same on one line.")


class OwnFaultOut(Public):
    """A fault of your bot, with the ask that caused it."""

    kind: str = Field(examples=["illegal_choice"])
    cause: str
    out: bool = Field(description="Whether it put the bot out of the pass.")
    pass_no: int | None
    game_no: int | None
    round_no: int | None
    decision: int | None
    ask: AskedOut | None = Field(description="null: it did not happen at an ask.")


class OutputOut(Public):
    """What your bot wrote and did in one seat of a match. Only you and organisers get it."""

    match: int
    seat: int = Field(description="The seat of the match, for `moves`.")
    bot: str = Field(examples=["ada/greedy"])
    version: int
    log: str = Field(description="The end of what it wrote, control characters escaped.")
    games: int
    decisions: int
    mean_ms: float | None
    median_ms: float | None
    worst_ms: float | None
    cpu_s: float | None
    memory_peak: int | None = Field(description="In bytes.")
    faults: list[OwnFaultOut]
