"""A small league whose every number was really played: seasons, faults, notes, logs, ratings.

The bots are simple players in this process; store, schedule and ratings are the real ones.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from sqlmodel import Session

import nimmt
import store
from league import ratings, seasons
from league.seasons import SeasonPlan
from nimmt import KeyedBoard, house_choice
from nimmt.choices import CARD, Choice
from nimmt.replay import BY_BOT, BY_FORCED, BY_HOUSE, Circumstances, Decision, Player, Recorder
from nimmt.simple import SIMPLE, Legal
from nimmt.views import SixNimmtView, View
from store import (
    BlockGame,
    BlockResult,
    FaultRecord,
    GameResult,
    Match,
    MatchKind,
    MatchOutcome,
    NewMatch,
    Owner,
    Role,
    SeatStats,
    Store,
    SubmissionKind,
    SubmissionState,
    accounts,
    attempts,
    bots,
    match_lists,
    matches,
)

Chooser = Callable[[str, View, Legal], Choice]
NOTE_EVERY = 3
SECRET_LOG = "heron's private build log"


class Close:
    """Plays the card that lies closest above a row with room, now and then any card."""

    def __init__(self, rng: Random, slips: float) -> None:
        self.rng, self.slips = rng, slips

    def __call__(self, kind: str, view: View, legal: Legal) -> Choice:
        if (
            kind != CARD
            or not isinstance(view, SixNimmtView)
            or isinstance(legal, nimmt.TurnOptions)
        ):
            return house_choice(kind, view, legal)
        if self.rng.random() < self.slips:
            return legal[int(self.rng.random() * len(legal))]

        def risk(card: int) -> tuple[int, int]:
            below = [row for row in view.rows if row[-1] < card]
            if not below:
                return 2, -card
            row = max(below, key=lambda one: one[-1])
            return int(len(row) >= 5), card - row[-1]

        return min(legal, key=risk)


PLAYERS: dict[str, Callable[[Random], Chooser]] = {
    "close": lambda rng: Close(rng, 0.0),
    "closer": lambda rng: Close(rng, 0.08),
    "loose": lambda rng: Close(rng, 0.35),
    "lowest": SIMPLE["house"],
    "highest": SIMPLE["highest"],
    "dice": SIMPLE["random"],
    "greedy": SIMPLE["greedy"],
    "stumble": SIMPLE["random"],
}
FAULTY = {"stumble": 0.004}
"""How often a bot answers with a card that it does not hold."""
OWNERS = {"heron": ["close", "dice"], "otter": ["closer", "stumble"], "lynx": ["loose", "highest"]}
HOUSE = ["lowest", "greedy"]
PASSWORD = "correct horse battery"


@dataclass
class Tally:
    """What one bot did in one match."""

    points: float = 0.0
    places: float = 0.0
    wins: float = 0.0
    rounds: int = 0
    decisions: int = 0
    think_ms: float = 0.0
    times: list[float] = field(default_factory=list)
    faults: list[FaultRecord] = field(default_factory=list)


class Table:
    """Plays one match: all its boards, the bots moving on one seat from game to game."""

    def __init__(self, match: Match, names: Sequence[str], versions: Sequence[int]) -> None:
        self.match, self.names, self.versions = match, names, versions
        self.rules = nimmt.get(match.rules, match.options)
        self.tally = [Tally() for _ in names]
        self.rng = Random(match.id)
        self.lines: list[bytes] = []
        self.notes: list[bytes] = []
        self.slips: float | None = None
        """How often a faulty bot fails, instead of what `FAULTY` says."""
        self.note_every: float = NOTE_EVERY

    def play(self, store_: Store) -> MatchOutcome:
        count = len(self.names)
        games = [self.game(board) for board in range(self.match.boards)]
        whole = [games[at : at + count] for at in range(0, len(games) - count + 1, count)]
        return MatchOutcome(
            games=tuple(games),
            blocks=tuple(
                BlockResult(number=number, games=tuple(self.by_table(one) for one in block))
                for number, block in enumerate(whole)
            ),
            seats=tuple(self.stats(bot, len(games)) for bot in range(count)),
            faults=tuple(fault for one in self.tally for fault in one.faults),
            replay=store_.blobs.write(self.lines),
            notes=store_.blobs.write(self.notes) if self.notes else None,
            runner="process",
        )

    def game(self, board: int) -> GameResult:
        count = len(self.names)
        seats = tuple((seat + board) % count for seat in range(count))
        choosers = [
            PLAYERS[self.names[bot].split("/")[1]](Random(self.rng.random())) for bot in seats
        ]
        state = self.rules.start(count, KeyedBoard(self.match.key, board))
        recorder = Recorder(state)
        notes: dict[int, list[dict[str, object]]] = {}
        while state.pending:
            choices: dict[int, Choice] = {}
            decisions = []
            first = recorder.next_index()
            for offset, (seat, ask) in enumerate(state.pending.items()):
                where = (first[0], first[1] + offset)
                decision = self.decide(
                    state, seat, ask.kind, choosers[seat], seats[seat], board, where
                )
                choices[seat] = decision.choice
                decisions.append(decision)
                if decision.by == BY_BOT and self.rng.random() * 100 < self.note_every:
                    text = f"{self.names[seats[seat]].split('/')[1]} had no doubt"
                    entry = {"round_no": where[0], "decision": where[1], "text": text}
                    notes.setdefault(seat, []).append(entry)
            recorder.record(decisions)
            state.apply(choices)
        assert state.result is not None
        points, places = state.result
        self.write(recorder, seats, board, notes)
        for seat, bot in enumerate(seats):
            one = self.tally[bot]
            one.points += points[seat]
            one.places += places[seat]
            one.rounds += len(state.scores)
            one.wins += (places[seat] == 1) / places.count(1)
        return GameResult(
            pass_no=0,
            game_no=board,
            board=board,
            seats=seats,
            points=points,
            places=places,
            rounds=len(state.scores),
        )

    def decide(
        self,
        state: nimmt.State,
        seat: int,
        kind: str,
        chooser: Chooser,
        bot: int,
        board: int,
        where: tuple[int, int],
    ) -> Decision:
        forced = state.forced(seat)
        if forced is not None:
            return Decision(seat, kind, state.canonical(seat, forced), BY_FORCED)
        view, legal = state.view(seat), state.legal(seat)
        began = time.perf_counter()
        choice = chooser(kind, view, legal)
        ms = round(1000 * (time.perf_counter() - began), 4)
        one = self.tally[bot]
        one.decisions += 1
        one.think_ms += ms
        one.times.append(ms)
        often = FAULTY.get(self.names[bot].split("/")[1], 0.0)
        if self.rng.random() < (self.slips if often and self.slips is not None else often):
            fault = {"kind": "illegal_choice", "sent": 999}
            cause = f"got 999, expected a {kind} it may choose"
            one.faults.append(
                FaultRecord(
                    seat=bot,
                    kind="illegal_choice",
                    cause=cause,
                    pass_no=0,
                    game_no=board,
                    round_no=where[0],
                    decision=where[1],
                )
            )
            house = state.canonical(seat, house_choice(kind, view, legal))
            return Decision(seat, kind, house, BY_HOUSE, ms, 1, fault)
        return Decision(seat, kind, state.canonical(seat, choice), BY_BOT, ms, 1)

    def write(
        self,
        recorder: Recorder,
        seats: tuple[int, ...],
        board: int,
        notes: dict[int, list[dict[str, object]]],
    ) -> None:
        about = Circumstances(
            match=f"m{self.match.id}",
            attempt=self.match.attempts,
            board=board,
            game_no=board,
            started="2026-01-01T00:00:00Z",
            runner="process",
            players=[Player(bot=self.names[bot], version=1) for bot in seats],
            key=self.match.key,
            commitment=self.match.commitment,
        )
        self.lines.append(json.dumps(recorder.document(about), separators=(",", ":")).encode())
        for seat, written in sorted(notes.items()):
            entry = {
                "pass": 0,
                "game_no": board,
                "seat": seat,
                "bot": seats[seat],
                "notes": written,
            }
            self.notes.append(json.dumps(entry).encode())

    def by_table(self, game: GameResult) -> BlockGame:
        order = [game.seats.index(bot) for bot in range(len(self.names))]
        return BlockGame(
            places=tuple(game.places[seat] for seat in order),
            points=tuple(game.points[seat] for seat in order),
            rounds=game.rounds,
        )

    def stats(self, bot: int, games: int) -> SeatStats:
        one = self.tally[bot]
        times = sorted(one.times) or [0.0]
        return SeatStats(
            seat=bot,
            games=games,
            rounds=one.rounds,
            points=one.points,
            places=one.places,
            wins=one.wins,
            faults=len(one.faults),
            decisions=one.decisions,
            think_ms=one.think_ms,
            stats={
                "median_ms": times[len(times) // 2],
                "worst_ms": times[-1],
                "log": f"{self.names[bot]} ready\nplayed {games} games\n",
            },
        )


def play_match(
    store_: Store, match_id: int, *, slips: float | None = None, note_every: float = NOTE_EVERY
) -> None:
    """Claim a queued match, play it here, and store its result."""
    began = time.perf_counter()
    with store_.write() as session:
        attempt = attempts.claim(session, match_id, "seed")
        assert attempt is not None
        seats = match_lists.seated(session, [match_id])[match_id]
        match = store.present(session, Match, match_id)
    table = Table(match, [seat.bot for seat in seats], [seat.version_id for seat in seats])
    table.slips, table.note_every = slips, note_every
    outcome = table.play(store_)
    seconds = time.perf_counter() - began
    with store_.write() as session:
        attempts.finish(session, attempt.token, replace(outcome, seconds=seconds))


def play_faulty(store_: Store) -> int:
    """A match, always the same, in which otter/stumble makes faults and bots make many notes."""
    names = ("heron/close", "otter/stumble", "heron/dice", "house/lowest")
    with store_.write() as session:
        found = [bots.find_bot(session, name) for name in names]
        versions = [bots.version_of(session, bot.id, 1) for bot in found if bot is not None]
        new = NewMatch(
            kind=MatchKind.SHOWCASE,
            rules="six-nimmt",
            options=dict(nimmt.get("six-nimmt", {"rounds": 1}).options),
            versions=tuple(version.id for version in versions if version is not None),
            boards=8,
            key=bytes(range(32)),
            rated=False,
        )
        (bell,) = matches.queue(session, [new])
    play_match(store_, bell.match_id, slips=0.1, note_every=30)
    return bell.match_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeded:
    """What tests need to know of the league that was made."""

    season: str
    season_id: int
    done: int
    """A match that is done."""
    waiting: int
    """A match that waits."""
    running: int
    """A match that an attempt holds."""
    draft: str
    submission: int
    """One of heron's."""
    secret_log: str = SECRET_LOG


