"""What cannot be set up: every bad option and player count is refused, naming got and expected."""

from typing import Any

import pytest

from nimmt import GAMES, Deal, GivenBoard, KeyedBoard, RulesError, get
from tests.nimmt.support import KEY, VARIANTS, Variant, finish, house, label

BAD_OPTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("six-nimmt", {"limit": 0}, "limit must be 1 to 1000, got 0"),
    ("six-nimmt", {"limit": -66}, "limit must be 1 to 1000, got -66"),
    ("six-nimmt", {"limit": 1001}, "limit must be 1 to 1000, got 1001"),
    ("six-nimmt", {"limit": 66.0}, "limit must be 1 to 1000, got 66.0"),
    ("six-nimmt", {"limit": True}, "limit must be 1 to 1000, got True"),
    ("six-nimmt", {"limit": "66"}, "limit must be 1 to 1000, got '66'"),
    ("six-nimmt", {"limit": 10**5000}, "limit must be 1 to 1000, got an integer of"),
    ("six-nimmt", {"rounds": 0}, "rounds must be 1 to 1000, got 0"),
    ("six-nimmt", {"rounds": False}, "rounds must be 1 to 1000, got False"),
    ("six-nimmt", {"rounds": [1]}, r"rounds must be 1 to 1000, got \[1\]"),
    ("six-nimmt", {"rounds": 1, "limit": 66}, "a limit or a number of rounds, not both"),
    ("six-nimmt", {"advanced": 1}, "advanced must be true or false, got 1"),
    ("six-nimmt", {"advanced": None}, "advanced must be true or false, got None"),
    ("six-nimmt", {"advanced": "yes"}, "advanced must be true or false, got 'yes'"),
    ("six-nimmt", {"opening_picks": 1}, "for the advanced game: set advanced"),
    ("six-nimmt", {"advanced": True, "opening_picks": 11}, "opening_picks must be 0 to 10, got 11"),
    ("six-nimmt", {"advanced": True, "opening_picks": -1}, "opening_picks must be 0 to 10, got -1"),
    ("six-nimmt", {"strict": True}, "no option 'strict'; it knows limit, rounds, advanced"),
    ("six-nimmt", {"next_start": "most"}, "no option 'next_start'"),
    ("six-nimmt", {"": 2}, "no option ''"),
    ("eleven-nimmt", {"next_start": "youngest"}, "'fewest' or 'most', got 'youngest'"),
    ("eleven-nimmt", {"next_start": None}, "'fewest' or 'most', got None"),
    ("eleven-nimmt", {"rounds": 1}, "no option 'rounds'; it knows next_start"),
    ("x-nimmt", {"rounds": 2}, "no option 'rounds'; it knows no options"),
]
BAD_PLAYERS: list[object] = [0, 1, -2, 11, 3.0, True, None, "4", [4]]


