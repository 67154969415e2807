"""Whether a new version has to pass a gate before it plays, and which gate lets it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed
from league.gate.verdict import GateSettings
from store import Bot, Gate, Ladder, Version

KEY = "gates"
"""The lasting setting: {"league": bool, "bots": {bot id: bool}}."""
REPLACED = "replaced"
"""In the report of a gate: the new version took the place when it passed."""
BOUNDS = GateSettings()
"""What a required gate asks for. Authors may ask for something else, for information only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """Who has to pass a gate."""

    league: bool = False
    """Every bot that is not named."""
    bots: Mapping[int, bool] = field(default_factory=dict)
    """What holds for single bots, by id."""


def gate_rule(session: Session, *, to_change: bool = False) -> GateRule:
    """What organisers have set."""
    kept = store.settings.read(session, KEY, to_change=to_change) or {}
    named = kept.get("bots")
    bots = (
        {int(one): bool(asked) for one, asked in named.items()} if isinstance(named, dict) else {}
    )
    return GateRule(league=bool(kept.get("league", False)), bots=bots)


def set_rule(session: Session, required: bool | None, actor: Actor, bot: Bot | None = None) -> None:
    """Ask for a gate, or do not; for one bot None goes back to what the league asks for."""
    kept = gate_rule(session, to_change=True)
    bots = {str(one): asked for one, asked in kept.bots.items()}
    league = kept.league
    if bot is None:
        if required is None:
            raise Malformed(
                "the league's own rule is on or off; only the rule of a single bot can be"
                " cleared: name the bot"
            )
        league = required
    elif required is None:
        bots.pop(str(bot.id), None)
    else:
        bots[str(bot.id)] = required
    store.settings.write(session, KEY, {"league": league, "bots": bots})
    subject, subject_id = ("league", None) if bot is None else ("bot", bot.id)
    store.audit.record(
        session, Action.GATE_RULE, subject, subject_id, actor=actor, detail={"required": required}
    )


def rule_sentence(required: bool | None, bot: str | None) -> str:
    """The rule that was set, as a sentence.

    >>> rule_sentence(True, None), rule_sentence(None, "ada/greedy")
    ('New versions of every bot need a gate.', 'For ada/greedy the rule of the league holds again.')
    """
    if required is None:
        return f"For {bot} the rule of the league holds again."
    return f"New versions of {bot or 'every bot'} {'need' if required else 'need not pass'} a gate."


def required(session: Session, bot: Bot) -> bool:
    """Whether the next version of this bot has to pass a gate; the first one never has to."""
    # A bot that rests has had its first version all the same.
    if bot.is_anchor or not _placed(session, bot):
        return False
    kept = gate_rule(session)
    return kept.bots.get(bot.id, kept.league)


def ranked(session: Session, bot: Bot) -> int | None:
    """The version that a new one would replace; of a bot that rests, the latest with a place."""
    return bot.current_version or max(_placed(session, bot), default=None)


def ladder(session: Session, bot: Bot, also: int | None = None) -> Ladder | None:
    """Where the required gate of a bot is played: on the first open ladder of its rules.

    The ladder `also` counts as open: closing it does not undo a gate that began there.
    """
    found = (one for one in store.ladders.ladders(session) if one.is_open or one.id == also)
    return min(
        (one for one in found if one.rules in bot.rules), key=lambda one: one.id, default=None
    )


def not_counted_because(session: Session, bot: Bot, gate: Gate) -> str:
    """Why passing this gate does not let its version play; empty: it does.

    A required gate is against the version that ranks now, on the ladder and with the bounds that
    the league asks for; an organiser may have chosen the last two.
    """
    if not required(session, bot):
        return ""
    now = ranked(session, bot)
    old = store.present(session, Version, gate.old_version_id)
    if old.bot_id != bot.id or old.number != now:
        return f"it is against version {old.number}, and version {now} has the place"
    if gate.settings.get("freely"):
        return ""
    asked = ladder(session, bot, also=gate.ladder_id)
    if asked is None or asked.id != gate.ladder_id:
        where = "an open ladder of its rules" if asked is None else f"ladder {asked.id}"
        return f"it is on ladder {gate.ladder_id}, and a required gate is on {where}"
    wanted = asdict(BOUNDS)
    other = [name for name in wanted if gate.settings.get(name) != wanted[name]]
    if other:
        got = ", ".join(f"{name} {gate.settings.get(name)}" for name in other)
        return f"it has {got}; a required gate has {', '.join(f'{n} {wanted[n]}' for n in other)}"
    return ""


def proven(session: Session, bot: Bot) -> list[int]:
    """The versions that no longer need a gate: those that had a place, those whose pass counts."""
    passed = {
        number
        for gate, number in store.gates.passed(session, bot.id)
        if not not_counted_because(session, bot, gate)
    }
    return sorted(passed | _placed(session, bot))


def _placed(session: Session, bot: Bot) -> set[int]:
    """The versions that had a place: without a gate, or because they passed it."""
    gates = store.gates.passed(session, bot.id)
    took = {number for gate, number in gates if (gate.report or {}).get(REPLACED)}
    return store.gates.placed(session, bot) | took


def choose_version(session: Session, bot: Bot, number: int | None, *, as_organiser: bool) -> None:
    """Let a version play, or the bot rest (None).

    Only an organiser can choose one that still needs its gate.
    """
    known, now = proven(session, bot), ranked(session, bot)
    held = (
        not as_organiser and number is not None and number not in known and required(session, bot)
    )
    store.bots.set_current(session, bot.id, number)
    if held:
        raise LeagueRefusal(
            f"version {number} of {bot.name} has not passed the gate that this league asks for,"
            f" against version {now}; open one for it, or choose one of the versions"
            f" {', '.join(map(str, known))}"
        )


def set_rules(session: Session, bot: Bot, rules: list[str], *, as_organiser: bool) -> None:
    """Change what a bot plays; where it needs gates, only as an organiser."""
    if set(rules) != set(bot.rules) and not as_organiser and required(session, bot):
        raise LeagueRefusal(
            f"new versions of {bot.name} have to pass a gate, and a gate is for what a bot plays:"
            f" got {', '.join(rules)}, expected still {', '.join(bot.rules)}; submit it as a bot"
            " of another name, or ask an organiser"
        )
    bot.rules = rules


def accept_version(
    session: Session, version_id: int, *, report: store.JsonDict | None = None, log: str = ""
) -> bool:
    """A version has passed its check: it plays at once, or waits (True) for its gate.

    The clock opens the gate (`league.gate.due`): a worker has no right to the audit log.
    """
    version = store.present(session, Version, version_id)
    bot = store.locked(session, Bot, version.bot_id)
    waits = required(session, bot)
    store.bots.accept_version(session, version_id, report=report, log=log, gate_due=waits)
    return waits
