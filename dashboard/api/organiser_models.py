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

    role: str = Field(default="author", pattern="^(author|organiser)$")
    note: str = Field(default="", max_length=200, description="For whom, for the audit log.")


class NewAccess(Given):
    """What to do to an account."""

    access: str = Field(
        examples=["organiser"],
        max_length=40,
        description="disable ends its access, enable restores it; author and organiser are roles",
    )
    reason: str = Field(default="", max_length=500, description="For the audit log.")


class AuditOut(Public):
    """One act."""

    id: int
    at: datetime
    actor: str
    action: str = Field(examples=[Action.SEASON_FREEZE.value])
    subject: str
    subject_id: int | None
    reason: str
    detail: dict[str, object]


class AccountQuestionOut(Public):
    """Accounts that have something in common which strangers rarely have; no verdict."""

    owners: list[str] = Field(examples=[["ada", "bob"]])
    kind: LinkKind
    evidence: str
    where: str = Field(description="The season or ladder whose games say so, or empty.")
    question: str = Field(description="What to ask before anything is concluded.")


class NewLadder(LadderWords):
    """A ladder to be opened."""

    rules: RulesName


class NewSettings(LadderSettings):
    """The settings of future matches on a ladder; what is left out stays."""


class NewGate(Given):
    """Two versions to be compared."""

    bot: BotName
    new: int = Field(ge=1, le=1_000_000, description="The version that wants to play.")
    old: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="null: the one with the place; a gate against another is for information "
        "where the league requires one.",
    )
    replace: bool = Field(default=True, description="Let it play when it passes, if that counts.")
    gain: float = Field(
        default=0.5,
        gt=0,
        le=20,
        description="Points per round to be better; another gain than the league's is for "
        "information where it requires a gate, except from organisers.",
    )


class GateRule(Given):
    """Whether new versions have to pass a gate."""

    required: bool | None = Field(description="null, for one bot: the league's rule applies.")
    bot: BotName | None = Field(default=None, description="null: every bot.")
