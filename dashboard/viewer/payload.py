"""A replay made ready for the viewer: the timeline of what happened, seen by all or by one seat.

The document is played again while it is read, so what is shown is what the rules say. The key is
never passed on, and for one seat no card that it could not know at that moment.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from dashboard.viewer.why import Narrator
from dashboard.viewer.words import names_of
from league.words import game_words
from nimmt import eleven, six, x
from nimmt.cards import HEADS
from nimmt.events import (
    Event,
    Points,
    RoundStart,
    Turn,
    seen_by,
    to_json,
)
from nimmt.moments import moments_of, parted
from nimmt.verify import Step, read

FORMAT = "bullring-viewer/1"

Notes = Mapping[tuple[int, int], str]
"""Notes of the bots by (round, index of the decision in its round)."""

TABLES: dict[str, dict[str, Any]] = {
    "six-nimmt": {
        "rows": [six.ROW_HOLDS] * six.ROWS,
        "seat": ["bull"],
        "hand_counts": False,
        "window": None,
    },
    "x-nimmt": {
        "rows": list(x.ROW_HOLDS),
        "seat": ["xrow", "xpile"],
        "hand_counts": True,
        "window": None,
    },
    # A pile takes the ten numbers above its top card, counted round from 100 to 1.
    "eleven-nimmt": {
        "rows": [],
        "seat": [],
        "hand_counts": True,
        "window": [10, eleven.HIGHEST],
    },
}
"""How the table of each game looks. The viewer itself knows no rule."""


class Seating(TypedDict):
    """The same board with the bots in other seats."""

    label: str
    href: str
    current: bool


class Links(TypedDict, total=False):
    """Addresses that the viewer offers; what is left out is not offered."""

    page: str
    embed: str
    download: str
    export: str
    review: str
    """Where its review is read and asked for."""
    match: str
    rules: str
    previous: str
    next: str
    seatings: list[Seating]
    bots: list[str | None]
    """The page of each seat's bot."""


def build_payload(
    document: object,
    *,
    seat: int | None = None,
    title: str | None = None,
    links: Links | None = None,
    notes: Notes | None = None,
) -> dict[str, Any]:
    """The viewer's data for a replay; raises nimmt.errors.ReplayError when it is not sound.

    `seat` None shows everything. With a seat, the other hands, the draw deck, points that would
    give hands away and the other seats' notes stay out of the data.
    """
    replay = read(document)
    players = replay.state.players
    if seat is not None and not 0 <= seat < players:
        raise ValueError(f"got seat {seat}, expected 0 to {players - 1} or None for everything")
    result = replay.document["result"]
    names = names_of([player["bot"] for player in replay.document["players"]])
    table = TABLES[replay.rules.name]
    narrator = Narrator(replay.rules, table, names)
    narrator.places = result["places"]
    timeline = Timeline(narrator, table["hand_counts"], seat, notes or {})
    timeline.add(None, replay.state.opening)
    for step in replay.steps():
        timeline.add(step, step.events)
    return {
        "format": FORMAT,
        "meta": _meta(
            replay.document,
            game_words(replay.rules.title, replay.rules.options),
            names,
            seat,
            title,
            table,
            links,
        ),
        "heads": list(HEADS),
        "steps": timeline.steps,
    }


def _meta(
    document: Mapping[str, Any],
    rules_title: str,
    names: Sequence[str],
    seat: int | None,
    title: str | None,
    table: Mapping[str, Any],
    links: Links | None,
) -> dict[str, Any]:
    kept = ("rules", "options", "match", "attempt", "pass", "game_no", "board", "started", "runner")
    given: Links = links or {}
    bots = given.get("bots") or [None] * len(names)
    return {
        **{name: document[name] for name in (*kept, "time", "commitment")},
        "rules_title": rules_title,
        "title": title or f"{rules_title} · {document['match']} · game {document['game_no'] + 1}",
        "seat": seat,
        "table": dict(table),
        "rounds": [part["points"] for part in document["rounds"]],
        "points": document["result"]["points"],
        "places": document["result"]["places"],
        "players": [
            {
                "seat": player["seat"],
                "bot": player["bot"],
                "name": name,
                "version": player["version"],
                "out": player["out"],
                "points": document["result"]["points"][player["seat"]],
                "place": document["result"]["places"][player["seat"]],
                "href": href,
            }
            for player, name, href in zip(document["players"], names, bots, strict=True)
        ],
        "links": {name: value for name, value in given.items() if name != "bots"},
    }


