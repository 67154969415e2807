"""What a season tells: verdicts and recaps from facts alone, upsets, the race, open seasons."""

import re
from datetime import timedelta
from itertools import pairwise

import pytest
from fastapi import FastAPI
from sqlmodel import Session, select

from dashboard.reads import is_decided, is_tied, recap, upsets, verdict
from dashboard.render import text
from dashboard.render.charts import Point, RaceLine, race
from league import seasons as league_seasons
from league.ratings import Row, Table, read_table
from league.reviews import final_of
from store import (
    Review,
    Season,
    SeasonState,
    Store,
    accounts,
    match_lists,
    present,
    utc_now,
)
from store import reviews as store_reviews
from tests.dashboard.conftest import Browser, browser
from tests.dashboard.reviewed import make_reviews
from tests.dashboard.seed import Seeded
from tests.league.world import rank


def row(bot: str, place: int, group: str, **more: object) -> Row:
    values: dict[str, object] = {
        "bot": bot,
        "version": 1,
        "place": place,
        "low": place,
        "high": place,
        "group": group,
        "official": 1600.0 - 20 * place,
        "official_half": 15.0,
        "live": 1500.0,
        "points_per_round": 10.0,
        "win_share": 0.3 - 0.05 * place,
        "mean_place": 2.0,
        "blocks": 50,
        "games": 200,
    }
    return Row.model_validate(values | more)


def test_bots_that_share_a_letter_are_called_tied_with_the_chance_of_the_first() -> None:
    table = Table(
        rows=[row("a/slotrisk", 1, "a", best=0.78), row("b/gap", 2, "ab"), row("c/far", 3, "b")]
    )
    for over in (True, False):
        words = verdict(table, over=over)
        assert words == "slotrisk and gap are tied for first place; 78 % that slotrisk is the best."
    assert is_tied(table)


@pytest.mark.parametrize(
    ("best", "names", "words"),
    [
        (0.96, 2, "one is very likely the best (96 %), but not clearly ahead of two."),
        (
            1.0,
            3,
            "one is very likely the best (over 99 %), but not clearly ahead of two and three.",
        ),
        (0.92, 5, "one is very likely the best (92 %), but not clearly ahead of 4 others."),
    ],
)
def test_a_first_that_is_almost_sure_is_not_called_tied(
    best: float, names: int, words: str
) -> None:
    rows = [
        row(f"a/{name}", at, "a", best=best if at == 1 else 0.0)
        for at, name in enumerate(("one", "two", "three", "four", "five")[:names], start=1)
    ]
    table = Table(rows=rows)
    assert verdict(table, over=True) == words
    assert not is_tied(table)


def test_only_a_bot_apart_from_all_others_is_called_the_winner() -> None:
    table = Table(rows=[row("a/one", 1, "a"), row("b/two", 2, "b"), row("c/three", 3, "b")])
    assert verdict(table, over=True) == "one wins the season, clearly ahead of all others."
    assert verdict(table, over=False) == "one leads, clearly ahead of all others."
    assert is_decided(table)
    few = Table(rows=[row("a/one", 1, "a", official_half=None), row("b/two", 2, "b")])
    assert "too few games" in verdict(few, over=True)
    assert not is_decided(few)
    assert verdict(Table(rows=[]), over=True) == ""


def test_a_recap_counts_and_says_when_the_first_did_not_win_most() -> None:
    rows = [
        row("a/one", 1, "a", win_share=0.2),
        row("b/two", 2, "b", win_share=0.4, faults={"timeout": 3}),
    ]
    said = recap(Table(rows=rows, games=1200), 30)
    assert said[0] == "2 bots played 30 matches and 1\xa0200 games."
    assert "20 rating points lie between first and last place." in said
    assert any(line.startswith("two won the largest share of games (40 %)") for line in said)
    assert said[-1] == "3 faults, all by two."


def clear_winner(table: list[match_lists.Seated]) -> str | None:
    """Who won more than anyone else at this table; None: it is shared."""
    first, second, *_ = sorted(table, key=lambda seat: seat.seat.places)
    return None if first.seat.places == second.seat.places else first.bot


def test_an_upset_is_a_win_far_below_the_favourite_of_the_table(
    store: Store, seeded: Seeded
) -> None:
    with store.read() as session:
        season = present(session, Season, seeded.season_id)
        table = read_table(season.standings)
        assert table is not None
        done = [
            match.id
            for match in match_lists.matches(session, season_id=season.id, limit=1000)
            if match.state.value == "done"
        ]
        seats = match_lists.seated(session, done)
        names = {seat.bot_id: seat.bot for one in seats.values() for seat in one}
        # Intervals make ratings comparable; a table this small has none. The deals are random, so
        # an upset is made sure of: who won a match is rated far below the rest.
        clear = [winner for one in seats.values() if (winner := clear_winner(one))]
        ranked = [
            one.model_copy(
                update={
                    "official_half": 10.0,
                    "official": one.official - (1000 if one.bot == clear[0] else 0),
                }
            )
            for one in table.rows
        ]
        found = upsets(
            session, season.id, table.model_copy(update={"rows": ranked}), names, limit=1000
        )
    official = {one.bot: one.official for one in ranked}
    assert [one.gap for one in found] == sorted((one.gap for one in found), reverse=True)
    for one in found:
        table_of = seats[one.match_id]
        assert min(table_of, key=lambda seat: seat.seat.places).bot == one.winner
        assert max(table_of, key=lambda seat: official[seat.bot]).bot == one.favourite
        assert one.gap == pytest.approx(official[one.favourite] - official[one.winner])
    surprising = set()
    for match_id, table_of in seats.items():
        favourite = max(official[seat.bot] for seat in table_of)
        winner = clear_winner(table_of)
        if winner and favourite - official[winner] >= 50:
            surprising.add(match_id)
    assert surprising, "else this test says nothing"
    assert {one.match_id for one in found} == surprising


