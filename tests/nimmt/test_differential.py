"""The engine against the plain reference engine: the same questions, answers, tables and scores."""

from random import Random
from typing import Any

import pytest

from nimmt import KeyedBoard, State, get, heads
from nimmt.board import Deal, Dealer
from nimmt.choices import Choice, TurnOptions, choice_from_json, choice_to_json
from tests.nimmt.support import VARIANTS, Variant, label
from tests.reference import Question, play, random_choice, random_deal

# Chances of a voluntary take, of keeping to high piles, and of each further card or pile.
MANNERS = [(0.0, 0.0, 0.5), (0.2, 0.5, 0.6), (0.5, 0.2, 0.6), (0.5, 1.0, 0.9), (0.9, 1.0, 0.3)]
SHORT_GAMES = {"six-nimmt": 90, "eleven-nimmt": 60, "x-nimmt": 120}
LONG_GAMES = 10_000
# This option says who begins the next round and nothing else, so that the games of the default
# above it prove all the rest.
LONG_GAMES_BY_OPTION = {"next_start": 2_000}


class SharedDeals:
    """Random deals for both engines. The start seat is left to each of them to find."""

    def __init__(self, variant: Variant, players: int, rng: Random) -> None:
        self.variant = variant
        self.players = players
        self.rng = rng
        self.rounds: list[dict[str, Any]] = []

    def raw(self, number: int) -> dict[str, Any]:
        while len(self.rounds) <= number:
            rules, options = self.variant.rules, dict(self.variant.options)
            self.rounds.append(random_deal(rules, options, self.players, number, self.rng, 0))
        return self.rounds[number]

    def for_reference(self, number: int, known: dict[str, Any]) -> dict[str, Any]:
        raw = self.raw(number)
        return raw | {"start_seat": known["start_seat"]} if "start_seat" in raw else raw

    def deal(self, dealer: Dealer, players: int, round_no: int) -> Deal:
        raw = self.raw(round_no)
        hands = tuple([tuple(sorted(hand)) for hand in raw.get("hands", raw.get("opening", []))])
        rows = tuple([row[0] for row in raw.get("rows", raw.get("piles", []))])
        deal = Deal(hands, rows, tuple(raw.get("draw", ())))
        dealer.check_deal(players, deal)
        return deal


class Lockstep:
    """Answers the reference's questions at random, and walks the engine along with it."""

    def __init__(self, state: State, rng: Random) -> None:
        self.state = state
        self.rng = rng
        self.take, self.big_piles, self.many = rng.choice(MANNERS)
        self.choices: dict[int, Choice] = {}
        self.decisions: list[list[dict[str, Any]]] = []

    def __call__(self, question: Question) -> object:
        state, seat, kind = self.state, question["seat"], question["kind"]
        if not self.choices:
            assert zones_of(question["situation"]) == seen_zones(state)
        assert seat == sorted(state.pending)[len(self.choices)]
        assert state.pending[seat].kind == kind
        assert described(state.legal(seat)) == question["legal"]
        answer = random_choice(
            question, self.rng, take=self.take, big_piles=self.big_piles, many=self.many
        )
        choice = state.canonical(seat, choice_from_json(kind, answer))
        while len(self.decisions) <= state.round_no:
            self.decisions.append([])
        self.decisions[state.round_no].append(
            {
                "seat": seat,
                "kind": kind,
                "choice": answer if kind == "turn" else choice_to_json(choice),
                "forced": state.forced(seat) is not None,
            }
        )
        self.choices[seat] = choice
        if len(self.choices) == len(state.pending):
            choices, self.choices = self.choices, {}
            state.apply(choices)
        return answer


def described(legal: tuple[int, ...] | TurnOptions) -> object:
    """What is legal, as the reference writes it."""
    if not isinstance(legal, TurnOptions):
        return list(legal)
    return {
        "plays": {str(pile): list(cards) for pile, cards in legal.plays.items()},
        "max_piles": legal.max_piles,
        "several": legal.many,
        "takes": list(legal.takes),
    }


def zones_of(situation: dict[str, Any]) -> dict[str, Any]:
    """The reference's situation as zones of the spectator's table, with what else is counted."""
    by_seat = {"hands": "hand", "bull_piles": "bull", "x_rows": "xrow", "x_piles": "xpile"}
    zones: dict[str, Any] = {}
    for name, zone in (by_seat | {"rows": "row", "piles": "pile"}).items():
        for number, cards in enumerate(situation.get(name, [])):
            zones[f"{zone}:{number}"] = tuple(cards)
    zones["draw"] = tuple(situation.get("draw", ()))
    zones["pool"] = tuple(situation.get("open_cards", ()))
    return {
        "zones": {zone: cards for zone, cards in zones.items() if cards},
        "round": situation["round"],
        "totals": tuple(situation["totals"]),
        "points": tuple(situation["points"]),
        "revealed": tuple(situation.get("revealed", ())),
        "bull_cards": tuple(situation.get("bull_cards", ())),
        "bull_pool": situation.get("pool", 0),
    }


