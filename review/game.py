"""The review of a game: plays a verified replay again, and judges every unforced decision."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nimmt.board import GivenBoard
from nimmt.choices import Choice, choice_from_json
from nimmt.core.field import FIELD_NAMES, field_choice
from nimmt.core.field_rollouts import Knowledge
from nimmt.game import State
from nimmt.generator import Generator
from nimmt.replay import BY_BOT
from nimmt.verify import Replay, verify
from review.ledger import Entry, Ledger, ledger, rounded
from review.values import Estimate, Hindsight, Judge, Judgement
from review.witness import Witness

DEFAULT_ROLLOUTS = 28_000
FEWEST_ROLLOUTS = 64
MOST_ROLLOUTS = 10_000_000
BEFORE_ALL = 0xFFFF
"""In place of a decision's number: the value of the hand."""

Progress = Callable[[int, int], None]
"""Called with the decisions that are done and those there are."""


class ReviewError(ValueError):
    """What was asked for cannot be reviewed; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a review is made. The same settings give the same review on every machine."""

    seed: int = 0
    rollouts: int = DEFAULT_ROLLOUTS
    """The most rollouts for one decision; the check for a mistake comes on top."""
    seats: tuple[int, ...] | None = None
    """Whose decisions are judged; None for all."""
    hindsight: bool = False
    """Whether to look at every decision with all hands open as well."""
    pure: bool | None = None
    """Force pure Python (True) or the compiled core (False). It changes no number."""

    def __post_init__(self) -> None:
        if not FEWEST_ROLLOUTS <= self.rollouts <= MOST_ROLLOUTS:
            raise ReviewError(
                f"got a budget of {self.rollouts} rollouts a decision, expected "
                f"{FEWEST_ROLLOUTS} to {MOST_ROLLOUTS}"
            )
        if not 0 <= self.seed < 2**63:
            raise ReviewError(f"got seed {self.seed}, expected 0 or more, below 2^63")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One unforced decision with its judgement."""

    seat: int
    decision: int
    """Where it stands among the decisions of its round."""
    turn: int
    kind: str
    choice: Choice
    by: str
    judgement: Judgement
    hindsight: Hindsight | None = None
    """Only where it was asked for; nothing else depends on it."""

    def entry(self) -> Entry:
        """How it is booked."""
        one = self.judgement
        return Entry(
            v=rounded(one.v.value),
            q=rounded(one.q.value),
            by_bot=self.by == BY_BOT,
            error=one.difference.error,
            q_error=one.q.error,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReview:
    """One round: its steps in order, and the ledgers of the seats that were reviewed."""

    steps: list[Step]
    ledgers: dict[int, Ledger]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A whole game. `review.document` writes it as JSON."""

    document: dict[str, Any]
    """The replay."""
    settings: Settings
    policy: str
    seats: tuple[int, ...]
    rounds: list[RoundReview]
    rollouts: int
    """All that were played."""


@dataclass(slots=True)
class _Hand:
    """What a seat could expect after the deal."""

    value: Estimate | None = None


def review_game(
    document: dict[str, Any], settings: Settings | None = None, progress: Progress | None = None
) -> Review:
    """Judge the decisions of a replay. Raises ReplayError where it is not a valid one."""
    settings = settings or Settings()
    replay = verify(document)
    players = replay.state.players
    seats = tuple(range(players)) if settings.seats is None else settings.seats
    for seat in seats:
        if not 0 <= seat < players:
            raise ReviewError(f"got seat {seat}, expected 0 to {players - 1}")
    if replay.rules.name not in FIELD_NAMES:
        raise ReviewError(f"there is no field policy for {replay.rules.name}")
    reviewer = _Reviewer(replay, settings, seats, progress)
    rounds = [reviewer.round(number) for number in range(len(document["rounds"]))]
    return Review(
        document=document,
        settings=settings,
        policy=FIELD_NAMES[replay.rules.name],
        seats=seats,
        rounds=rounds,
        rollouts=reviewer.rollouts,
    )


