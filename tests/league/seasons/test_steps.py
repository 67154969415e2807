"""The table of steps: it is the life that the store allows, and a refusal says the way."""

import pytest
import typer.main

import store
from cli.main import build_app
from league import seasons, steps
from league.errors import LeagueRefusal
from league.ladder import LADDER_STEPS
from league.seasons import SEASON_STEPS, SeasonPlan, dates_left, next_step
from store import LadderState, Role, SeasonState, Store
from tests.factories import add_bots
from tests.league.world import ORGANISER, season_in

PLAN = SeasonPlan(name="c7", rules="six-nimmt", options={"rounds": 1}, boards=4)


def words(step: str, state: SeasonState) -> str:
    chosen = steps.named(SEASON_STEPS, step)
    with pytest.raises(LeagueRefusal) as refused:
        steps.check(SEASON_STEPS, chosen, "season 'c7'", state)
    return str(refused.value)


def test_the_table_is_the_life_that_the_store_allows() -> None:
    table = {(state, step.to) for step in SEASON_STEPS for state in step.at}
    assert table == {(state, to) for state in SeasonState for to in state.next_states}


def test_every_step_is_a_command_of_its_name() -> None:
    app = typer.main.get_command(build_app())
    for group, table in (("season", SEASON_STEPS), ("ladder", LADDER_STEPS)):
        commands = app.commands[group].commands  # type: ignore[attr-defined]
        assert {step.name for step in table} <= set(commands)


@pytest.mark.parametrize(
    ("step", "state", "said"),
    [
        ("start", SeasonState.DRAFT, "is a draft; open it and freeze it first, then start it"),
        ("freeze", SeasonState.DRAFT, "is a draft; open it first, then freeze it"),
        ("start", SeasonState.PAUSED, "is paused; resume it instead"),
        ("start", SeasonState.RUNNING, "is already running"),
        ("resume", SeasonState.FROZEN, "is frozen; start it instead"),
        ("finish", SeasonState.OPEN, "is open; call it off instead"),
        ("call-off", SeasonState.RUNNING, "is running; finish it instead"),
        ("call-off", SeasonState.DRAFT, "is a draft; delete it instead"),
        ("finish", SeasonState.DRAFT, "is a draft; delete it instead"),
        ("pause", SeasonState.OPEN, "is open; only one that is running can be paused"),
        ("freeze", SeasonState.FINISHED, "is finished; only one that is open can be frozen"),
        ("archive", SeasonState.RUNNING, "is running; only one that is finished can be archived"),
    ],
)
def test_a_step_out_of_turn_says_what_is_the_matter_and_what_comes_first(
    step: str, state: SeasonState, said: str
) -> None:
    assert words(step, state) == f"season 'c7' {said}"


def test_a_ladder_says_it_in_the_same_words() -> None:
    pause = steps.named(LADDER_STEPS, "pause")
    with pytest.raises(LeagueRefusal, match="ladder 3 is already paused"):
        steps.check(LADDER_STEPS, pause, "ladder 3", LadderState.PAUSED)
    with pytest.raises(LeagueRefusal, match="closed; only one that is open can be paused"):
        steps.check(LADDER_STEPS, pause, "ladder 3", LadderState.CLOSED)


def test_the_next_step_says_what_it_still_waits_for(database: Store) -> None:
    bots = add_bots(database)
    season = season_in(database, SeasonState.OPEN, PLAN, bots[:1])
    with database.write() as session:
        waiting = next_step(session, season)
        assert waiting is not None
        assert waiting.step.name == "freeze"
        assert "has 1 entry that can play" in waiting.missing
        with pytest.raises(LeagueRefusal, match="has 1 entry that can play"):
            waiting.step.take(session, season.id, ORGANISER)
        seasons.enter(session, season.id, bots[1], ORGANISER)
        ready = next_step(session, season)
        assert ready is not None
        assert ready.missing == ""
        off = next_step(session, seasons.call_off(session, season.id, ORGANISER))
        assert off is not None
        assert off.step.name == "archive"


def test_only_organisers_take_steps_and_the_league_itself(database: Store) -> None:
    season = season_in(database, SeasonState.DRAFT, PLAN, ())
    with database.write() as session:
        author = store.accounts.add_owner(session, "ada")
        boss = store.accounts.add_owner(session, "boss", role=Role.ORGANISER)
        with pytest.raises(
            LeagueRefusal, match="only an organiser can take this step, and ada is not one"
        ):
            seasons.open_entries(session, season.id, author)
        assert seasons.open_entries(session, season.id, boss).state is SeasonState.OPEN


@pytest.mark.parametrize(
    ("state", "left"),
    [
        (SeasonState.DRAFT, ("opens_at", "freezes_at", "starts_at", "ends_at")),
        (SeasonState.OPEN, ("freezes_at", "starts_at", "ends_at")),
        (SeasonState.FROZEN, ("starts_at", "ends_at")),
        (SeasonState.RUNNING, ("ends_at",)),
        (SeasonState.PAUSED, ("ends_at",)),
        (SeasonState.FINISHED, ()),
        (SeasonState.ARCHIVED, ()),
    ],
)
def test_a_date_stays_until_its_step_is_taken(state: SeasonState, left: tuple[str, ...]) -> None:
    assert dates_left(state) == left