@pytest.mark.parametrize(("rules", "options", "message"), BAD_OPTIONS)
def test_a_bad_option_is_refused(rules: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        get(rules, options)


@pytest.mark.parametrize("players", BAD_PLAYERS, ids=repr)
@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_a_bad_number_of_players_is_refused(variant: Variant, players: Any) -> None:
    low, high = variant.players[0], variant.players[-1]
    with pytest.raises(RulesError, match=f"{low} to {high} players, got") as caught:
        get(variant.rules, variant.options).start(players, KeyedBoard(KEY))
    assert repr(players) in str(caught.value)


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_a_table_is_neither_too_small_nor_too_large(variant: Variant) -> None:
    for players in (variant.players[0] - 1, variant.players[-1] + 1):
        with pytest.raises(RulesError, match=f"got {players}"):
            variant.start(players)


def test_unknown_rules_are_refused_with_the_names_of_those_that_exist() -> None:
    with pytest.raises(RulesError, match="no rules 'seven-nimmt'; known are six-nimmt, eleven"):
        get("seven-nimmt")


@pytest.mark.parametrize(
    ("rules", "given", "full"),
    [
        ("six-nimmt", {}, {"limit": 66, "advanced": False, "opening_picks": 0}),
        ("six-nimmt", {"rounds": 3}, {"rounds": 3, "advanced": False, "opening_picks": 0}),
        (
            "six-nimmt",
            {"limit": 7, "advanced": True, "opening_picks": 2},
            {"limit": 7, "advanced": True, "opening_picks": 2},
        ),
        ("eleven-nimmt", {}, {"next_start": "fewest"}),
        ("x-nimmt", {}, {}),
    ],
)
def test_options_are_written_out_in_full(
    rules: str, given: dict[str, Any], full: dict[str, Any]
) -> None:
    options = get(rules, given).options
    assert dict(options) == full
    assert dict(get(rules, options).options) == full
    with pytest.raises(TypeError):
        options["limit"] = 1  # type: ignore[index]


def test_each_game_names_itself_and_its_kinds() -> None:
    assert list(GAMES) == ["six-nimmt", "eleven-nimmt", "x-nimmt"]
    assert get("six-nimmt").kinds == ("card", "row")
    assert get("six-nimmt", {"advanced": True}).kinds == ("draft", "card", "row")
    assert get("eleven-nimmt").kinds == ("turn", "steal")
    assert get("x-nimmt").kinds == ("card", "row", "x_card")
    assert repr(get("x-nimmt")) == "<x-nimmt {}>"


def good_deal(rules: str, players: int = 2) -> Deal:
    return KeyedBoard(KEY).deal(get(rules), players, 0)


@pytest.mark.parametrize("rules", list(GAMES))
def test_a_deal_that_no_deck_could_give_is_refused(rules: str) -> None:
    deal = good_deal(rules)
    first, second = deal.hands
    half: Any = 2.5
    bad: list[tuple[Any, str]] = [
        (deal._replace(hands=(first, second[:-1])), "holds .* cards, expected"),
        (deal._replace(hands=(first,)), "holds .* cards, expected"),
        (deal._replace(rows=(*deal.rows, 1)), "holds .* cards, expected"),
        (deal._replace(draw=(*deal.draw[1:], 1, 2)), "holds .* cards, expected"),
        (deal._replace(hands=(first, (first[0], *second[1:]))), "twice"),
        (deal._replace(hands=(first, (0, *second[1:]))), "holds 0, expected cards 1 to"),
        (deal._replace(hands=(first, (105, *second[1:]))), "holds 105, expected cards 1 to"),
        (deal._replace(hands=(first, (True, *second[1:]))), "holds True, expected cards"),
        (deal._replace(hands=(first, (half, *second[1:]))), r"holds 2\.5, expected cards"),
    ]
    for given, message in bad:
        with pytest.raises(RulesError, match=message):
            get(rules).start(2, GivenBoard((given,)))


@pytest.mark.parametrize("rules", list(GAMES))
def test_a_given_hand_may_stand_in_any_order(rules: str) -> None:
    deal = good_deal(rules)
    backwards = deal._replace(hands=tuple(tuple(reversed(hand)) for hand in deal.hands))
    states = [get(rules).start(2, GivenBoard((one,))) for one in (deal, backwards)]
    assert states[0].opening == states[1].opening
    assert states[0].legal(0) == states[1].legal(0)


def test_a_board_that_runs_out_of_deals_says_so() -> None:
    state = get("six-nimmt", {"rounds": 2}).start(2, GivenBoard((good_deal("six-nimmt"),)))
    with pytest.raises(RulesError, match="goes on to round 1, but its board holds only 1"):
        finish(state, house)


def test_a_key_has_32_bytes_and_a_board_a_number() -> None:
    with pytest.raises(RulesError, match="key of 31 bytes, expected 32"):
        KeyedBoard(bytes(31))
    with pytest.raises(RulesError, match="board number -1, expected 0 or more"):
        KeyedBoard(KEY, -1)
