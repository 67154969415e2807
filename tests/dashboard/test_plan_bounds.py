"""One plan, one set of bounds: what no season or ladder can be is refused alike by every entrance.

The cases are read from the models, so that a field with a new bound is tried without a word here.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from cli.main import build_app
from dashboard.pages.organiser.ladder_form import DEFAULTS as LADDER_FORM
from dashboard.pages.organiser.season_form import DEFAULTS as SEASON_FORM
from dashboard.settings import Settings
from league import ladder as ladders
from league import seasons
from league.errors import LeagueRefusal
from league.given import Decimal, Text, Whole, bound_of
from league.ladder import LadderPlan, LadderSettings, LadderWords
from league.seasons import SeasonPlan, SeasonWords
from store import Store
from store import ladders as store_ladders
from store import seasons as store_seasons
from store.ladders import DEFAULT_CAP
from tests.dashboard.conftest import Browser, api_token

GOOD: dict[str, Any] = {"name": "cup", "rules": "six-nimmt"}
FORM_NAMES = {"table": "table_size"}
"""Fields of a form that are called differently."""


@dataclass(frozen=True)
class Case:
    """A value that does not fit, and what has to be said about it."""

    word: str
    value: Any
    expected: str

    @property
    def got(self) -> str:
        """How its value is repeated, but for quotes; long texts are cut."""
        return f"got {self.value}"[:20]


def edges(model: type[BaseModel]) -> Iterator[tuple[str, list[Any], list[Any], str]]:
    """Of each bounded field: the values that just fit, those just outside, what is expected."""
    outside: list[Any]
    for word in model.model_fields:
        match bound_of(model, word):
            case Whole() as bound:
                outside = [bound.low - 1, bound.high + 1]
                yield word, [bound.low, bound.high], outside, bound.expected
            case Decimal() as bound:
                least = [0.0] if bound.from_zero else [0.25]
                outside = [-1.0, bound.high + 1] + ([] if bound.from_zero else [0.0])
                yield word, [*least, bound.high], outside, bound.expected
            case Text() as bound:
                outside = ["x" * (bound.most + 1)] + ([""] if bound.least else [])
                yield word, ["x" * bound.least, "x" * bound.most], outside, bound.expected


def wrong(model: type[BaseModel]) -> list[Case]:
    return [
        Case(word, value, expected)
        for word, _, outside, expected in edges(model)
        for value in outside
    ]


SEASON_CASES = [
    *wrong(SeasonWords),
    Case("boards", 10**9, "a whole number from 1 to 10000"),
    Case("move_ms", -5, "a whole number from 0 to 60000"),
    Case("places", [0], "a whole number from 1 to 1000"),
    Case("places", [1, 1001], "a whole number from 1 to 1000"),
]
LADDER_CASES = wrong(LadderWords)
SETTINGS_CASES = wrong(LadderSettings)


def words_with(case: Case) -> dict[str, Any]:
    """A good season but for one word; places and budget need each other."""
    adaptive = {"places": [1], "budget": 9} if case.word in ("places", "budget") else {}
    return {**GOOD, **adaptive, case.word: case.value}


def typed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


class League:
    """One store, and every way to it."""

    def __init__(self, store: Store, boss: Browser, folder: Path) -> None:
        self.store, self.boss, self.folder = store, boss, folder
        self.headers = api_token(store, "boss", "read", "organise")

    def draft(self) -> int:
        with self.store.write() as session:
            made = seasons.create(session, SeasonPlan(name="draft", rules="six-nimmt"), "test")
        return made.id

    def ladder(self) -> int:
        with self.store.write() as session:
            return ladders.open_ladder(session, LadderPlan(rules="six-nimmt"), "test").id

    def send(self, method: str, path: str, body: object) -> str:
        answer = self.boss.request(method, f"/api/v1{path}", headers=self.headers, json=body)
        assert answer.status_code in (409, 422), answer.text
        return str(answer.json()["detail"])

    def form(self, path: str, fields: dict[str, str]) -> str:
        answer = self.boss.submit(path, fields)
        assert answer.status_code in (409, 422), answer.text
        return unescape(answer.text)

    def command(self, *arguments: object) -> str:
        result = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
        assert result.exit_code == 2, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.output


@pytest.fixture
def league(
    store: Store,
    boss: Browser,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> League:
    monkeypatch.setenv("BULLRING_DATA_DIR", str(settings.data_dir))
    for name in ("BULLRING_DATABASE_URL", "BULLRING_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    return League(store, boss, tmp_path)


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(LeagueRefusal) as refused:
        act()
    return str(refused.value)


def options(words: dict[str, Any]) -> list[str]:
    """The words as options of a command; `--place` is given once a place."""
    found = []
    for word, value in words.items():
        name = f"--{word.replace('_', '-')}"
        if word == "places":
            found += [f"--place={place}" for place in value]
        else:
            found.append(f"{name}={value}")
    return found


def by_code(league: League, words: dict[str, Any], _: str) -> str:
    def make() -> None:
        with league.store.write() as session:
            seasons.create(session, seasons.plan_from(words), "test")

    return refusal(make)


def by_code_edit(league: League, words: dict[str, Any], _: str) -> str:
    def change() -> None:
        with league.store.write() as session:
            row = store_seasons.by_name(session, "draft")
            assert row is not None
            seasons.edit(session, row.id, words, "test")

    return refusal(change)


def by_api(league: League, words: dict[str, Any], _: str) -> str:
    return league.send("POST", "/seasons", words)


def by_api_edit(league: League, words: dict[str, Any], _: str) -> str:
    return league.send("PATCH", "/seasons/draft", words)


def season_fields(words: dict[str, Any]) -> dict[str, str]:
    ends = {"ends": "places"} if "places" in words else {}
    given = {FORM_NAMES.get(word, word): typed(value) for word, value in words.items()}
    return {**SEASON_FORM, **ends, **given}


def by_form(league: League, words: dict[str, Any], _: str) -> str:
    return league.form("/organiser/create", season_fields(words))


def by_form_edit(league: League, words: dict[str, Any], _: str) -> str:
    return league.form("/organiser/seasons/draft/edit", season_fields(words))


def by_command(league: League, words: dict[str, Any], _: str) -> str:
    more = {word: value for word, value in words.items() if word not in ("name", "rules")}
    return league.command("season", "create", words["name"], words["rules"], *options(more))


def by_command_edit(league: League, words: dict[str, Any], word: str) -> str:
    # Where 0 alone stands for no place at all.
    words = {**words, "places": [2, *words["places"]]} if word == "places" else words
    return league.command("season", "edit", "draft", *options(words))


def by_file(league: League, words: dict[str, Any], _: str) -> str:
    path = league.folder / "season.toml"
    lines = [
        f'{word} = "{value}"' if isinstance(value, str) else f"{word} = {value}"
        for word, value in words.items()
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return league.command("season", "create", "--from", path)


SEASON_ENTRANCES = [
    by_code,
    by_code_edit,
    by_api,
    by_api_edit,
    by_form,
    by_form_edit,
    by_command,
    by_command_edit,
    by_file,
]


@pytest.mark.parametrize("entrance", SEASON_ENTRANCES)
def test_every_entrance_refuses_what_no_season_can_be_with_the_same_words(
    league: League, entrance: Callable[[League, dict[str, Any], str], str]
) -> None:
    league.draft()
    with league.store.read() as session:
        before = [seasons.plan_of(one) for one in store_seasons.seasons(session)]
    for case in SEASON_CASES:
        said = entrance(league, words_with(case), case.word)
        if case == Case("name", "", case.expected) and entrance in (by_form, by_form_edit):
            assert "a season needs a name" in said
            continue
        if case.word == "rules" and entrance in (by_form, by_form_edit):
            assert "expected one of six-nimmt" in said, "a form offers the rules there are"
            continue
        assert case.expected in said, case
        assert re.search(rf"{case.word}|{FORM_NAMES.get(case.word)}", said), case
        if case.word != "places":
            assert case.got in said.replace("'", ""), case
    with league.store.read() as session:
        after = [seasons.plan_of(one) for one in store_seasons.seasons(session)]
    assert after == before, "something was made or changed"


def ladder_by_code(league: League, words: dict[str, Any]) -> str:
    return refusal(lambda: ladders.plan_from(words))


def ladder_by_api(league: League, words: dict[str, Any]) -> str:
    return league.send("POST", "/ladders", words)


def ladder_by_form(league: League, words: dict[str, Any]) -> str:
    given = {FORM_NAMES.get(word, word): typed(value) for word, value in words.items()}
    return league.form("/organiser/ladders/open", {**LADDER_FORM, **given})


def ladder_by_command(league: League, words: dict[str, Any]) -> str:
    more = {word: value for word, value in words.items() if word != "rules"}
    return league.command("ladder", "open", words["rules"], *options(more))


@pytest.mark.parametrize(
    "entrance", [ladder_by_code, ladder_by_api, ladder_by_form, ladder_by_command]
)
def test_every_entrance_refuses_what_no_ladder_can_be_with_the_same_words(
    league: League, entrance: Callable[[League, dict[str, Any]], str]
) -> None:
    for case in LADDER_CASES:
        said = entrance(league, {"rules": "six-nimmt", case.word: case.value})
        assert case.expected in said, case
        assert case.got in said.replace("'", ""), case
    with league.store.read() as session:
        assert store_ladders.ladders(session) == [], "a ladder was opened"


def settings_by_code(league: League, number: int, words: dict[str, Any]) -> str:
    def change() -> None:
        with league.store.write() as session:
            ladders.set_settings(session, number, "test", **words)

    return refusal(change)


def settings_by_api(league: League, number: int, words: dict[str, Any]) -> str:
    return league.send("POST", f"/ladders/{number}/settings", words)


def settings_by_form(league: League, number: int, words: dict[str, Any]) -> str:
    kept = {word: LADDER_FORM[word] for word in LadderSettings.model_fields}
    given = {word: typed(value) for word, value in words.items()}
    return league.form(f"/organiser/ladders/{number}/settings", {**kept, **given})


def settings_by_command(league: League, number: int, words: dict[str, Any]) -> str:
    return league.command("ladder", "settings", number, *options(words))


@pytest.mark.parametrize(
    "entrance", [settings_by_code, settings_by_api, settings_by_form, settings_by_command]
)
def test_every_entrance_refuses_settings_that_no_ladder_can_have(
    league: League, entrance: Callable[[League, int, dict[str, Any]], str]
) -> None:
    number = league.ladder()
    for case in SETTINGS_CASES:
        said = entrance(league, number, {case.word: case.value})
        assert "got " in said, case
        # In a form an empty field stands for 0, which a promise otherwise cannot be.
        form = entrance is settings_by_form and case.word == "longest_wait"
        assert ("a number above 0" if form else case.expected) in said, case


def whole_seasons() -> list[dict[str, Any]]:
    """Two seasons that have every word at one end of its bounds."""
    found: list[dict[str, Any]] = []
    for end, more in ((0, {"name": "n"}), (1, {"name": "n" * 40})):
        words = {word: inside[end] for word, inside, _, _ in edges(SeasonWords)}
        found.append({**words, **more, "rules": "six-nimmt", "places": [1, 1000][: end + 1]})
    return found


@pytest.mark.parametrize("words", whole_seasons(), ids=["least", "most"])
def test_the_bounds_themselves_fit_at_every_entrance(league: League, words: dict[str, Any]) -> None:
    plan = seasons.plan_from(words)
    assert {word: getattr(plan, word) for word in words} == {
        **words,
        "places": tuple(words["places"]),
    }
    made = league.boss.request("POST", "/api/v1/seasons", headers=league.headers, json=words)
    assert made.status_code == 201, made.text
    with league.store.write() as session:
        row = store_seasons.by_name(session, words["name"])
        assert row is not None
        again = {word: value for word, value in words.items() if word != "name"}
        assert seasons.edit(session, row.id, again, "test") == {}, "it is what was asked for"
    seasons.delete(league.store, row.id, "test")
    sent = league.boss.submit("/organiser/create", season_fields(words))
    assert sent.status_code == 303, sent.text
    with league.store.read() as session:
        row = store_seasons.by_name(session, words["name"])
        assert row is not None
    seasons.delete(league.store, row.id, "test")
    more = {word: value for word, value in words.items() if word not in ("name", "rules")}
    typed_in = ["season", "create", words["name"], words["rules"], *options(more)]
    result = CliRunner().invoke(build_app(), typed_in)
    assert result.exit_code == 0, result.output


def test_a_season_whose_boards_were_rounded_up_past_the_bound_can_still_be_changed(
    league: League,
) -> None:
    plan = SeasonPlan(name="long", rules="six-nimmt", table=6, boards=10_000)
    with league.store.write() as session:
        made = seasons.create(session, plan, "test")
        assert made.boards == 10_002, "whole laps of the table"
        changed = seasons.edit(session, made.id, {"title": "Long"}, "test")
        assert set(changed) == {"title"}
    page = league.boss.get("/organiser/seasons/long")
    assert page.status_code == 200


def test_a_ladder_without_choices_is_what_its_plan_says() -> None:
    assert LadderWords().cap == DEFAULT_CAP
