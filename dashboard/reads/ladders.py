"""What an organiser sees of the ladders, read in one go."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col

from dashboard.reads.audit import AuditLine, audit_lines
from dashboard.reads.gates import GateLine, all_gates
from dashboard.render import rules_title
from league import gate as league_gates
from league import ladder as ladders
from league.ladder import BotStatus, LadderPlan, Member, Why, WhyNot, plan_of
from league.ratings import Table, read_table
from store import Bot, Ladder, LadderState, Match, MatchState, Scale, Version, bots
from store import audit as audit_log
from store import ladders as store_ladders

MOST_GATES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderCard:
    """A ladder in a list."""

    ladder: Ladder
    state: LadderState
    flying: int
    """Matches on their way."""
    table: Table | None = None
    """Its standings, where they were asked for."""

    @property
    def name(self) -> str:
        """What pages call it."""
        return f"{rules_title(self.ladder.rules)} ladder"


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLine:
    """A bot of a ladder, and why it has no further match right now."""

    member: Member
    why: Why
    is_out: bool
    """It was taken out of this ladder, and entering puts it back."""

    @property
    def bot(self) -> Bot:
        """Its row."""
        return self.member.bot

    @property
    def plays(self) -> bool:
        """Whether it may be drawn."""
        return self.member.entrant.status is BotStatus.READY


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderView:
    """One ladder with everything that its organiser's page shows."""

    ladder: Ladder
    state: LadderState
    plan: LadderPlan
    field: list[BotLine]
    longest_wait: float
    """The promise in seconds, as it holds now."""
    counts: dict[MatchState, int]
    required: bool
    exceptions: list[tuple[str, bool]]
    """Bots with a rule of their own."""
    waiting: list[tuple[str, Version]]
    """Versions of its bots whose required gate cannot begin yet, with the bots' names."""
    gates: list[GateLine]
    audit: list[AuditLine]

    @property
    def entrants(self) -> list[BotLine]:
        """The bots that play for a place."""
        return [one for one in self.field if not one.member.entrant.anchor]

    @property
    def fillers(self) -> list[BotLine]:
        """Platform bots that only fill tables."""
        return [one for one in self.field if one.member.entrant.anchor]

    @property
    def suspended(self) -> list[BotLine]:
        """Bots that kept failing."""
        return [one for one in self.field if one.bot.suspended_at is not None]

    @property
    def reasons(self) -> list[WhyNot]:
        """The reasons that occur, each once."""
        return list(dict.fromkeys(one.why.reason for one in self.entrants))

    @property
    def playing(self) -> int:
        """How many may be drawn for a place."""
        return sum(one.plays for one in self.entrants)

    @property
    def flying(self) -> int:
        """Matches on their way."""
        return sum(self.counts.get(state, 0) for state in ladders.IN_FLIGHT)

    @property
    def done(self) -> int:
        """Matches that were played."""
        return self.counts.get(MatchState.DONE, 0)

    @property
    def stuck(self) -> int:
        """Matches of which three attempts failed."""
        return self.counts.get(MatchState.STUCK, 0)


def ladder_cards(session: Session, *, with_standings: bool = False) -> list[LadderCard]:
    """All ladders that are no season's; with their tables if asked for."""
    flying = ladders.flying(session)
    rows = store_ladders.ladders(session)
    tables: dict[int, Table | None] = {}
    if with_standings:
        query = sa.select(col(Scale.id), col(Scale.standings)).where(
            col(Scale.id).in_([one.id for one in rows])
        )
        tables = {scale: read_table(standings) for scale, standings in session.execute(query)}
    return [
        LadderCard(
            ladder=one, state=one.state, flying=flying.get(one.id, 0), table=tables.get(one.id)
        )
        for one in rows
    ]


def ladder_view(session: Session, ladder: Ladder) -> LadderView:
    """Everything about a ladder for its organiser."""
    decided = store_ladders.field_of(session, ladder.id)
    field, settings = ladders.why_each_idle(session, ladder)
    by_bot = {member.bot.id: member.full_name for member, _ in field}
    rule = league_gates.gate_rule(session)
    names = bots.full_names(session, rule.bots)
    here = [one for one in all_gates(session) if one.gate.ladder_id == ladder.id]
    return LadderView(
        ladder=ladder,
        state=ladder.state,
        plan=plan_of(ladder),
        field=[
            BotLine(member=member, why=why, is_out=decided.is_out(member.bot.id))
            for member, why in field
        ],
        longest_wait=settings.longest_wait,
        counts=_counts(session, ladder.id),
        required=rule.league,
        exceptions=sorted((names[one], asked) for one, asked in rule.bots.items() if one in names),
        waiting=[
            (by_bot[one.bot_id], one)
            for one in league_gates.waiting_gates(session)
            if one.bot_id in by_bot
        ],
        gates=here[:MOST_GATES],
        audit=audit_lines(
            session,
            audit_log.page(session, subject="ladder", subject_id=ladder.id, limit=8),
        ),
    )


def _counts(session: Session, ladder_id: int) -> dict[MatchState, int]:
    query = (
        sa.select(col(Match.state), sa.func.count())
        .where(col(Match.scale_id) == ladder_id)
        .group_by(col(Match.state))
    )
    return {state: int(count) for state, count in session.execute(query)}