class Timeline:
    """Collects the steps, each cut into moments: what the viewer shows as one movement.

    With `public` the events hold only what is public already, and nothing else is known.
    """

    def __init__(
        self,
        narrator: Narrator,
        hand_counts: bool,
        seat: int | None,
        notes: Notes,
        *,
        public: bool = False,
    ) -> None:
        self.public = public
        self.narrator = narrator
        self.hand_counts = hand_counts
        self.seat = seat
        self.notes = notes
        self.steps: list[dict[str, Any]] = []
        self.round_no = 0
        self.turn: int | None = None
        """None until the first turn of a round, that is while it is dealt and drafted."""

    def add(self, step: Step | None, events: Sequence[Event]) -> None:
        """Append a step. A new deal becomes a step of its own, so that the end can be seen."""
        first, *more = parted(events)
        self._append(step, first)
        for part in more:
            self._append(None, part)

    def _append(self, step: Step | None, events: Sequence[Event]) -> None:
        if step is None and isinstance(events[0], RoundStart):
            self.round_no, self.turn = events[0].round_no, None
        decisions = [] if step is None else self._decisions(step)
        self.steps.append(
            {
                "round": self.round_no,
                "turn": self.turn,
                "decisions": decisions,
                "events": [self._seen(event) for event in events],
                "moments": self._moments(events, decisions),
            }
        )
        for event in events:
            if isinstance(event, Turn):
                self.turn = event.number

    def _moments(
        self, events: Sequence[Event], decisions: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        moments: list[dict[str, Any]] = []
        at = 0
        for part in moments_of(events):
            at += len(part)
            caption = self.narrator.tell(part, events[at:])
            faults = "" if moments else self._faults(decisions)
            moment: dict[str, Any] = {
                "events": len(part),
                "text": caption.seen_by(self.seat) + faults,
            }
            if self.seat is None and caption.seat is not None:
                moment["public"] = {"seat": caption.seat, "text": caption.public + faults}
            moments.append(moment)
        return moments

    def _faults(self, decisions: Sequence[Mapping[str, Any]]) -> str:
        """Who failed to answer, so that the referee chose."""
        return "".join(
            f" The referee chose for {self.narrator.names[decision['seat']]}: "
            f"{decision['fault']['kind'].replace('_', ' ')}."
            for decision in decisions
            if decision["fault"] is not None
        )

    def _decisions(self, step: Step) -> list[dict[str, Any]]:
        decisions = []
        for at, entry in enumerate(step.decisions, step.first):
            decision = dict(entry)
            own = self.seat is None or self.seat == decision["seat"]
            if decision["fault"] is not None and not own:
                # What a failing bot sent may name cards that it held.
                decision["fault"] = {"kind": decision["fault"]["kind"], "sent": None}
            note = self.notes.get((step.round_no, at))
            if note and own:
                decision["note"] = note
            decisions.append(decision)
        return decisions

    def _seen(self, event: Event) -> dict[str, Any]:
        shown = to_json(seen_by(event, self.seat))
        hidden = self.seat is not None or self.public
        if hidden and self.hand_counts and isinstance(event, Points):
            # Where hands count, the points of another seat would tell what it holds.
            shown["points"] = [
                own if seat == self.seat else None for seat, own in enumerate(event.points)
            ]
        return shown