def add_people(store_: Store, password_hash: str) -> None:
    """Owners with their bots and versions, the house, and an organiser."""
    with store_.write() as session:
        accounts.add_owner(session, "boss", password_hash=password_hash, role=Role.ORGANISER)
        house = accounts.add_owner(session, "house", is_house=True)
        for name in HOUSE:
            _add_bot(session, house, name, is_anchor=True)
        for handle, names in OWNERS.items():
            owner = accounts.add_owner(session, handle, password_hash=password_hash)
            for name in names:
                _add_bot(session, owner, name)


def _add_bot(session: Session, owner: Owner, name: str, *, is_anchor: bool = False) -> None:
    rules = ["six-nimmt"] if name not in ("dice", "greedy", "lowest") else list(nimmt.GAMES)
    bot = bots.add_bot(session, owner.id, name, rules, is_anchor=is_anchor, about=f"Plays {name}.")
    version = bots.add_version(
        session, bot.id, program=["seed:" + name], fingerprint=f"seed-{name}"
    )
    report: store.JsonDict = {"ok": True, "games": 4, "answers": 80, "slowest ms": 3.5}
    bots.accept_version(session, version.id, report=report, log=f"{name}: all answers legal\n")


def add_season(store_: Store, name: str, title: str, *, boards: int, meetings: int) -> int:
    """A season of 6 nimmt! with everybody in it, frozen and started."""
    with store_.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        plan = SeasonPlan(
            name=name,
            rules="six-nimmt",
            options={"rounds": 1},
            title=title,
            about="Everybody meets everybody, one round a game.",
            table=4,
            boards=boards,
            meetings=meetings,
        )
        season = seasons.create(session, plan, boss)
        seasons.open_entries(session, season.id, boss)
        for owner, names in (*OWNERS.items(), ("house", HOUSE)):
            for bot in names:
                seasons.enter(session, season.id, f"{owner}/{bot}", boss)
        seasons.freeze_season(session, season.id, boss)
        seasons.start(session, season.id, boss)
    return season.id


