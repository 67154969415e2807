"""What the API says to authors and spectators, and what authors send, as types.

The examples are what the OpenAPI document shows.
"""

from datetime import datetime

from pydantic import Field, model_validator

from api_models.base import Given, Public
from api_models.states import (
    AttemptState,
    MatchKind,
    MatchState,
    SubmissionKind,
    SubmissionState,
    VersionState,
)


class MissingOut(Public):
    """Something without which submissions are not checked now."""

    what: str = Field(examples=["a worker"])
    why: str
    mend: str


class LeagueOut(Public):
    """What a program should know before it asks for more."""

    name: str = Field(examples=["Bullring"])
    api: str = Field(examples=["1"], description="The version of this API.")
    url: str = Field(examples=["https://bullring.example"])
    upload_max_bytes: int
    submissions_per_day: int
    refuses_uploads: str | None = Field(description="Why bots cannot be submitted; null: they can.")
    missing: list[MissingOut] = Field(description="What keeps submissions from being checked now.")


class RulesOut(Public):
    """A rule set with its default options."""

    name: str = Field(examples=["six-nimmt"])
    title: str = Field(examples=["6 nimmt!"])
    version: int
    min_players: int
    max_players: int
    options: dict[str, object]
    kinds: list[str] = Field(examples=[["card", "row"]])


class BotOut(Public):
    """A bot."""

    bot: str = Field(examples=["ada/greedy"])
    owner: str = Field(examples=["ada"])
    name: str = Field(examples=["greedy"])
    about: str
    rules: list[str] = Field(examples=[["six-nimmt"]])
    is_anchor: bool
    current_version: int | None
    suspended: str | None = Field(description="Why it does not play, if it is suspended.")
    friendlies: bool = Field(
        default=True, description="Whether others may ask for friendly matches against it."
    )
    created_at: datetime
    url: str = Field(examples=["/bots/ada/greedy"])


class VersionOut(Public):
    """A version; report, log and note are null for all but its owner and organisers."""

    number: int = Field(examples=[3])
    state: VersionState
    image: str | None
    fingerprint: str | None
    created_at: datetime
    accepted_at: datetime | None
    is_current: bool
    note: str | None
    report: dict[str, object] | None
    log: str | None


class RatingOut(Public):
    """What one ladder says of one version."""

    ladder: int
    season: str | None
    rules: str
    table_size: int
    version: int
    live: float
    official: float | None
    low: float | None
    high: float | None
    blocks: int
    games: int
    provisional: bool
    settled: bool


class RatingPointOut(Public):
    """One point of a rating history."""

    version: int
    at: datetime
    match: int | None
    blocks: int
    live: float | None
    official: float | None
    low: float | None
    high: float | None


class SubmissionOut(Public):
    """A submission, as its owner sees it."""

    id: int
    bot: str = Field(examples=["ada/greedy"])
    kind: SubmissionKind
    state: SubmissionState
    size: int
    note: str
    filename: str | None
    version: int | None
    report: dict[str, object] | None
    created_at: datetime
    finished_at: datetime | None
    url: str = Field(examples=["/submissions/12"])


class SeatOut(Public):
    """A bot at the table of a match; sums are zero until the match is done."""

    number: int
    bot: str
    version: int
    is_anchor: bool
    substitute: bool = Field(
        description="A platform bot in the seat of one that left; nothing here counts for it."
    )
    games: int
    points: float
    wins: float
    mean_place: float | None
    faults: int
    out_games: int
    mean_ms: float | None


class MatchOut(Public):
    """A match. The key is null until it is done."""

    id: int
    kind: MatchKind
    state: MatchState
    season: int | None
    ladder: int | None
    round: int | None
    rules: str
    options: dict[str, object]
    table_size: int
    boards: int
    passes: int
    rated: bool
    rated_why: str
    runner: str | None
    commitment: str = Field(examples=["sha256:…"])
    key: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    seconds: float | None
    seats: list[SeatOut]
    url: str = Field(examples=["/matches/7"])


class FaultOut(Public):
    """What a bot did wrong, and where."""

    seat: int
    bot: str
    kind: str = Field(examples=["timeout"])
    cause: str
    pass_no: int | None
    game_no: int | None
    round_no: int | None
    decision: int | None


class AttemptOut(Public):
    """One try at playing a match."""

    number: int
    state: AttemptState
    reason: str
    started_at: datetime
    finished_at: datetime | None


class MatchDetail(MatchOut):
    """A match with what went wrong in it."""

    faults: list[FaultOut]
    attempts: list[AttemptOut]


class GameOut(Public):
    """One game; lists go by the seat in this game."""

    pass_no: int
    game_no: int
    board: int
    seats: list[int] = Field(description="Which seat of the match sat at each seat of the game.")
    bots: list[str]
    points: list[int]
    places: list[int]
    rounds: int
    out: list[int]
    replay: str = Field(examples=["/api/v1/matches/7/games/0/3/replay"])


class TokenOut(Public):
    """A token without its secret."""

    id: int
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None


class NewTokenOut(TokenOut):
    """A token with its secret, which is shown this once."""

    secret: str = Field(examples=["br_…"])


class MeOut(Public):
    """Who is asking."""

    handle: str
    role: str
    scopes: list[str] | None = Field(description="null: a browser, which has no limits of its own")
    unread: int = Field(description="Messages that you have not read.", examples=[0])


class MessageOut(Public):
    """A message of the league to you."""

    id: int
    kind: str = Field(examples=["gate"])
    title: str
    body: str
    link: str | None = Field(description="A path on this site.", examples=["/bots/ada/greedy"])
    at: datetime
    is_read: bool


class ReadUpTo(Given):
    """Which messages have been read."""

    up_to: int = Field(ge=0, le=2**31 - 1, description="The newest message that was read.")


class Webhook(Given):
    """Where copies of messages go."""

    url: str | None = Field(
        max_length=500,
        description="http or https, on the public internet; null: nowhere.",
        examples=["https://example.org/bullring"],
    )


class NewBot(Given):
    """A bot to be made."""

    name: str = Field(min_length=1, max_length=40, examples=["greedy"])
    rules: list[str] = Field(min_length=1, max_length=10, examples=[["six-nimmt"]])
    about: str = Field(default="", max_length=2000)


class BotChange(Given):
    """What to change of a bot; what is left out stays."""

    about: str | None = Field(default=None, max_length=2000)
    rules: list[str] | None = Field(default=None, min_length=1, max_length=10)
    current_version: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Roll back or forward to this version."
    )
    rest: bool = Field(
        default=False, description="true: none of its versions plays until you choose one again."
    )
    friendlies: bool | None = Field(
        default=None, description="Whether others may ask for friendly matches against it."
    )

    @model_validator(mode="after")
    def _one_wish(self) -> "BotChange":
        if self.rest and self.current_version is not None:
            raise ValueError("got a version and rest, expected one of them")
        return self


class NewToken(Given):
    """A token to be made."""

    name: str = Field(min_length=1, max_length=100, examples=["laptop"])
    scopes: list[str] = Field(min_length=1, max_length=10, examples=[["read", "submit"]])
    days: int | None = Field(default=None, ge=1, le=3650, description="null: it does not expire")
