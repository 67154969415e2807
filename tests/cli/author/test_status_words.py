"""What `bullring status` and `bullring watch` say of a bot and of a submission, in every state."""

from datetime import UTC, datetime
from typing import Any

import pytest

from api_models.base import Page
from api_models.matches import MatchOut
from api_models.models import BotOut, MeOut, RatingOut, SubmissionOut
from api_models.organiser import WhyOut
from api_models.states import MatchState, SubmissionState
from cli.author import status
from league.ladder.why import WhyNot


class CannedClient:
    """A league that gives the same answers again and again."""

    url = "http://league"

    def __init__(self, **answers: list[Any]) -> None:
        self._answers = answers

    def get(self, path: str, kind: object, asked: object = None) -> Any:
        found = self._answers.get(path.rpartition("/")[2], [])
        return Page.model_construct(items=found, next=None) if path == "/matches" else found

    def me(self) -> MeOut:
        return MeOut(handle="ada", role="author", scopes=None, unread=0)


def a_bot(**changed: Any) -> BotOut:
    given: dict[str, Any] = {
        "bot": "ada/gap", "name": "gap", "owner": "ada", "about": "", "rules": ["six-nimmt"],
        "is_anchor": False, "current_version": 3, "suspended": None,
        "created_at": datetime.now(UTC), "url": "/bots/ada/gap",
    }  # fmt: skip
    return BotOut(**{**given, **changed})


def a_rating(**changed: Any) -> RatingOut:
    given: dict[str, Any] = {
        "ladder": 1, "season": None, "rules": "six-nimmt", "table_size": 4, "version": 3,
        "live": 1512.4, "official": None, "low": None, "high": None, "blocks": 3, "games": 24,
        "provisional": True, "settled": False,
    }  # fmt: skip
    return RatingOut(**{**given, **changed})


def a_why(why: WhyNot) -> WhyOut:
    return WhyOut(
        ladder=1, bot="ada/gap", version=3, reason=why.name, words=why.value, detail="",
        in_flight=0, idle_seconds=0.0, longest_wait=600.0,
    )  # fmt: skip


def a_match(number: int, state: MatchState) -> MatchOut:
    return MatchOut.model_construct(id=number, state=state)


SUBMISSIONS = {
    SubmissionState.RECEIVED: "submission 12 of ada/gap: received, just now",
    SubmissionState.BUILDING: "submission 12 of ada/gap: building, just now",
    SubmissionState.CHECKING: "submission 12 of ada/gap: checking, just now",
    SubmissionState.ACCEPTED: "submission 12 of ada/gap: accepted as version 3, just now",
    SubmissionState.REJECTED: "submission 12 of ada/gap: rejected, just now",
}


@pytest.mark.parametrize("state", SubmissionState)
def test_every_state_of_a_submission_has_its_line(state: SubmissionState) -> None:
    version = 3 if state is SubmissionState.ACCEPTED else None
    one = SubmissionOut.model_construct(
        id=12, bot="ada/gap", state=state, version=version, created_at=datetime.now(UTC)
    )
    assert status.submission_line(one) == SUBMISSIONS[state]


PLAYS = "gap: version 3 plays six-nimmt; http://league/bots/ada/gap"
NOT_RATED = [
    "not rated yet: it plays on ladders by itself, in seasons when entered;",
    "its rating follows soon after its first match",
]
BOTS: list[tuple[BotOut, list[RatingOut], list[str]]] = [
    (a_bot(), [], [PLAYS, *NOT_RATED]),
    (a_bot(current_version=None), [],
     ["gap: no version plays six-nimmt now; http://league/bots/ada/gap"]),
    (a_bot(suspended="it crashed"), [a_rating(version=2)],
     [PLAYS, "suspended: it crashed", *NOT_RATED]),
    (a_bot(), [a_rating()],
     [PLAYS, "ladder 1, six-nimmt, tables of 4: not measurable yet, live 1512 (provisional, few"
      " games so far), 24 games"]),
    (a_bot(), [a_rating(official=1498.0, low=1471.5, high=1524.5, provisional=False)],
     [PLAYS, "ladder 1, six-nimmt, tables of 4: 1498 (1472 to 1524), live 1512, 24 games"]),
    (a_bot(), [a_rating(season="autumn", official=1498.0, provisional=False)],
     [PLAYS, "season autumn, six-nimmt, tables of 4: 1498, live 1512, 24 games"]),
]  # fmt: skip


@pytest.mark.parametrize(("bot", "ratings", "expected"), BOTS)
def test_every_state_of_a_bot_has_its_lines(
    bot: BotOut,
    ratings: list[RatingOut],
    expected: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    status._tell_bot(CannedClient(ratings=ratings), bot, None)  # type: ignore[arg-type]
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == expected


@pytest.mark.parametrize("why", WhyNot, ids=lambda why: why.name)
def test_every_reason_why_a_bot_does_not_play_is_told_by_status_and_by_watch(
    why: WhyNot, capsys: pytest.CaptureFixture[str]
) -> None:
    client: Any = CannedClient(why=[a_why(why)])
    status._tell_bot(client, a_bot(), None)
    told = capsys.readouterr().out.splitlines()
    assert f"  ladder 1, now: {why.value}" in told
    waits = status._Waiting(client, ["ada/gap"])
    waits.tell()
    assert capsys.readouterr().err.splitlines() == [
        f"ada/gap: no match is planned. ladder 1: {why.value}"
    ]


WAITS = [
    ("ada/gap", [], "no match is planned. It is on no ladder and in no season."),
    ("ben/gap", [], "no match is planned."),
    ("ada/gap", [(7, MatchState.RUNNING)],
     "waiting for the end of a match: match 7 is being played"),
    ("ada/gap", [(9, MatchState.QUEUED)], "waiting for the end of a match: 1 in the queue"),
    ("ada/gap", [(11, MatchState.PLANNED)], "waiting for the end of a match: 1 planned"),
    ("ben/gap", [(8, MatchState.RUNNING), (7, MatchState.RUNNING), (9, MatchState.QUEUED),
                 (10, MatchState.QUEUED), (11, MatchState.PLANNED)],
     "waiting for the end of a match: match 7 is being played, match 8 is being played,"
     " 2 in the queue, 1 planned"),
]  # fmt: skip


@pytest.mark.parametrize(("bot", "matches", "expected"), WAITS)
def test_watch_says_what_it_waits_for_and_says_it_once(
    bot: str,
    matches: list[tuple[int, MatchState]],
    expected: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    client: Any = CannedClient(matches=[a_match(*one) for one in matches])
    waits = status._Waiting(client, [bot])
    waits.tell()
    waits.tell()
    assert capsys.readouterr().err.splitlines() == [f"{bot}: {expected}"]


def test_every_state_in_which_a_match_is_still_to_end_is_in_the_table() -> None:
    shown = {state for _, matches, _ in WAITS for _, state in matches}
    # A stuck match waits for an organiser, and ends when one has decided.
    ended = {MatchState.DONE, MatchState.CANCELLED, MatchState.STUCK}
    assert shown == set(MatchState) - ended
