"""What organisers send on ladders, gates and accounts, as types, and what only they are told."""

from datetime import datetime

from pydantic import Field

from api_models.base import Given, Public
from dashboard.api.season_models import BotName
from league.audit import Action
from league.authors import LinkKind
from league.ladder import LadderSettings, LadderWords
from league.plans import RulesName


class NewInvitation(Given):
    """A link for one new account."""

    role: str = Field(
        default="author",
        pattern="^(author|organiser)$",
        description="The role of whoever uses it.",
        examples=["author"],
    )
    note: str = Field(
        default="",
        max_length=200,
        description="For whom, for the audit log.",
        examples=["Grace"],
    )


class NewAccess(Given):
    """What to do to an account."""

    access: str = Field(
        examples=["organiser"],
        max_length=40,
        description="disable ends its access, enable restores it; author and organiser are roles",
    )
    reason: str = Field(
        default="", max_length=500, description="For the audit log.", examples=["asked for it"]
    )


class AuditOut(Public):
    """One act."""

    id: int = Field(description="Its number.", examples=[120])
    at: datetime = Field(description="When.", examples=["2031-10-01T18:00:00Z"])
    actor: str = Field(description="Who.", examples=["grace"])
    action: str = Field(description="What.", examples=[Action.SEASON_FREEZE.value])
    subject: str = Field(description="To what kind of thing.", examples=["season"])
    subject_id: int | None = Field(description="To which one.", examples=[2])
    reason: str = Field(description="Why, in the words of the person who did it.", examples=[""])
    detail: dict[str, object] = Field(description="What else is known.", examples=[{"bots": 8}])


class AccountQuestionOut(Public):
    """Accounts that have something in common which strangers rarely have; no verdict."""

    owners: list[str] = Field(description="The accounts.", examples=[["ada", "bob"]])
    kind: LinkKind = Field(description="What they have in common.", examples=[next(iter(LinkKind))])
    evidence: str = Field(description="What says so.", examples=["one address, 12 times"])
    where: str = Field(
        description="The season or ladder whose games say so, or empty.", examples=["autumn"]
    )
    question: str = Field(
        description="What to ask before anything is concluded.", examples=["Do they share a flat?"]
    )


class NewLadder(LadderWords):
    """A ladder to be opened."""

    rules: RulesName


class NewSettings(LadderSettings):
    """The settings of future matches on a ladder; what is left out stays."""


class NewGate(Given):
    """Two versions to be compared."""

    bot: BotName
    new: int = Field(
        ge=1, le=1_000_000, description="The version that wants to play.", examples=[3]
    )
    old: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="null: the one with the place; a gate against another is for information "
        "where the league requires one.",
        examples=[2],
    )
    replace: bool = Field(
        default=True, description="Let it play when it passes, if that counts.", examples=[True]
    )
    gain: float = Field(
        default=0.5,
        gt=0,
        le=20,
        description="Points per round to be better; another gain than the league's is for "
        "information where it requires a gate, except from organisers.",
        examples=[0.5],
    )


class GateRule(Given):
    """Whether new versions have to pass a gate."""

    required: bool | None = Field(
        description="null, for one bot: the league's rule applies.", examples=[True]
    )
    bot: BotName | None = Field(
        default=None, description="null: every bot.", examples=["ada/greedy"]
    )
