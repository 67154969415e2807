"""The states and kinds that rows can have, one sentence each; no table and no query is here."""

from enum import StrEnum


class Role(StrEnum):
    """What an account may do."""

    AUTHOR = "author"
    """Submits bots and sees what is private to them."""
    ORGANISER = "organiser"
    """Runs seasons, sees everything and may act for the league."""


class InvitationKind(StrEnum):
    """What a one-time link is for."""

    SIGN_UP = "sign_up"
    """Makes one new account."""
    ORGANISER = "organiser"
    """Signs in the first organiser, or makes that account."""
    PASSWORD_RESET = "password_reset"
    """Lets one owner set a new password."""


class SubmissionKind(StrEnum):
    """In which form a bot was submitted."""

    IMAGE_ARCHIVE = "image_archive"
    """A saved container image."""
    BUILD_CONTEXT = "build_context"
    """A folder with a Dockerfile, packed."""
    REFERENCE = "reference"
    """The name and digest of an image in an allowed registry."""
    PROGRAM = "program"
    """A trusted local program that runs without a container."""


class SubmissionState(StrEnum):
    """How far a submission has come."""

    RECEIVED = "received"
    """It is stored and waits for a worker."""
    BUILDING = "building"
    """A worker makes its image."""
    CHECKING = "checking"
    """The bot plays its check games."""
    ACCEPTED = "accepted"
    """It has become a version that may play."""
    REJECTED = "rejected"
    """The author has to change something; the report says what."""

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen to the submission."""
        return self in (SubmissionState.ACCEPTED, SubmissionState.REJECTED)


class VersionState(StrEnum):
    """Whether a version may play."""

    CHECKING = "checking"
    """Its check is not over yet."""
    ACCEPTED = "accepted"
    """It may be scheduled."""
    REJECTED = "rejected"
    """It failed its check and never plays."""

    @property
    def is_playable(self) -> bool:
        """Whether new matches may seat the version."""
        return self is VersionState.ACCEPTED


class SeasonState(StrEnum):
    """The life of a season."""

    DRAFT = "draft"
    """Only organisers see it, everything may change."""
    OPEN = "open"
    """Owners enter bots."""
    FROZEN = "frozen"
    """Entries are pinned to versions and the keys are committed."""
    RUNNING = "running"
    """Matches are being played."""
    PAUSED = "paused"
    """Matches wait, running ones end."""
    FINISHED = "finished"
    """The standings are final."""
    ARCHIVED = "archived"
    """It is kept for reading only."""

    @property
    def is_final(self) -> bool:
        """Whether no match of the season will be played any more."""
        return self in (SeasonState.FINISHED, SeasonState.ARCHIVED)

    @property
    def next_states(self) -> "frozenset[SeasonState]":
        """The states that may follow directly."""
        return _SEASON_NEXT[self]


_SEASON_NEXT: dict[SeasonState, frozenset[SeasonState]] = {
    SeasonState.DRAFT: frozenset({SeasonState.OPEN}),
    # A season that was opened, frozen or paused in error can be closed; what was played counts.
    SeasonState.OPEN: frozenset({SeasonState.FROZEN, SeasonState.FINISHED}),
    SeasonState.FROZEN: frozenset({SeasonState.RUNNING, SeasonState.FINISHED}),
    SeasonState.RUNNING: frozenset({SeasonState.PAUSED, SeasonState.FINISHED}),
    SeasonState.PAUSED: frozenset({SeasonState.RUNNING, SeasonState.FINISHED}),
    SeasonState.FINISHED: frozenset({SeasonState.ARCHIVED}),
    SeasonState.ARCHIVED: frozenset(),
}


class LadderState(StrEnum):
    """Whether a ladder makes matches."""

    OPEN = "open"
    """Matches are made whenever the workers have room."""
    PAUSED = "paused"
    """No matches for now; it goes on where it was."""
    CLOSED = "closed"
    """No more matches; the table stays, and it can be opened again."""


class EntryState(StrEnum):
    """Whether an entrant still takes part."""

    ENTERED = "entered"
    """It plays."""
    WITHDRAWN = "withdrawn"
    """Its owner took it out."""
    DISQUALIFIED = "disqualified"
    """An organiser took it out."""


class MatchKind(StrEnum):
    """Why a match is played."""

    SEASON = "season"
    """It is part of a season."""
    LADDER = "ladder"
    """It moves ladder ratings."""
    GATE = "gate"
    """It compares a new version with the old one."""
    SHOWCASE = "showcase"
    """It is played for watching, one game at a time."""
    PRACTICE = "practice"
    """A friendly match: an author asked for it, and it counts nowhere."""
    REHEARSAL = "rehearsal"
    """It tries out a season and is removed afterwards."""
    PEOPLE = "people"
    """One game at a table with a person."""

    @property
    def is_private(self) -> bool:
        """Whether it is in no list, no sum and no forecast: those whom it concerns find it."""
        return self in (MatchKind.PRACTICE, MatchKind.PEOPLE)


PUBLIC_KINDS = tuple(kind for kind in MatchKind if not kind.is_private)
"""The matches of the league itself; of seasons that are not public yet, organisers see them."""


class MatchState(StrEnum):
    """Where a match is between plan and result."""

    PLANNED = "planned"
    """It is scheduled and no worker knows of it."""
    QUEUED = "queued"
    """Any worker may claim it."""
    RUNNING = "running"
    """One attempt holds it under a lease."""
    DONE = "done"
    """Its result is stored."""
    CANCELLED = "cancelled"
    """It will not be played."""
    STUCK = "stuck"
    """Three attempts came to nothing; an organiser decides."""

    @property
    def is_final(self) -> bool:
        """Whether only an organiser can change the match again."""
        return self in (MatchState.DONE, MatchState.CANCELLED)

    @property
    def holds_up_season(self) -> bool:
        """Whether a season has to wait for the match; a stuck one never holds it up."""
        return self in (MatchState.PLANNED, MatchState.QUEUED, MatchState.RUNNING)

    @property
    def next_states(self) -> "frozenset[MatchState]":
        """The states that may follow directly."""
        return _MATCH_NEXT[self]


_MATCH_NEXT: dict[MatchState, frozenset[MatchState]] = {
    MatchState.PLANNED: frozenset({MatchState.QUEUED, MatchState.CANCELLED}),
    MatchState.QUEUED: frozenset({MatchState.RUNNING, MatchState.PLANNED, MatchState.CANCELLED}),
    MatchState.RUNNING: frozenset(
        {MatchState.DONE, MatchState.QUEUED, MatchState.STUCK, MatchState.CANCELLED}
    ),
    MatchState.DONE: frozenset({MatchState.QUEUED}),
    MatchState.CANCELLED: frozenset({MatchState.QUEUED}),
    MatchState.STUCK: frozenset({MatchState.QUEUED, MatchState.CANCELLED}),
}


class ReviewState(StrEnum):
    """How far the review of a game has come."""

    WAITING = "waiting"
    """It was asked for."""
    WORKING = "working"
    """A worker makes it, under a lease."""
    DONE = "done"
    """It can be read."""
    FAILED = "failed"
    """It could not be made; the row says why."""


class ReviewReason(StrEnum):
    """Why the review of a game is wanted, most urgent first."""

    ASKED = "asked"
    """Someone who watches the game asked for it."""
    FEATURED = "featured"
    """The front page shows the game."""
    FINAL = "final"
    """It belongs to the final of a season."""
    SAMPLE = "sample"
    """It was drawn for the report on a bot."""

    @property
    def turn(self) -> int:
        """Smaller ones go first."""
        return list(ReviewReason).index(self)


class SittingState(StrEnum):
    """Where a table with people is between its opening and its end."""

    LOBBY = "lobby"
    """Other people are still to come."""
    WAITING = "waiting"
    """It waits for a worker."""
    PLAYING = "playing"
    """Cards are on the table."""
    OVER = "over"
    """The game was played to its end."""
    CLOSED = "closed"
    """It ended without a result; the row says why."""

    @property
    def is_open(self) -> bool:
        """Whether it still takes a place among the tables."""
        return self not in (SittingState.OVER, SittingState.CLOSED)


class ChoiceBy(StrEnum):
    """Who made a choice at a person's seat."""

    PERSON = "person"
    """The person."""
    PLATFORM = "platform"
    """The platform, because the person did not choose in time or has left."""


