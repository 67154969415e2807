"""What the fleet has shown so far: slots, seconds a game, spread of results; for the planner."""

import json
import shlex
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import structlog
from sqlmodel import Session, col, select

import nimmt
import store
from league.errors import Malformed
from league.matches import DUPLICATE_BELOW
from league.plans import check_game
from league.ratings import BlockGame, counted_points
from league.seasons.plan import USUAL
from league.seasons.power import Fleet, SeasonReach, SeparationPlan, plan_season, season_reach
from league.words import counted
from store import Match, MatchState

LOG = structlog.get_logger("league")
LOOKED_AT = 50
"""How many of the latest matches are measured."""
SEARCHED = 400
"""Among how many of the latest matches those with the same options are looked for."""
FEWEST_BLOCKS = 20
TRIALS = "planner.trials"
"""The lasting setting: what short matches took, by rules, table and options."""
USUAL_GAPS = (0.5, 1.0, 2.0, 4.0)
"""Points per round; neighbours in a field are usually less than two apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A fleet, the spread of block differences, and where the numbers are from."""

    fleet: Fleet
    block_sd: float | None
    """Of the difference of two bots over a block, in points per round; None: not measurable."""
    matches: int
    """Matches that were measured; 0: the numbers are the usual ones, not this fleet's."""
    assumed: str = ""
    """What the season is taken to be like: rules, options, table and match."""
    timed: str = "guess"
    """Where the time of a game is from: `matches`, `trial` (a short match just now), `guess`."""
    command: str = ""
    """What times a match like these on this machine; pages and API play none themselves."""

    @property
    def words(self) -> str:
        """What is assumed, and where the numbers are from."""
        game = f"{self.fleet.seconds_per_game:.2f} s"
        played = counted(self.matches, "match", "matches")
        times = {
            "matches": f"Measured in {played} here: a game takes {game}.",
            "trial": f"A game takes {game} and the start of a match"
            f" {self.fleet.start_seconds:.1f} s: timed in a short match of sample bots on this"
            " machine. Bots that think longer take longer.",
            "guess": f"Nothing has been played here yet: {game} a game is a guess.",
        }
        spread = (
            "Too little has been played here: the spread is the usual one of 6 nimmt!."
            if self.block_sd is None
            else f"Two bots differ by {self.block_sd:.1f} points per round from block to block."
        )
        return " ".join(part for part in (self.assumed, times[self.timed], spread) if part)

    @property
    def hint(self) -> str:
        """How to have a time that is no guess, for those who cannot play a match; else empty."""
        if self.timed != "guess":
            return ""
        return f"On the league's machine, `{self.command}` plays a short match and times it."


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastQuestion:
    """What a season is to be like, as far as it matters to the planner."""

    rules: str
    options: Mapping[str, Any] | None = None
    """None: the defaults of the rules; the answer names them."""
    bots: int = 8
    table_size: int = USUAL.table
    boards: int = USUAL.boards
    duplicate: bool | None = None
    """None: for tables below four."""
    meetings: int = USUAL.meetings
    power: float = 0.8

    @property
    def games_per_match(self) -> int:
        """All passes together."""
        small = self.table_size < DUPLICATE_BELOW
        duplicated = small if self.duplicate is None else self.duplicate
        return self.boards * (self.table_size if duplicated else 1)

    @property
    def full_options(self) -> dict[str, Any]:
        """Every option of the rules with its value."""
        return dict(nimmt.get(self.rules, dict(self.options or {})).options)

    @property
    def assumed(self) -> str:
        """What is assumed, in words."""
        chosen = [f"{name} {_value(value)}" for name, value in self.full_options.items()]
        options = f" with {', '.join(chosen)}" if chosen else ""
        usual = " (the usual options)" if chosen and not self.options else ""
        return (
            f"Assumed: {self.rules}{options}{usual}, tables of {self.table_size},"
            f" {counted(self.games_per_match, 'game')} a match."
        )

    @property
    def command(self) -> str:
        """The command that answers this question, for a gap of one point per round."""
        options = [
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in (self.options or {}).items()
        ]
        words = ["bullring", "season", "plan", "--bots", str(self.bots), "--gap", "1"]
        words += ["--rules", self.rules, "--table", str(self.table_size)]
        return shlex.join([*words, *(word for one in options for word in ("-o", one))])

    def check(self) -> None:
        """Refuse what no season can be."""
        check_game(self.rules, self.options or {}, self.table_size)
        if self.bots < 2 or self.boards < 1 or self.meetings < 1:
            raise Malformed(
                f"a season needs two bots, one board and one meeting at least; got {self.bots},"
                f" {self.boards} and {self.meetings}"
            )


def keep_trial(session: Session, question: ForecastQuestion, trial: Fleet) -> None:
    """Remember what a short match took, for the planner's pages."""
    kept = store.settings.read(session, TRIALS, to_change=True) or {}
    times = [trial.seconds_per_game, trial.start_seconds]
    store.settings.write(session, TRIALS, {**kept, _trial_key(question): times})


