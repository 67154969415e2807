"""What the API says to authors and spectators, and what authors send, as types.

Every field says what it is and gives an example: the reference and generated clients show both.
Matches and their games are in `matches`.
"""

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field, model_validator

from api_models.base import Given, Public
from api_models.states import SubmissionKind, SubmissionState, VersionState


class MissingOut(Public):
    """Something without which submissions are not checked now."""

    what: str = Field(description="What is missing.", examples=["a worker"])
    why: str = Field(
        description="What follows from that.", examples=["No worker is running, so bots wait."]
    )
    fix: str = Field(description="What to do about it.", examples=["Start one."])
    mend: str = Field(
        description="The same as `fix`, by the name that it had before.",
        deprecated=True,
        examples=["Start one."],
    )

    @model_validator(mode="before")
    @classmethod
    def _both_names(cls, given: object) -> object:
        """A league and a command of two versions understand each other."""
        if not isinstance(given, Mapping):
            return given
        names = ("fix", "mend")
        said = next((given[name] for name in names if name in given), None)
        return {**given, **dict.fromkeys(names, said)}


class LeagueOut(Public):
    """What a program should know before it asks for more."""

    name: str = Field(description="What the league is called.", examples=["Bullring"])
    api: str = Field(description="The version of this API.", examples=["1"])
    url: str = Field(description="Its address.", examples=["https://bullring.example"])
    upload_max_bytes: int = Field(description="The largest upload.", examples=[536870912])
    submissions_per_day: int = Field(description="That one author may make.", examples=[20])
    refuses_uploads: str | None = Field(
        description="Why bots cannot be submitted; null: they can.",
        examples=["No worker builds images here. Submit by reference."],
    )
    missing: list[MissingOut] = Field(
        description="What keeps submissions from being checked now.", examples=[[]]
    )


class RulesOut(Public):
    """A rule set with its default options."""

    name: str = Field(description="Its name, as in `rules` everywhere.", examples=["six-nimmt"])
    title: str = Field(description="What pages call it.", examples=["6 nimmt!"])
    version: int = Field(
        description="Goes up when the same choices would give other results.", examples=[1]
    )
    min_players: int = Field(description="The smallest table.", examples=[2])
    max_players: int = Field(description="The largest table.", examples=[10])
    options: dict[str, object] = Field(
        description="Every option with its default.", examples=[{"rounds": 1}]
    )
    kinds: list[str] = Field(
        description="The kinds of decisions that bots are asked for.", examples=[["card", "row"]]
    )


class BotOut(Public):
    """A bot."""

    bot: str = Field(description="`owner/name`; it never changes.", examples=["ada/greedy"])
    owner: str = Field(description="The account that it belongs to.", examples=["ada"])
    name: str = Field(description="Its name alone.", examples=["greedy"])
    about: str = Field(description="What its author says of it.", examples=["Plays the gap."])
    rules: list[str] = Field(description="The rules that it plays.", examples=[["six-nimmt"]])
    is_anchor: bool = Field(description="Whether it is a platform bot.", examples=[False])
    current_version: int | None = Field(
        description="The version that plays; null: none does.", examples=[3]
    )
    suspended: str | None = Field(
        description="Why it does not play, if it is suspended.",
        examples=["It crashed in 5 matches in a row."],
    )
    friendlies: bool = Field(
        default=True,
        description="Whether others may ask for friendly matches against it.",
        examples=[True],
    )
    created_at: datetime = Field(description="When it was made.", examples=["2031-10-01T18:00:00Z"])
    url: str = Field(description="Its page on this site.", examples=["/bots/ada/greedy"])


