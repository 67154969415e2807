"""The published standings of a season or ladder, as the league stores them and pages read them.

`Season.standings` and `Scale.standings` hold one `Table` as JSON. Nothing is computed here.
"""

from collections.abc import Sequence
from typing import Literal

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

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

    bot: str = Field(description="`owner/name`.", examples=["ada/greedy"])
    version: int = Field(description="The version that played.", examples=[3])
    place: int = Field(description="Its place, in the order of the table.", examples=[1])
    low: int = Field(description="The best place that the results allow.", examples=[1])
    high: int = Field(description="The worst place that the results allow.", examples=[2])
    group: str = Field(
        default="",
        description="Letters; bots that share one are statistically tied.",
        examples=["a"],
    )
    official: float = Field(description="The rating that ranks.", examples=[1498.0])
    official_half: float | None = Field(
        default=None, description="Half of its 95 % interval.", examples=[26.5]
    )
    live: float = Field(description="The rating that moves with every block.", examples=[1512.4])
    provisional: bool = Field(
        default=False, description="Whether too little was played to rely on it.", examples=[False]
    )
    points_per_round: float = Field(description="Fewer are better.", examples=[9.41])
    points_half: float | None = Field(
        default=None, description="Half of the 95 % interval of that.", examples=[0.3]
    )
    win_share: float = Field(description="Share of games won; ties are shared.", examples=[0.31])
    mean_place: float = Field(description="Its mean place; ties are shared.", examples=[2.2])
    superiority: float | None = Field(
        default=None, description="Chance of being better than the next bot.", examples=[0.97]
    )
    best: float | None = Field(
        default=None, description="Chance of being the best of all.", examples=[0.88]
    )
    badge: BadgeName = Field(
        default="open", description="Whether its place is decided.", examples=["settled"]
    )
    blocks: int = Field(description="Blocks of games behind it.", examples=[120])
    distinct: int = Field(default=0, description="Blocks on boards of their own.", examples=[120])
    games: int = Field(description="Games behind it.", examples=[480])
    rounds: int = Field(default=0, description="Rounds behind it.", examples=[480])
    faults: dict[str, int] = Field(
        default={}, description="What it did wrong, by kind.", examples=[{"timeout": 1}]
    )
    median_ms: float | None = Field(
        default=None, description="Median thinking time.", examples=[1.5]
    )
    worst_ms: float | None = Field(
        default=None, description="Longest thinking time.", examples=[22.0]
    )
    void_rate: float | None = Field(
        default=None, description="Share of its matches that came to nothing.", examples=[0.0]
    )
    unmet: int = Field(
        default=0, description="Bots of the table that it has never met.", examples=[0]
    )

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

    bots: list[str] = Field(
        description="Who, in the order of lines and columns.", examples=[["ada/greedy", "bob/dice"]]
    )
    score: list[list[float | None]] = Field(
        description="`score[i][j]`: share of games in which i was placed ahead of j.",
        examples=[[[None, 0.61], [0.39, None]]],
    )
    games: list[list[int]] = Field(
        description="Games that the two played together.", examples=[[[0, 400], [400, 0]]]
    )
    z: list[list[float | None]] = Field(
        description="Distance of the score from one half, in standard errors.",
        examples=[[[None, 4.4], [-4.4, None]]],
    )


class Rotation(BaseModel):
    """What seat rotation saved: 1 nothing, 2 half of the games."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    factor: float = Field(
        description="How many times the games would be needed without it.", examples=[1.8]
    )
    low: float = Field(description="The lower end of its 95 % interval.", examples=[1.5])
    high: float = Field(description="The upper end of its 95 % interval.", examples=[2.1])
    blocks: int = Field(description="Blocks behind it.", examples=[120])


class CalibrationBin(BaseModel):
    """All pairs for whose favourite about the same share of wins was predicted."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    low: float = Field(description="The lowest predicted share.", examples=[0.5])
    high: float = Field(description="The highest predicted share.", examples=[0.6])
    predicted: float = Field(description="The mean predicted share.", examples=[0.55])
    observed: float = Field(description="The share that came about.", examples=[0.56])
    half_width: float = Field(description="Half of the 95 % interval of that.", examples=[0.03])
    games: int = Field(description="Games behind it.", examples=[900])
    holds: bool = Field(description="Whether prediction and games agree.", examples=[True])


class PairsMet(BaseModel):
    """How many pairs of bots met so many times."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    meetings: int = Field(description="Tables at which two bots sat together.", examples=[170])
    pairs: int = Field(description="Pairs of bots of which that is true.", examples=[6])


class MixingReport(BaseModel):
    """Whether the tables of a ladder come round again more often than by chance."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    matches: int = Field(description="Matches that were looked at.", examples=[400])
    bots: int = Field(description="Bots in them.", examples=[8])
    tables: int = Field(description="Different tables among them.", examples=[68])
    possible: int = Field(description="Different tables that there could be.", examples=[70])
    repeats: int = Field(description="Tables that came again soon.", examples=[12])
    by_chance: float = Field(description="As many would by chance.", examples=[11.4])
    meetings_min: int = Field(description="The fewest meetings of two bots.", examples=[160])
    meetings_max: int = Field(description="The most meetings of two bots.", examples=[190])
    spread: list[PairsMet] = Field(
        default=[],
        description="How many pairs met how often, from the fewest meetings to the most.",
        examples=[[{"meetings": 160, "pairs": 9}, {"meetings": 190, "pairs": 19}]],
    )
    words: str = Field(
        description="The same in a sentence.", examples=["Tables repeat as often as by chance."]
    )


class Table(BaseModel):
    """A whole table."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    rows: list[Row] = Field(description="One line for each bot, best first.", examples=[[]])
    blocks: int = Field(default=0, description="Blocks of games behind the table.", examples=[480])
    games: int = Field(default=0, description="Games behind the table.", examples=[1920])
    crosstable: Crosstable | None = Field(
        default=None, description="Every bot against every other.", examples=[None]
    )
    rotation: Rotation | None = Field(
        default=None, description="What seat rotation saved.", examples=[None]
    )
    calibration: list[CalibrationBin] = Field(
        default=[], description="Whether predicted results come about.", examples=[[]]
    )
    mixing: MixingReport | None = Field(
        default=None, description="Of a ladder: whether its tables mix.", examples=[None]
    )

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