def kept_trial(session: Session, question: ForecastQuestion) -> Fleet | None:
    """What a short match took when it was last played; None: there was none."""
    found = (store.settings.read(session, TRIALS) or {}).get(_trial_key(question))
    if not isinstance(found, list):
        return None
    return Fleet(seconds_per_game=float(str(found[0])), start_seconds=float(str(found[1])))


def _trial_key(question: ForecastQuestion) -> str:
    options = json.dumps(question.full_options, sort_keys=True)
    return f"{question.rules} {question.table_size} {options}"


def _value(value: Any) -> str:
    """An option's value as people write it.

    >>> _value(True), _value(66)
    ('yes', '66')
    """
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def measure(
    session: Session,
    rules: str,
    table_size: int,
    *,
    games: int,
    options: Mapping[str, Any] | None = None,
    slots: int = 1,
    trial: Fleet | None = None,
) -> Measured:
    """Look at the latest matches of these rules, options and table size.

    `games` is how many a match will have; `slots` counts if no worker is alive, and the times of
    `trial` where no match has been played.
    """
    wanted = dict(nimmt.get(rules, dict(options or {})).options)
    query = (
        select(Match)
        .where(
            Match.rules == rules,
            Match.table_size == table_size,
            Match.state == MatchState.DONE,
            col(Match.kind).in_(store.PUBLIC_KINDS),
        )
        .order_by(col(Match.id).desc())
        .limit(SEARCHED)
    )
    alike = [one for one in session.exec(query) if one.options == wanted]
    found = alike[:LOOKED_AT]
    alive = sum(worker.slots for worker in store.workers.alive(session)) or slots
    usual = trial or Fleet()
    times = [m.seconds / (m.boards * m.passes) for m in found if m.seconds is not None]
    fleet = Fleet(
        slots=alive,
        # Measured seconds hold the start of the bots as well.
        seconds_per_game=statistics.fmean(times) if times else usual.seconds_per_game,
        start_seconds=0.0 if times else usual.start_seconds,
        games_per_match=games,
    )
    spread = _spread(session, [match.id for match in found])
    timed = "matches" if times else "trial" if trial else "guess"
    return Measured(fleet=fleet, block_sd=spread, matches=len(found), timed=timed)


def _spread(session: Session, match_ids: list[int]) -> float | None:
    """Pooled over all pairs of bots, each around its own mean: gaps between bots are not luck."""
    query = select(store.Block).where(col(store.Block.match_id).in_(match_ids))
    gaps: dict[tuple[int, int], list[float]] = {}
    for row in session.exec(query):
        games = [_game(one) for one in row.games]
        rounds = sum(game.rounds for game in games)
        counted = [counted_points(game) for game in games]
        rates = [sum(points[i] for points in counted) / rounds for i in range(len(row.versions))]
        for i, j in combinations(range(len(rates)), 2):
            pair = (row.versions[i], row.versions[j])
            sign = 1 if pair[0] < pair[1] else -1
            gaps.setdefault((min(pair), max(pair)), []).append(sign * (rates[i] - rates[j]))
    kept = [values for values in gaps.values() if len(values) > 1]
    freedom = sum(len(values) - 1 for values in kept)
    if freedom < FEWEST_BLOCKS:
        return None
    squares = sum(statistics.variance(values) * (len(values) - 1) for values in kept)
    return float((squares / freedom) ** 0.5) or None


def _game(stored: list[Any]) -> BlockGame:
    places, points, out, rounds = stored
    return BlockGame(
        places=tuple(places),
        points=tuple(points),
        out=tuple(out),
        rounds=int(rounds),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What the planner says beside the form of a season."""

    reach: SeasonReach
    gaps: tuple[SeparationPlan, ...]
    """What it would take to separate smaller and larger gaps."""
    measured: Measured


def look_ahead(
    session: Session,
    question: ForecastQuestion,
    gaps: Sequence[float] = USUAL_GAPS,
    *,
    slots: int = 1,
    trial: Fleet | None = None,
) -> Outlook:
    """What such a season can tell apart on this fleet, and what other gaps would take."""
    question.check()
    measured = _measured(session, question, slots, trial or kept_trial(session, question))
    reach = season_reach(
        bots=question.bots,
        seats=question.table_size,
        meetings=question.meetings,
        block_sd=measured.block_sd,
        fleet=measured.fleet,
        power=question.power,
    )
    found = tuple(_separation(question, gap, measured) for gap in gaps)
    return Outlook(reach=reach, gaps=found, measured=measured)


def _measured(
    session: Session, question: ForecastQuestion, slots: int, trial: Fleet | None
) -> Measured:
    found = measure(
        session,
        question.rules,
        question.table_size,
        games=question.games_per_match,
        options=question.options,
        slots=slots,
        trial=trial,
    )
    return replace(found, assumed=question.assumed, command=question.command)


def _separation(question: ForecastQuestion, gap: float, measured: Measured) -> SeparationPlan:
    return plan_season(
        bots=question.bots,
        seats=question.table_size,
        gap=gap,
        block_sd=measured.block_sd,
        fleet=measured.fleet,
        power=question.power,
    )