class VersionOut(Public):
    """A version; report, log and note are null for all but its owner and organisers."""

    number: int = Field(description="Counts from 1.", examples=[3])
    state: VersionState = Field(description="Whether it may play.", examples=["accepted"])
    image: str | None = Field(
        description="The digest of its image; null: it has none, or never played.",
        examples=["sha256:9f86d081884c7d65"],
    )
    fingerprint: str | None = Field(
        description="The same for two versions that hold the same files.",
        examples=["sha256:60303ae22b998861"],
    )
    created_at: datetime = Field(
        description="When it was submitted.", examples=["2031-10-01T18:00:00Z"]
    )
    accepted_at: datetime | None = Field(
        description="When it passed its check.", examples=["2031-10-01T18:02:10Z"]
    )
    is_current: bool = Field(description="Whether it is the one that plays.", examples=[True])
    note: str | None = Field(
        description="What its author wrote beside it.", examples=["Looks one turn ahead."]
    )
    report: dict[str, object] | None = Field(
        description="What its check found.", examples=[{"ok": True, "games": 20}]
    )
    log: str | None = Field(
        description="What building and checking wrote.", examples=["Step 1/3: FROM bullring/base"]
    )


class RatingOut(Public):
    """What one ladder says of one version."""

    ladder: int = Field(description="The scale, for `history`.", examples=[1])
    season: str | None = Field(
        description="The name of the season whose scale it is; null: of none.",
        examples=["autumn"],
    )
    rules: str = Field(description="The rules that are played.", examples=["six-nimmt"])
    table_size: int = Field(description="Seats at a table.", examples=[4])
    version: int = Field(description="The version that is rated.", examples=[3])
    live: float = Field(description="The rating that moves with every block.", examples=[1512.4])
    official: float | None = Field(
        description="The rating that ranks; null: not measurable yet.", examples=[1498.0]
    )
    low: float | None = Field(
        description="The lower end of the official rating's 95 % interval.", examples=[1471.5]
    )
    high: float | None = Field(
        description="The upper end of the official rating's 95 % interval.", examples=[1524.5]
    )
    blocks: int = Field(description="Blocks of games behind it.", examples=[120])
    games: int = Field(description="Games behind it.", examples=[480])
    provisional: bool = Field(
        description="Whether too little was played to rely on it.", examples=[False]
    )
    settled: bool = Field(description="Whether its place is decided.", examples=[True])


class RatingPointOut(Public):
    """One point of a rating history."""

    version: int = Field(description="The version that played.", examples=[3])
    at: datetime = Field(description="When the rating moved.", examples=["2031-10-01T18:00:00Z"])
    match: int | None = Field(
        description="The match that moved it; null: a new calculation did.", examples=[7]
    )
    blocks: int = Field(description="Blocks of games behind it by then.", examples=[120])
    live: float | None = Field(description="The live rating then.", examples=[1512.4])
    official: float | None = Field(description="The official rating then.", examples=[1498.0])
    low: float | None = Field(description="The lower end of its 95 % interval.", examples=[1471.5])
    high: float | None = Field(description="The upper end of its 95 % interval.", examples=[1524.5])


class SubmissionOut(Public):
    """A submission, as its owner sees it."""

    id: int = Field(description="Its number.", examples=[12])
    bot: str = Field(description="The bot, `owner/name`.", examples=["ada/greedy"])
    kind: SubmissionKind = Field(
        description="In which form it was submitted.", examples=["build_context"]
    )
    state: SubmissionState = Field(description="How far it has come.", examples=["accepted"])
    size: int = Field(description="Bytes of the file; 0: there was none.", examples=[20480])
    note: str = Field(description="What its author wrote beside it.", examples=["Faster start."])
    filename: str | None = Field(
        description="What its sender called the file.", examples=["greedy.tar.gz"]
    )
    version: int | None = Field(
        description="The version that it became; null: none yet.", examples=[3]
    )
    report: dict[str, object] | None = Field(
        description="What the check found; null: it is not over.", examples=[{"ok": True}]
    )
    created_at: datetime = Field(
        description="When it was received.", examples=["2031-10-01T18:00:00Z"]
    )
    finished_at: datetime | None = Field(
        description="When its check was over.", examples=["2031-10-01T18:02:10Z"]
    )
    url: str = Field(description="Its page on this site.", examples=["/submissions/12"])


