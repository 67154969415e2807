"""What the API says of seasons, as types."""

from datetime import datetime

from pydantic import Field

from api_models.base import Public
from api_models.states import EntryState, SeasonState


class SeasonOut(Public):
    """A season."""

    name: str = Field(description="Its name, part of its address.", examples=["autumn"])
    title: str = Field(description="What pages call it; empty: its name.", examples=["Autumn cup"])
    about: str = Field(description="What its page says of it.", examples=["Open to all."])
    state: SeasonState = Field(description="Where it is in its life.", examples=["running"])
    rules: str = Field(description="The rules that are played.", examples=["six-nimmt"])
    options: dict[str, object] = Field(
        description="The options of the rules.", examples=[{"rounds": 1}]
    )
    table_size: int = Field(description="Seats at a table.", examples=[4])
    boards: int = Field(description="Boards in a match.", examples=[100])
    passes: int = Field(
        description="How often every board is played, with other seats.", examples=[1]
    )
    time: dict[str, object] = Field(
        description="The clock, in milliseconds.", examples=[{"move_ms": 100, "bank_ms": 1000}]
    )
    budget: dict[str, object] = Field(
        description="How often every two meet; of an adaptive season also its places and matches.",
        examples=[{"meetings": 2}, {"meetings": 1, "places": [1, 3], "matches": 400}],
    )
    opens_at: datetime | None = Field(
        description="When entries open; null: an organiser opens them.",
        examples=["2031-10-01T18:00:00Z"],
    )
    freezes_at: datetime | None = Field(
        description="When entries freeze; null: an organiser freezes them.",
        examples=["2031-10-08T18:00:00Z"],
    )
    starts_at: datetime | None = Field(
        description="When play begins; null: an organiser starts it.",
        examples=["2031-10-08T19:00:00Z"],
    )
    ends_at: datetime | None = Field(
        description="When it ends at the latest; null: with its last match.",
        examples=["2031-10-15T18:00:00Z"],
    )
    started_at: datetime | None = Field(
        description="When play began; null: not yet.", examples=["2031-10-08T19:00:01Z"]
    )
    finished_at: datetime | None = Field(
        description="When it was over; null: not yet.", examples=["2031-10-09T02:11:00Z"]
    )
    commitment: str | None = Field(
        description="The hash of its key, published when entries freeze.", examples=["sha256:…"]
    )
    balance: dict[str, object] | None = Field(
        description="How even its schedule is; null: there is none yet.",
        examples=[{"words": "Every two bots meet twice."}],
    )
    matches: dict[str, int] = Field(
        description="How many matches are in each state.", examples=[{"planned": 4, "done": 8}]
    )
    standings_at: datetime | None = Field(
        description="How old its standings are; null: there are none.",
        examples=["2031-10-09T02:11:00Z"],
    )


class EntryOut(Public):
    """A bot in a season."""

    bot: str = Field(description="The bot, `owner/name`.", examples=["ada/greedy"])
    version: int | None = Field(
        description="The version that plays; null until entries freeze.", examples=[3]
    )
    state: EntryState = Field(description="Whether it still takes part.", examples=["entered"])
    is_anchor: bool = Field(description="Whether it is a platform bot.", examples=[False])
    reason: str = Field(description="Why it left; empty: it did not.", examples=[""])


class ChangeOut(Public):
    """One bot's line before and after; null: not in that table."""

    bot: str = Field(description="The bot and its version.", examples=["ada/greedy 3"])
    place_before: int | None = Field(description="Its place before.", examples=[2])
    place_after: int | None = Field(description="Its place after.", examples=[1])
    official_before: float | None = Field(description="Its rating before.", examples=[1498.0])
    official_after: float | None = Field(description="Its rating after.", examples=[1503.5])


