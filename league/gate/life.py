"""Version gates in the league: a new version plays for its place before it gets it.

New and old version take turns at the same tables against the same opponents, on fresh boards;
the maths is in `verdict`, and what was seen so far in `evidence`. To a bot a gate's match looks
like any other.
"""

from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import structlog
from sqlmodel import Session

import store
from league import ladder as ladders
from league import notices
from league.audit import LEAGUE, Action, Actor
from league.errors import LeagueRefusal, Malformed, NotThere
from league.gate import evidence, requirement
from league.gate.company import GateCompany, deal, gate_company
from league.gate.verdict import GateResult, GateSettings, GateVerdict
from league.ladder import BotStatus
from league.matches import new_match
from league.ratings import ON_THEIR_WAY
from store import (
    Bot,
    Doorbell,
    Gate,
    GateState,
    Ladder,
    MatchKind,
    MatchState,
    Store,
    Version,
)

LOG = structlog.get_logger("league")
STEPS_AHEAD = 2
"""Pairs of matches that may be on their way at once; what they play after a verdict is lost."""
MOST_OF_ONE = 3
"""Gates that one owner may have playing; every gate has the same share of the machines."""
MOST_LOST = 5
"""How many pairs of matches may get stuck before the gate stops."""
STATES = {
    GateVerdict.PASS: GateState.PASSED,
    GateVerdict.FAIL: GateState.FAILED,
    GateVerdict.UNDECIDED: GateState.UNDECIDED,
}
ENDED = {
    GateState.PASSED: Action.GATE_PASSED,
    GateState.FAILED: Action.GATE_FAILED,
    GateState.UNDECIDED: Action.GATE_UNDECIDED,
}


@dataclass(slots=True, kw_only=True)
class _Terms:
    """The terms that a gate was opened with; its ladder may have changed its own since."""

    rules: str
    options: store.JsonDict
    boards: int
    passes: int
    time: store.JsonDict


def open_gate(
    session: Session,
    ladder_id: int,
    full_name: str,
    new: int,
    actor: Actor,
    *,
    old: int | None = None,
    replace: bool = True,
    asked: GateSettings | None = None,
    as_organiser: bool = False,
) -> Gate:
    """Begin to compare version `new` of a bot with `old` (the one with the place if left out).

    With `replace` the new version becomes the current one when it passes, if that counts
    (`requirement.not_counted_because`); with `as_organiser`, ladder and bounds are free to choose.
    """
    ladder, bot = _entrant(session, ladder_id, full_name)
    owner = store.locked(session, store.Owner, bot.owner_id)
    candidate = _playable(session, bot, new)
    holder = _playable(session, bot, old or requirement.ranked(session, bot))
    if candidate.id == holder.id:
        raise Malformed(f"got version {new} twice; a gate compares two versions")
    if store.gates.playing(session, candidate.id) is not None:
        raise LeagueRefusal(f"{full_name} {new} is already at a gate; wait for its verdict")
    pool = _pool(session, ladder, bot, (candidate, holder))
    attempt = _attempt(session, owner, as_organiser)
    gate = Gate(
        owner_id=owner.id,
        ladder_id=ladder.id,
        new_version_id=candidate.id,
        old_version_id=holder.id,
        rules=ladder.rules,
        options=ladder.options,
        table_size=ladder.table_size,
        settings={
            **asdict(asked or GateSettings()),
            **_terms_of(ladder),
            "attempt": attempt,
            "replace": replace,
            "freely": as_organiser,
            "pool": pool,
        },
    )
    store.gates.add(session, gate)
    nothing = evidence.verdict(gate, [])
    gate.report = evidence.full_report(session, gate, nothing, 0, gate_company([]))
    detail = {"bot": full_name, "new": new, "old": holder.number}
    store.audit.record(session, Action.GATE_OPEN, "gate", gate.id, actor=actor, detail=detail)
    return gate


def _terms_of(ladder: Ladder) -> store.JsonDict:
    """What a gate keeps of its ladder: it is played to its end on the terms it began with."""
    return {"boards": ladder.boards, "passes": ladder.passes, "time": ladder.time}


def _entrant(session: Session, ladder_id: int, full_name: str) -> tuple[Ladder, Bot]:
    """The open ladder and the bot that plays its rules."""
    ladder = store.present(session, Ladder, ladder_id)
    bot = store.bots.find_bot(session, full_name)
    if bot is None:
        raise NotThere(f"there is no bot {full_name!r}; bots are named OWNER/NAME")
    if not ladder.is_open or ladder.rules not in bot.rules:
        raise LeagueRefusal(
            f"got ladder {ladder_id}, expected an open one of {', '.join(bot.rules)}; see the"
            " ladders that are open: bullring ladder list"
        )
    return ladder, bot


def _attempt(session: Session, owner: store.Owner, as_organiser: bool) -> int:
    """The number of an owner's attempt: all share one error budget, cancelled ones too."""
    earlier = store.gates.states_of_owner(session, owner.id)
    if not as_organiser and earlier.count(GateState.PLAYING) >= MOST_OF_ONE:
        raise LeagueRefusal(
            f"{MOST_OF_ONE} gates of {owner.handle} are playing, which is the most at once;"
            " wait for a verdict, or cancel one"
        )
    return len(earlier) + 1


def _playable(session: Session, bot: Bot, number: int | None) -> Version:
    version = None if number is None else store.bots.version_of(session, bot.id, number)
    if version is None or not version.state.is_playable:
        raise LeagueRefusal(f"got version {number} of {bot.name}, expected one that may play")
    return version