def seed_league(store_: Store, password_hash: str, *, boards: int = 8, meetings: int = 6) -> Seeded:
    """Fill an empty, migrated store; takes about a second for each 300 games."""
    add_people(store_, password_hash)
    season_id = add_season(store_, "spring", "Spring season", boards=boards, meetings=meetings)
    with store_.write() as session:
        planned = sorted(
            m.id for m in match_lists.matches(session, season_id=season_id, limit=10_000)
        )
        matches.publish(session, planned)
        ladder_id = store.scales.of_season(session, season_id).id
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        seasons.create(session, SeasonPlan(name="secret-plan", rules="x-nimmt", table=4), boss)
        seasons.create(session, SeasonPlan(name="summer", rules="x-nimmt", table=4), boss)
        summer = store.seasons.by_name(session, "summer")
        assert summer is not None
        seasons.open_entries(session, summer.id, boss)
    *played, running, waiting = planned
    for at, match_id in enumerate(played):
        play_match(store_, match_id)
        if at % 2:
            ratings.refresh(store_, ladder_id)
    ratings.refresh(store_, ladder_id)
    with store_.write() as session:
        attempts.claim(session, running, "seed")
    return Seeded(
        season="spring",
        season_id=season_id,
        done=played[0],
        waiting=waiting,
        running=running,
        draft="secret-plan",
        submission=_add_submissions(store_),
    )


def _add_submissions(store_: Store) -> int:
    """One that was accepted with a private log, one that was rejected, one that waits."""
    with store_.write() as session:
        heron = accounts.owner_by_handle(session, "heron")
        assert heron is not None
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        version = bots.version_of(session, bot.id, 1)
        assert version is not None
        ids = []
        for number, state in enumerate((SubmissionState.ACCEPTED, SubmissionState.REJECTED, None)):
            submission, _ = bots.submit(
                session,
                heron.id,
                bot.id,
                SubmissionKind.BUILD_CONTEXT,
                f"upload-{number}",
                size=40_000 + number,
                detail={"filename": "close.tar.gz", "note": "heron's private note"},
            )
            ids.append(submission.id)
            if state is None:
                continue
            held = bots.claim_submission(session, submission.id, "seed")
            assert held is not None
            assert held.token is not None
            accepted = state is SubmissionState.ACCEPTED
            bots.advance_submission(
                session,
                held.token,
                state,
                log=SECRET_LOG + "\nstep 1 of 3\nok\n",
                report={"ok": accepted, "problem": "" if accepted else "The bot never answered."},
                version_id=version.id if accepted else None,
            )
    return ids[0]