def seen_zones(state: State) -> dict[str, Any]:
    """The same of the engine. Cards in mid-resolution stand apart in the reference too."""
    table = state.view(None)
    eleven = state.rules.name == "eleven-nimmt"
    apart = ("play:", "taken:")
    return {
        "zones": {z: cards for z, cards in table.zones.items() if not z.startswith(apart)},
        "round": table.round_no,
        "totals": table.totals,
        "points": points_as_reference(state),
        "revealed": () if eleven else state.view(0).revealed,  # type: ignore[union-attr]
        "bull_cards": table.bull_cards if eleven else (),
        "bull_pool": table.bull_pool,
    }


def points_as_reference(state: State) -> tuple[int, ...]:
    """Cards just taken in X nimmt! count in the engine at once, in the reference when kept."""
    points = list(state.points)
    taken = getattr(state, "taken", ())
    if taken:
        points[next(iter(state.pending))] -= heads(taken)
    return tuple(points)


def compare_game(variant: Variant, players: int, seed: str) -> None:
    """Play one game on both engines."""
    rng = Random(seed)
    deals = SharedDeals(variant, players, rng)
    state = get(variant.rules, variant.options).start(players, deals)
    walk = Lockstep(state, rng)
    options = dict(variant.options)
    expected = play(variant.rules, options, players, deals.for_reference, walk)
    assert state.result is not None
    assert list(state.result.points) == expected["points"]
    assert list(state.result.places) == expected["places"]
    assert [list(points) for points in state.scores] == [
        part["points"] for part in expected["rounds"]
    ]
    assert walk.decisions == [part["decisions"] for part in expected["rounds"]]
    for (_, start_seat), part in zip(state.deals, expected["rounds"], strict=True):
        assert start_seat == part["deal"].get("start_seat", start_seat)


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_both_engines_agree_on_every_decision_and_score(variant: Variant) -> None:
    for game in range(SHORT_GAMES[variant.rules]):
        players = variant.players[game % len(variant.players)]
        compare_game(variant, players, f"{variant.label} {game}")


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_both_engines_agree_over_ten_thousand_games(variant: Variant) -> None:
    games = min([LONG_GAMES, *(LONG_GAMES_BY_OPTION.get(o, LONG_GAMES) for o in variant.options)])
    for game in range(games):
        players = variant.players[game % len(variant.players)]
        compare_game(variant, players, f"long {variant.label} {game}")


def test_the_comparison_meets_steals_empty_decks_and_plays_on_several_piles() -> None:
    """The agreement above means something only where these things happen."""
    seen = {"steal": 0, "free steal": 0, "deck out": 0, "several piles": 0}
    variant = next(variant for variant in VARIANTS if variant.rules == "eleven-nimmt")
    for game in range(12):
        players = variant.players[game % len(variant.players)]
        rng = Random(f"{variant.label} {game}")
        deals = SharedDeals(variant, players, rng)
        state = get(variant.rules).start(players, deals)
        walk = Lockstep(state, rng)
        walk.take, walk.big_piles, walk.many = MANNERS[3]
        record = play(variant.rules, {}, players, deals.for_reference, walk)
        for part in record["rounds"]:
            steals = [d for d in part["decisions"] if d["kind"] == "steal"]
            seen["steal"] += len(steals)
            seen["free steal"] += sum(not d["forced"] for d in steals)
            seen["deck out"] += not part["final"]["draw"]
            turns = [d["choice"] for d in part["decisions"] if d["kind"] == "turn"]
            seen["several piles"] += sum(len(turn.get("play", ())) > 1 for turn in turns)
    assert all(count > 0 for count in seen.values()), seen


def test_the_comparison_finds_a_difference() -> None:
    """An engine that deals other cards than the reference must not pass."""
    variant = VARIANTS[-1]
    deals = SharedDeals(variant, 3, Random(1))
    state = get(variant.rules).start(3, KeyedBoard(bytes(32)))
    with pytest.raises(AssertionError):
        play(variant.rules, {}, 3, deals.for_reference, Lockstep(state, Random(1)))
