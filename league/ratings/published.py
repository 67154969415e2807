"""The published standings of a season or ladder, as the league stores them and pages read them.

`Season.standings` and `Scale.standings` hold one `Table` as JSON. Nothing is computed here.
"""

from collections.abc import Sequence
from typing import Literal

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from store import JsonDict

LOG = structlog.get_logger("dashboard")
BadgeName = Literal["settled", "open", "not_measurable"]
BADGE_WORDS: dict[str, str] = {
    "settled": "Its place is decided: it is apart from every other bot, however often one looks.",
    "open": "Its place may still change.",
    "not_measurable": "Fewer than 20 distinct blocks, or results that never vary.",
}

ESTIMATES = (
    "Ratings, points and wins estimate what a bot does against the field of this table,"
    " at tables drawn evenly from it."
)
"""What the numbers mean, in one sentence; docs/ratings.md says the same."""


def span(values: Sequence[float | None], margin: float = 0.06) -> tuple[float, float]:
    """The stretch that holds all values, with a little air.

    >>> span([10, None, 20], margin=0)
    (10, 20)
    """
    known = [value for value in values if value is not None]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    air = (high - low or 1.0) * margin
    return low - air, high + air


class Row(BaseModel):
    """One bot's line; None always means not measurable."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    bot: str
    """`owner/name`."""
    version: int
    place: int
    low: int
    high: int
    group: str = ""
    official: float
    official_half: float | None = None
    live: float
    provisional: bool = False
    points_per_round: float
    points_half: float | None = None
    win_share: float
    mean_place: float
    superiority: float | None = None
    best: float | None = None
    badge: BadgeName = "open"
    blocks: int
    distinct: int = 0
    games: int
    rounds: int = 0
    faults: dict[str, int] = {}
    median_ms: float | None = None
    worst_ms: float | None = None
    void_rate: float | None = None
    unmet: int = 0
    """Bots of the table that it has never met."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the 95 % interval of the official rating."""
        if self.official_half is None:
            return None
        return self.official - self.official_half, self.official + self.official_half

    @property
    def places(self) -> str:
        """The range of places that remain possible."""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"

    @property
    def fault_count(self) -> int:
        """All faults together."""
        return sum(self.faults.values())


class Crosstable(BaseModel):
    """Every bot against every other; None where two have not met or nothing can be said."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    bots: list[str]
    score: list[list[float | None]]
    games: list[list[int]]
    z: list[list[float | None]]


class Rotation(BaseModel):
    """What seat rotation saved: 1 nothing, 2 half of the games."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    factor: float
    low: float
    high: float
    blocks: int


class CalibrationBin(BaseModel):
    """All pairs for whose favourite about the same share of wins was predicted."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    low: float
    high: float
    predicted: float
    observed: float
    half_width: float
    games: int
    holds: bool


class MixingReport(BaseModel):
    """Whether the tables of a ladder come round again more often than by chance."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    matches: int
    bots: int
    tables: int
    possible: int
    repeats: int
    by_chance: float
    meetings_min: int
    meetings_max: int
    words: str


class Table(BaseModel):
    """A whole table."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    rows: list[Row]
    blocks: int = 0
    games: int = 0
    crosstable: Crosstable | None = None
    rotation: Rotation | None = None
    calibration: list[CalibrationBin] = []
    mixing: MixingReport | None = None
    """Of a ladder."""

    @property
    def estimates(self) -> str:
        """What the numbers estimate, and where the games cannot tell."""
        missing = sum(row.unmet for row in self.rows) // 2
        if not missing:
            return ESTIMATES
        pairs = "One pair of bots has" if missing == 1 else f"{missing} pairs of bots have"
        return (
            f"{ESTIMATES} {pairs} never met: how they would do against each other is taken from"
            " their results against the others."
        )

    @property
    def settled(self) -> int:
        """How many bots have a place that is decided."""
        return sum(row.badge == "settled" for row in self.rows)

    @property
    def holding(self) -> int:
        """In how many classes the predictions hold."""
        return sum(one.holds for one in self.calibration)

    @property
    def ends(self) -> tuple[float, float]:
        """The stretch of ratings that all interval bars share."""
        values: list[float | None] = []
        for row in self.rows:
            values += [row.official, *(row.interval or ())]
        return span(values)

    def row(self, bot: str) -> Row | None:
        """The line of a bot."""
        return next((row for row in self.rows if row.bot == bot), None)


def read_table(stored: JsonDict | None) -> Table | None:
    """The stored table; None: none yet, or one that this version cannot read."""
    if stored is None:
        return None
    try:
        return Table.model_validate(stored)
    except ValidationError as error:
        LOG.error(
            "standings unreadable", errors=error.error_count(), first=error.errors()[0]["loc"]
        )
        return None