class AttemptState(StrEnum):
    """How one try at playing a match stands."""

    RUNNING = "running"
    """A worker holds its lease."""
    DONE = "done"
    """It delivered the result."""
    VOID = "void"
    """The platform failed, or an organiser took the result back; no bot is charged."""
    LOST = "lost"
    """Its worker went silent and the lease ran out."""

    @property
    def is_final(self) -> bool:
        """Whether the attempt is over."""
        return self is not AttemptState.RUNNING


class GateState(StrEnum):
    """How a version gate stands."""

    PLAYING = "playing"
    """More games are needed."""
    PASSED = "passed"
    """The new version is at least as good."""
    FAILED = "failed"
    """The new version is worse."""
    UNDECIDED = "undecided"
    """The budget is spent without an answer."""
    CANCELLED = "cancelled"
    """Its author or an organiser stopped it."""

    @property
    def is_final(self) -> bool:
        """Whether the gate is over."""
        return self is not GateState.PLAYING


class WorkerState(StrEnum):
    """What a worker says of itself."""

    UP = "up"
    """It claims matches."""
    WAITING = "waiting"
    """A service that all share does not answer; it claims nothing until it does."""
    QUARANTINED = "quarantined"
    """Something is wrong with this worker alone; it claims nothing until its check passes."""
    DRAINING = "draining"
    """It ends what it has and claims no more."""
    GONE = "gone"
    """It has signed off, or is silent."""


class BlobKind(StrEnum):
    """What a stored file holds."""

    REPLAY = "replay"
    """All games of a match, one JSON document a line."""
    NOTES = "notes"
    """The private notes of the bots, one JSON document a line."""


class Finish(StrEnum):
    """What became of a delivered result."""

    ACCEPTED = "accepted"
    """It is stored now."""
    REPEATED = "repeated"
    """The same attempt had delivered before; nothing changed."""
    REFUSED = "refused"
    """The attempt no longer holds the match; nothing changed."""