class RemovalOut(Public):
    """What it means that a bot leaves a season."""

    bot: str = Field(description="The bot, `owner/name`.", examples=["ada/greedy"])
    state: EntryState = Field(description="Withdrawn or disqualified.", examples=["withdrawn"])
    words: list[str] = Field(
        description="The same in sentences.", examples=[["Its 12 results stand."]]
    )
    played: int = Field(description="Matches it has a result in.", examples=[12])
    ending: int = Field(description="Matches being played that end with it.", examples=[1])
    filled: int = Field(
        description="Open matches played with a platform bot in its seat.", examples=[8]
    )
    cancelled: int = Field(description="Open matches that are not played.", examples=[0])
    changes: list[ChangeOut] = Field(
        description="The table before and after, if it changes.", examples=[[]]
    )


class StatusOut(Public):
    """The progress of a season, and what holds it up."""

    season: str = Field(description="Its name.", examples=["autumn"])
    state: SeasonState = Field(description="Where it is in its life.", examples=["running"])
    entries: int = Field(description="Bots that take part.", examples=[8])
    matches: int = Field(description="Matches in all.", examples=[12])
    done: int = Field(description="Matches that are done.", examples=[8])
    states: dict[str, int] = Field(
        description="How many matches are in each state.", examples=[{"done": 8, "queued": 4}]
    )
    stuck: dict[str, str] = Field(
        description="Stuck matches with what stopped them.", examples=[{"17": "the disk is full"}]
    )
    workers: int = Field(description="Workers that are alive.", examples=[2])
    slots: int = Field(description="Matches that they play at once.", examples=[4])


class TimeLeftOut(Public):
    """What a season still has to play."""

    matches: int = Field(description="Matches that are not done.", examples=[4])
    seconds: float | None = Field(description="null: nothing to go by yet.", examples=[120.0])
    words: str = Field(description="The same in a sentence.", examples=["4 matches, 2 min"])
    verdict: dict[str, object] | None = Field(
        description="Of an adaptive season: what is open.", examples=[None]
    )


class RehearsalOut(Public):
    """The running rehearsal, and what the last one found."""

    running: bool = Field(description="Whether one is running.", examples=[False])
    matches: int = Field(description="Matches that it has.", examples=[12])
    done: int = Field(description="Matches that are done.", examples=[12])
    report: dict[str, object] | None = Field(
        description="What the last one found; null: there was none.",
        examples=[{"good": True, "matches": 12, "done": 12, "games": 1200, "replays_wrong": 0}],
    )


class FairnessOut(Public):
    """Questions to ask, and no verdicts; bots by name and version."""

    balance: str = Field(
        description="How even the schedule is; of a ladder, how well its tables mix.",
        examples=["Every two bots meet twice."],
    )
    meetings: list[dict[str, object]] = Field(
        description="At how many tables two bots sat together, the most first: of a season in all"
        " of its matches, of a ladder in the latest 200. Of more than 400 pairs, the 200 that met"
        " most and the 200 that met least.",
        examples=[[{"bot": "ada/greedy 3", "beside": "bob/dice 1", "meetings": 12}]],
    )
    presence: list[dict[str, object]] = Field(
        description="Pairs where one does better against the others beside the other.",
        examples=[
            [{"bot": "ada/greedy 3", "beside": "bob/dice 1", "gain": 0.04, "z": 3.9, "blocks": 80}]
        ],
    )
    presence_pairs: int = Field(description="How many pairs were measurable.", examples=[56])
    alike: list[dict[str, object]] = Field(
        description="Bots that made identical first choices.",
        examples=[[{"first": "ada/greedy 3", "second": "bob/dice 1", "agreement": 1.0}]],
    )
    probes: int = Field(
        description="The most first choices that two bots share; 0: nothing to compare.",
        examples=[100],
    )
    linked: list[dict[str, object]] = Field(
        description="Owners that have something in common.",
        examples=[[{"owners": ["ada", "bob"], "reasons": ["the same fingerprint"]}]],
    )