def test_a_finished_season_has_a_podium_and_no_open_places(
    app: FastAPI, store: Store, seeded: Seeded
) -> None:
    with store.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        league_seasons.finish(session, seeded.season_id, boss, early=True)
    with browser(app) as client:
        page = client.get("/seasons/spring").text
    assert "Final standings" in page
    assert len(re.findall(r'class="podium-[123]"', page)) == 3
    assert "The season in short" in page
    for word in (">open<", ">settled<", "Place is", "No place is settled"):
        assert word not in page


def test_a_running_season_says_which_places_are_open(spectator: Browser) -> None:
    page = spectator.get("/seasons/spring").text
    assert "Place is" in page
    assert "podium-1" not in page


def test_an_open_season_recruits(app: FastAPI, spectator: Browser, heron: Browser) -> None:
    page = spectator.get("/seasons/summer").text
    assert "What it takes" in page
    assert "0 bots have entered" in page
    assert 'href="/submit"' in page
    own = heron.get("/seasons/summer").text
    assert re.search(r'<select id="bot".*dice', own)
    heron.submit("/seasons/summer/enter", {"bot": "dice"}, on="/seasons/summer")
    assert "1 bot has entered" in spectator.get("/seasons/summer").text


def test_a_race_draws_one_line_for_each_bot_and_keeps_names_apart() -> None:
    lines = [
        RaceLine(name=f"b{n}", points=[Point(x=0, y=1500, label="a"), Point(x=9, y=1500 + n / 9)])
        for n in range(4)
    ]
    drawn = str(race(lines, "Race"))
    assert drawn.count("<polyline") == 8
    ends = [float(y) for y in re.findall(r'class="c-name" x="[\d.]+" y="([\d.]+)"', drawn)][:4]
    gaps = [below - above for above, below in pairwise(sorted(ends))]
    assert min(gaps) >= 15
    assert race(lines[:0], "Race") == ""


def test_the_states_of_a_season_that_is_over_are_final() -> None:
    assert {state for state in SeasonState if state.is_final} == {
        SeasonState.FINISHED,
        SeasonState.ARCHIVED,
    }


def blunder_in_second_game(session: Session, match_id: int) -> None:
    """Change a review that is done: the seeded bots need not err."""
    wanted = select(Review).where(Review.match_id == match_id, Review.game_no == 1)
    review = session.exec(wanted).one()
    worst = {"seat": 1, "loss": 93.5, "round": 0, "decision": 4}
    review.summary = dict(review.summary or {}) | {"costliest": worst}


def test_the_story_of_a_finished_season_tells_what_the_reviews_of_its_final_found(
    app: FastAPI, store: Store, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        assert store_reviews.next_wanted(session) is None
        season = league_seasons.finish(session, seeded.season_id, boss, early=True)
        final = final_of(session, season)
        assert final is not None
        assert store_reviews.are_coming(session, final.match_id)
    with browser(app) as client:
        assert "The final</h3>" not in client.get("/seasons/spring").text
        # Makes all that wait, those of the final too.
        make_reviews(store, seeded.done)
        with store.write() as session:
            assert not store_reviews.are_coming(session, final.match_id)
            blunder_in_second_game(session, final.match_id)
        # The page that was kept looks again after a minute, although nothing else has changed.
        soon = utc_now() + timedelta(minutes=2)
        monkeypatch.setattr(text, "utc_now", lambda: soon)
        page = client.get("/seasons/spring").text
    assert "The final</h3>" in page
    assert "gives away 93.5 heads with one decision." in page
    assert f'href="/matches/{final.match_id}/games/0/1?d=0.4"' in page
    first, rival = final.first.bot.split("/")[1], final.rival.bot.split("/")[1]
    assert f"{first} (place 1) and {rival} (place {final.rival.place})" in page


def test_the_story_finds_reviews_of_its_final_that_were_wanted_after_it_was_drawn(
    app: FastAPI, store: Store, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        season = league_seasons.finish(session, seeded.season_id, boss, early=True)
        final = final_of(session, season)
        assert final is not None
        # As when the standings were not up to date at the end: the reviews are wanted later.
        for review in session.exec(select(Review)):
            session.delete(review)
    with browser(app) as client:
        assert "The final</h3>" not in client.get("/seasons/spring").text
        make_reviews(store, final.match_id, games=2)
        with store.write() as session:
            blunder_in_second_game(session, final.match_id)
        later = utc_now() + timedelta(hours=2)
        monkeypatch.setattr(text, "utc_now", lambda: later)
        assert "The final</h3>" in client.get("/seasons/spring").text


def test_the_story_of_a_season_whose_two_best_never_met_says_so(
    app: FastAPI, store: Store, seeded: Seeded
) -> None:
    # Bots of one owner are never drawn to one table.
    rank(store, seeded.season_id, ["heron/close", "heron/dice", "otter/closer"])
    with store.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        season = league_seasons.finish(session, seeded.season_id, boss, early=True)
        final = final_of(session, season)
        assert final is not None
    make_reviews(store, seeded.done)
    with store.write() as session:
        blunder_in_second_game(session, final.match_id)
    with browser(app) as client:
        page = client.get("/seasons/spring").text
    assert "close (place 1) and closer (place 3)" in page
    assert "close met nobody placed between them" in page