def _pool(session: Session, ladder: Ladder, bot: Bot, two: tuple[Version, Version]) -> list[int]:
    """The panel: every bot that may play on this ladder, one of each build.

    Not the owner's own bots, and no twins of the two: beside itself a version shows nothing.
    """
    own = f"owner {bot.owner_id}"
    seen = {version.fingerprint for version in two if version.fingerprint}
    pool: list[int] = []
    for one in sorted(ladders.read_field(session, ladder), key=lambda one: one.submitted):
        if one.status is not BotStatus.READY or one.owner == own or one.fingerprint in seen:
            continue
        if one.fingerprint:
            seen.add(one.fingerprint)
        pool.append(int(one.bot))
    if len(pool) < ladder.table_size - 1:
        raise LeagueRefusal(
            f"a gate at tables of {ladder.table_size} needs {ladder.table_size - 1} opponents of"
            f" other owners that are not copies of the two versions, and there are {len(pool)}"
        )
    return sorted(pool)


def advance(database: Store) -> list[int]:
    """Judge every gate that is playing and plan its next matches; returns those that ended."""
    with database.read() as session:
        playing = store.gates.all_playing(session)
    ended = []
    for gate_id in playing:
        with database.write() as session:
            gate = store.locked(session, Gate, gate_id)
            if gate.state is GateState.PLAYING and _advance(session, gate):
                ended.append(gate_id)
    return ended


def queue_matches(database: Store, room: int) -> list[Doorbell]:
    """Queue planned matches of gates; one at a time where there is no room.

    So an author does not wait for the end of a season, and no season waits for a gate.
    """
    with database.read() as session:
        if not store.gates.has_matches(session, MatchState.PLANNED):
            return []
        least = 0 if store.gates.has_matches(session, *ON_THEIR_WAY) else 1
    if max(least, room) <= 0:
        return []
    with database.write() as session:
        return store.matches.enqueue(session, limit=max(least, room), kind=MatchKind.GATE)


def _advance(session: Session, gate: Gate) -> bool:
    pairs = evidence.steps(session, gate)
    played, games = evidence.played_steps(session, gate, pairs)
    result = evidence.verdict(gate, played)
    company = gate_company(played)
    lost = sum(map(evidence.is_lost, pairs))
    if result.finished or lost > MOST_LOST:
        _finish(session, gate, result, games, company)
        return True
    gate.report = evidence.full_report(session, gate, result, games, company)
    flying = sum(any(match.state in ladders.IN_FLIGHT for match in pair) for pair in pairs)
    for step in range(len(pairs), len(pairs) + STEPS_AHEAD - flying):
        _plan(session, gate, step)
    session.flush()
    return False


def _plan(session: Session, gate: Gate, step: int) -> None:
    """The next pair of matches: the same opponents in the same order, a key for each."""
    kept: dict[str, Any] = gate.settings
    hands = deal([str(one) for one in kept["pool"]], gate.table_size - 1, f"gate {gate.id}")
    others = tuple(int(one) for one in next(islice(hands, step, None)))
    terms = _Terms(
        rules=gate.rules,
        options=gate.options,
        boards=int(kept["boards"]),
        passes=int(kept["passes"]),
        time=kept["time"],
    )
    store.matches.plan(
        session,
        [
            new_match(
                terms,
                MatchKind.GATE,
                (version, *others),
                gate_id=gate.id,
                round_no=step,
                rated=False,
            )
            for version in (gate.new_version_id, gate.old_version_id)
        ],
    )


def _finish(
    session: Session, gate: Gate, result: GateResult, games: int, company: GateCompany
) -> None:
    gate.state, gate.finished_at = STATES[result.verdict], store.database_time(session)
    _drop(session, gate)
    new = store.present(session, Version, gate.new_version_id)
    bot = store.locked(session, Bot, new.bot_id)
    report = evidence.full_report(session, gate, result, games, company)
    passed = gate.state is GateState.PASSED
    since = _since(session, gate, bot, new)
    replaced = (
        passed and bool(gate.settings["replace"]) and not (report["not_counted_because"] or since)
    )
    gate.report = {**report, requirement.REPLACED: replaced}
    if replaced:
        store.bots.set_current(session, bot.id, new.number)
    ending = " It plays from now on." if replaced else ""
    if passed and report["not_counted_because"]:
        ending = f" It is for information only: {report['not_counted_because']}."
    elif passed and since:
        ending = f" Version {since} has been chosen since, and keeps the place."
    notices.tell_owner(
        session,
        bot,
        f"gate.{gate.state}",
        f"{bot.name} {new.number}: the gate says {gate.state}",
        f"{result.words} {company.words} {games} games were played.{ending}",
    )
    store.audit.record(
        session,
        ENDED[gate.state],
        "gate",
        gate.id,
        actor=LEAGUE,
        detail={"games": games, "replaced": replaced},
    )
    LOG.info("gate ended", gate=gate.id, state=gate.state.value, games=games)


def _since(session: Session, gate: Gate, bot: Bot, new: Version) -> int | None:
    """The newer version that was let play while this gate was on; it is not replaced."""
    old = store.present(session, Version, gate.old_version_id)
    current = bot.current_version
    newer = current is not None and current > new.number and current != old.number
    return current if newer else None


def _drop(session: Session, gate: Gate) -> None:
    for pair in evidence.steps(session, gate):
        for match in pair:
            store.matches.cancel(session, match.id, "the gate is over")


def cancel(session: Session, gate_id: int, actor: Actor, reason: str) -> Gate:
    """Stop a gate; the attempt counts anyway, because its owner has seen results."""
    gate = store.locked(session, Gate, gate_id)
    if gate.state.is_final:
        raise LeagueRefusal(f"gate {gate_id} is over: {gate.state}")
    gate.state, gate.finished_at = GateState.CANCELLED, store.database_time(session)
    _drop(session, gate)
    store.audit.record(session, Action.GATE_CANCEL, "gate", gate_id, actor=actor, reason=reason)
    return gate