class TokenOut(Public):
    """A token without its secret."""

    id: int = Field(description="Its number, to end it by.", examples=[4])
    name: str = Field(description="What its owner called it.", examples=["laptop"])
    prefix: str = Field(description="How it begins, to know it by.", examples=["br_k3jd"])
    scopes: list[str] = Field(
        description="What it lets a program do.", examples=[["read", "submit"]]
    )
    created_at: datetime = Field(description="When it was made.", examples=["2031-10-01T18:00:00Z"])
    last_used_at: datetime | None = Field(
        description="When it was last used; null: never.", examples=["2031-10-02T09:30:00Z"]
    )
    expires_at: datetime | None = Field(
        description="When it stops working; null: never.", examples=["2032-10-01T18:00:00Z"]
    )


class NewTokenOut(TokenOut):
    """A token with its secret, which is shown this once."""

    secret: str = Field(description="What programs send as `Bearer`.", examples=["br_…"])


class MeOut(Public):
    """Who is asking."""

    handle: str = Field(description="The name of the account.", examples=["ada"])
    role: str = Field(description="`author` or `organiser`.", examples=["author"])
    scopes: list[str] | None = Field(
        description="What the token allows; null: a browser, which has no limits of its own.",
        examples=[["read", "submit"]],
    )
    unread: int = Field(description="Messages that you have not read.", examples=[0])


class MessageOut(Public):
    """A message of the league to you."""

    id: int = Field(description="Its number, for `up_to`.", examples=[12])
    kind: str = Field(description="What it is about.", examples=["gate"])
    title: str = Field(description="It in one line.", examples=["greedy 3 passed its gate"])
    body: str = Field(description="The rest of it.", examples=["It plays from now on."])
    link: str | None = Field(description="A path on this site.", examples=["/bots/ada/greedy"])
    at: datetime = Field(description="When it was sent.", examples=["2031-10-01T18:00:00Z"])
    is_read: bool = Field(description="Whether you have read it.", examples=[False])


class ReadUpTo(Given):
    """Which messages have been read."""

    up_to: int = Field(
        ge=0, le=2**31 - 1, description="The newest message that was read.", examples=[12]
    )


class Webhook(Given):
    """Where copies of messages go."""

    url: str | None = Field(
        max_length=500,
        description="http or https, on the public internet; null: nowhere.",
        examples=["https://example.org/bullring"],
    )


class NewBot(Given):
    """A bot to be made."""

    name: str = Field(
        min_length=1,
        max_length=40,
        description="Small letters, digits and hyphens.",
        examples=["greedy"],
    )
    rules: list[str] = Field(
        min_length=1,
        max_length=10,
        description="The rules that it plays.",
        examples=[["six-nimmt"]],
    )
    about: str = Field(
        default="",
        max_length=2000,
        description="What its page says of it.",
        examples=["Plays the gap."],
    )


class BotChange(Given):
    """What to change of a bot; what is left out stays."""

    about: str | None = Field(
        default=None,
        max_length=2000,
        description="What its page says of it.",
        examples=["Plays the gap."],
    )
    rules: list[str] | None = Field(
        default=None,
        min_length=1,
        max_length=10,
        description="The rules that it plays.",
        examples=[["six-nimmt"]],
    )
    current_version: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="Roll back or forward to this version.",
        examples=[2],
    )
    rest: bool = Field(
        default=False,
        description="true: none of its versions plays until you choose one again.",
        examples=[False],
    )
    friendlies: bool | None = Field(
        default=None,
        description="Whether others may ask for friendly matches against it.",
        examples=[True],
    )

    @model_validator(mode="after")
    def _one_wish(self) -> "BotChange":
        if self.rest and self.current_version is not None:
            raise ValueError("got a version and rest, expected one of them")
        return self


class NewToken(Given):
    """A token to be made."""

    name: str = Field(
        min_length=1, max_length=100, description="To know it by.", examples=["laptop"]
    )
    scopes: list[str] = Field(
        min_length=1,
        max_length=10,
        description="What it lets a program do: some of read, submit, manage, organise.",
        examples=[["read", "submit"]],
    )
    days: int | None = Field(
        default=None,
        ge=1,
        le=3650,
        description="After how many days it stops working; null: it does not expire.",
        examples=[365],
    )