class _Reviewer:
    """Plays a game again, asking what every seat knew before each decision."""

    def __init__(
        self,
        replay: Replay,
        settings: Settings,
        seats: tuple[int, ...],
        progress: Progress | None,
    ) -> None:
        self.rounds: list[dict[str, Any]] = replay.document["rounds"]
        self.settings = settings
        self.seats = seats
        self.judge = Judge(rollouts=settings.rollouts, pure=settings.pure)
        board = GivenBoard(tuple([deal for deal, _ in replay.deals]))
        self.state: State = replay.rules.start(replay.state.players, board)
        self.witness = Witness(replay.rules, self.state.players)
        self.witness.see(self.state.opening)
        self.rollouts = 0
        self.progress = progress
        self.done = 0
        self.total = sum(len(part["decisions"]) for part in self.rounds)

    def round(self, number: int) -> RoundReview:
        part = self.rounds[number]
        steps: list[Step] = []
        hands = {seat: _Hand() for seat in self.seats}
        first = {entry["seat"] for entry in self._together(part["decisions"], 0)}
        for seat in self.seats:
            # Who decides first of all, and has a choice, knows then just what it was dealt.
            if seat not in first or self.state.forced(seat) is not None:
                hands[seat].value = self._expect(number, seat)
        at = 0
        while at < len(part["decisions"]):
            entries = self._together(part["decisions"], at)
            steps += self._decide(number, at, entries)
            at += len(entries)
        ledgers = {}
        for seat in self.seats:
            own = [step for step in steps if step.seat == seat]
            value = hands[seat].value or own[0].judgement.v
            ledgers[seat] = ledger(
                rounded(value.value),
                value.error,
                [step.entry() for step in own],
                self.state.scores[number][seat],
            )
        return RoundReview(steps=steps, ledgers=ledgers)

    def _together(self, decisions: Sequence[dict[str, Any]], at: int) -> Sequence[dict[str, Any]]:
        """The decisions that are carried out with this one."""
        return decisions[at : at + len(self.state.pending)]

    def _decide(self, number: int, at: int, entries: Iterable[dict[str, Any]]) -> Iterator[Step]:
        state = self.state
        choices = {}
        judged = []
        for index, entry in enumerate(entries, at):
            seat, kind = entry["seat"], entry["kind"]
            choices[seat] = state.canonical(seat, choice_from_json(kind, entry["choice"]))
            if seat in self.seats and state.forced(seat) is None:
                judged.append(self._judge(number, index, entry, choices[seat]))
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total)
        self.witness.note(state, choices)
        self.witness.see(state.apply(choices))
        yield from judged

    def _judge(self, number: int, index: int, entry: dict[str, Any], choice: Choice) -> Step:
        state, seat, kind = self.state, entry["seat"], entry["kind"]
        legal = state.legal(seat)
        policy_choice = field_choice(kind, state.view(seat), legal)
        seed = self._seed(number, index, seat)
        judgement = self.judge.judge(self._knows(seat), legal, policy_choice, choice, seed)
        self.rollouts += judgement.rollouts
        looking_back = None
        if self.settings.hindsight:
            opened = self.witness.opened(state, seat)
            looking_back, rollouts = self.judge.hindsight(opened, legal, choice, seed)
            self.rollouts += rollouts
        return Step(
            seat=seat, decision=index, turn=state.turn, kind=kind, choice=choice,
            by=entry["by"], judgement=judgement, hindsight=looking_back,
        )  # fmt: skip

    def _expect(self, number: int, seat: int) -> Estimate:
        value, rollouts = self.judge.expect(self._knows(seat), self._seed(number, BEFORE_ALL, seat))
        self.rollouts += rollouts
        return value

    def _knows(self, seat: int) -> Knowledge:
        return self.witness.knows(self.state, seat)

    def _seed(self, number: int, index: int, seat: int) -> int:
        """Another stream of random numbers for every value, whatever else is reviewed."""
        first = number << 16 | index
        return Generator.stream(self.settings.seed, first, seat).bits() >> 2
