"""The laws that every game keeps at every step: a new game is under them once it is registered."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nimmt import (
    GAMES,
    GivenBoard,
    KeyedBoard,
    Play,
    State,
    Table,
    TurnOptions,
    View,
    fold,
    get,
    seen_by,
)
from nimmt.choices import Choice
from nimmt.events import Event, HandPoints, Move, Reveal
from tests.nimmt.support import (
    KEY,
    TABLES,
    AnyChoice,
    Variant,
    choices_for,
    finish,
    house,
    label,
    snapshot,
    steps,
)

every_table = pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)
# In the advanced game all hands are open: nothing is hidden.
CLOSED = [table for table in TABLES if not table[0].options.get("advanced")]
closed_table = pytest.mark.parametrize(("variant", "players"), CLOSED, ids=label)
TURN_BASED = [table for table in TABLES if table[0].rules == "eleven-nimmt"]
tables = st.sampled_from(TABLES)
seeds = st.integers(0, 2**32)


def games(variant: Variant, players: int, count: int = 2) -> Iterator[tuple[State, AnyChoice]]:
    """Fresh games, each with a player of its own manner."""
    for number in range(count):
        rng = Random(f"{variant.label} {players} {number}")
        yield variant.start(players, number), AnyChoice(rng, rng.choice([0.0, 0.3, 0.8]))


def cards_in_play(state: State) -> int:
    """How many cards a round of this game uses."""
    return {
        "six-nimmt": 10 * state.players + 4,
        "eleven-nimmt": 100,
        "x-nimmt": 8 * state.players + 3,
    }[state.rules.name]


def test_every_registered_game_is_under_the_contract() -> None:
    assert {variant.rules for variant, _ in TABLES} == set(GAMES)
    for name in GAMES:
        rules = get(name)
        counts = {players for variant, players in TABLES if variant.rules == name}
        assert counts == set(range(rules.min_players, rules.max_players + 1))


@every_table
def test_a_game_ends_within_its_bound(variant: Variant, players: int) -> None:
    for state, choose in games(variant, players):
        decisions = sum(len(choices) for choices, _ in steps(state, choose))
        assert decisions <= state.rules.max_decisions(players)
        assert state.result is not None
        assert sum(map(sum, state.scores)) == sum(state.result.points)


@every_table
def test_cards_are_conserved_at_every_step(variant: Variant, players: int) -> None:
    for state, choose in games(variant, players):
        for _ in steps(state, choose):
            zones = state.view(None).zones
            cards = [card for zone in zones.values() for card in zone]
            assert len(cards) == len(set(cards)) == cards_in_play(state)
            assert min(cards) >= 1
            table = state.view(None)
            assert sum(table.bull_cards) + table.bull_pool in (0, 10)


@every_table
def test_same_board_and_choices_give_the_same_events(variant: Variant, players: int) -> None:
    for number, (state, choose) in enumerate(games(variant, players)):
        again = variant.start(players, number)
        assert again.opening == state.opening
        for choices, events in steps(state, choose):
            assert again.apply(choices) == events
        assert again.result == state.result


@every_table
def test_a_seat_has_legal_choices_exactly_when_it_is_asked(variant: Variant, players: int) -> None:
    for state, choose in games(variant, players):
        while state.pending:
            for seat in range(players):
                legal = state.legal(seat)
                empty = not (legal.takes if isinstance(legal, TurnOptions) else legal)
                assert empty == (seat not in state.pending)
            assert {ask.kind for ask in state.pending.values()} <= set(state.rules.kinds)
            state.apply(choices_for(state, choose))
        assert state.result is not None
        assert not any(state.legal(seat) for seat in range(players))


@every_table
def test_the_house_choice_is_always_legal_and_always_the_same(
    variant: Variant, players: int
) -> None:
    for state, choose in games(variant, players):
        while state.pending:
            for seat in state.pending:
                choice = house(state, seat)
                assert state.canonical(seat, choice) == choice == house(state, seat)
                only = state.forced(seat)
                assert only is None or only == choice
            state.apply(choices_for(state, choose))


@every_table
def test_a_game_of_house_choices_ends(variant: Variant, players: int) -> None:
    assert finish(variant.start(players), house).result is not None


@pytest.mark.parametrize(("variant", "players"), TURN_BASED, ids=label)
def test_helpers_for_search_yield_only_legal_turns(variant: Variant, players: int) -> None:
    seen = 0
    for state, choose in games(variant, players):
        while state.pending:
            for seat in state.pending:
                legal = state.legal(seat)
                if isinstance(legal, TurnOptions):
                    seen += check_helpers(state, seat, legal)
            state.apply(choices_for(state, choose))
    assert seen > 0


def check_helpers(state: State, seat: int, legal: TurnOptions) -> int:
    """Every choice of every helper is legal, canonical and comes once; returns how many."""
    sensible = list(legal.sensible())
    singles = list(legal.single_plays())
    assert len({repr(choice) for choice in sensible}) == len(sensible)
    assert [choice for choice in sensible if choice in singles] == singles
    widest = legal.widest_play()
    assert (widest is None) == (not legal.plays)
    choices: list[Choice] = [*sensible, *singles] + ([widest] if widest else [])
    for choice in choices:
        assert sorted_piles(state.canonical(seat, choice)) == sorted_piles(choice)
    if len(legal.takes) + len(singles) == 1:
        assert legal.only == sensible[0]
    else:
        assert legal.only is None
    return len(choices)


def sorted_piles(choice: Choice) -> str:
    return repr(sorted(choice.cards.items())) if isinstance(choice, Play) else repr(choice)


@given(tables, seeds, seeds)
def test_a_copy_shares_nothing_that_changes(
    table: tuple[Variant, int], seed: int, depth: int
) -> None:
    variant, players = table
    rng = Random(seed)
    choose = AnyChoice(rng)
    state = variant.start(players, seed % 100)
    for _ in range(depth % 60):
        if state.pending:
            state.apply(choices_for(state, choose))
    for changed, kept in ((state.copy(), state), (state, state.copy())):
        before = snapshot(kept)
        assert snapshot(changed) == before
        for _ in range(25):
            if changed.pending:
                changed.apply(choices_for(changed, choose))
        assert snapshot(kept) == before


@given(tables, seeds, seeds)
def test_a_copy_plays_on_like_its_original(
    table: tuple[Variant, int], seed: int, depth: int
) -> None:
    variant, players = table
    choose = AnyChoice(Random(seed))
    state = variant.start(players, seed % 100)
    for _ in range(depth % 60):
        if state.pending:
            state.apply(choices_for(state, choose))
    twin = state.copy()
    for choices, events in steps(state, choose):
        assert twin.apply(choices) == events
        assert [twin.view(seat) for seat in range(players)] == [
            state.view(seat) for seat in range(players)
        ]
    assert twin.result == state.result


@every_table
def test_folding_the_events_alone_rebuilds_what_the_spectator_sees(
    variant: Variant, players: int
) -> None:
    for state, choose in games(variant, players):
        table = fold(Table(players), state.opening)
        assert table == state.view(None)
        for _, events in steps(state, choose):
            fold(table, events)
            assert table == state.view(None)


@every_table
def test_folding_redacted_events_rebuilds_what_a_seat_may_see(
    variant: Variant, players: int
) -> None:
    for state, choose in games(variant, players, 1):
        hands_count = variant.rules != "six-nimmt"
        folded = [
            fold(Table(players), [seen_by(event, seat) for event in state.opening])
            for seat in range(players)
        ]
        for _, events in steps(state, choose):
            full = state.view(None)
            for seat, table in enumerate(folded):
                fold(table, [seen_by(event, seat) for event in events])
                check_seen(table, full, seat)
                shown = table.points
                own = tuple([p if s == seat else 0 for s, p in enumerate(full.points)])
                assert shown == (own if hands_count and state.pending else full.points)


def check_seen(table: Table, full: Table, seat: int) -> None:
    """All as the spectator sees it, but cards in other hands and in the deck may be face down."""
    assert table.zones.keys() == full.zones.keys()
    for zone, cards in full.zones.items():
        seen = table.zones[zone]
        hidden = zone == "draw" or (zone.startswith("hand:") and zone != f"hand:{seat}")
        if not hidden:
            assert seen == cards
        else:
            assert len(seen) == len(cards)
            assert set(seen) - {0} <= set(cards)
    names = ("turn", "seat", "totals", "places", "bull_cards", "bull_pool", "start_seat")
    assert [getattr(table, name) for name in names] == [getattr(full, name) for name in names]


@every_table
def test_redacted_events_hold_no_card_that_is_still_hidden(variant: Variant, players: int) -> None:
    for state, choose in games(variant, players, 1):
        known = [set[int]() for _ in range(players)]
        check_hidden(state.opening, known, open_hands="advanced" in variant.options)
        for _, events in steps(state, choose):
            check_hidden(events, known, open_hands="advanced" in variant.options)


def check_hidden(events: Sequence[Event], known: list[set[int]], open_hands: bool) -> None:
    """Follow what each seat has been shown: what it is told must be part of it."""
    for event in events:
        for seat, shown in enumerate(known):
            if type(event).__name__ == "RoundStart":
                shown.clear()
            if isinstance(event, Reveal):
                shown.update(event.cards)
            if not isinstance(event, Move):
                assert type(event) is HandPoints or seen_by(event, seat) == event
                continue
            own = event.dst == f"hand:{seat}"
            if own or open_hands or not event.dst.startswith(("hand:", "draw")):
                shown.update(event.cards)
            told = seen_by(event, seat)
            assert isinstance(told, Move)
            assert set(told.cards) - {0} <= shown
            assert len(told.cards) == len(event.cards)
            assert seen_by(event, None) == event


@given(st.sampled_from(CLOSED), seeds, seeds)
def test_a_view_does_not_change_with_what_the_seat_cannot_see(
    table: tuple[Variant, int], seed: int, depth: int
) -> None:
    variant, players = table
    rng = Random(seed)
    state = variant.start(players, seed % 100)
    for _ in range(depth % 40):
        if state.pending:
            state.apply(choices_for(state, AnyChoice(rng)))
    for seat in range(players):
        other = state.copy()
        swap_hidden(other, seat, rng)
        assert other.view(seat) == state.view(seat)
        assert other.legal(seat) == state.legal(seat)


def swap_hidden(state: State, seat: int, rng: Random) -> None:
    """Deal the cards in other hands, in the deck and in the box again, sizes kept."""
    hands: list[tuple[int, ...]] = state.hands  # type: ignore[attr-defined]
    draw: tuple[int, ...] = getattr(state, "draw", ())
    seen = {card for zone in state.view(None).zones.values() for card in zone}
    box = set(range(1, 105 if state.rules.name == "six-nimmt" else 101)) - seen
    others = [card for other, hand in enumerate(hands) if other != seat for card in hand]
    hidden = [*others, *draw, *box]
    rng.shuffle(hidden)
    for other, hand in enumerate(hands):
        if other != seat:
            hands[other] = tuple(sorted(hidden[: len(hand)]))
            del hidden[: len(hand)]
    if draw:
        state.draw = tuple(hidden[: len(draw)])  # type: ignore[attr-defined]
    # Whatever a state keeps in store must not let the old cards through.
    for name in ("_options", "_public"):
        if hasattr(state, name):
            setattr(state, name, None)


@closed_table
def test_a_board_that_differs_in_hidden_cards_looks_the_same_at_the_start(
    variant: Variant, players: int
) -> None:
    rules = get(variant.rules, variant.options)
    deal = KeyedBoard(KEY).deal(rules, players, 0)
    seen = {*deal.hands[0], *deal.rows}
    highest = 104 if variant.rules == "six-nimmt" else 100
    hidden = [card for card in range(highest, 0, -1) if card not in seen]
    size = len(deal.hands[0])
    hands = [tuple(hidden[at : at + size]) for at in range(0, size * (players - 1), size)]
    draw = hidden[size * (players - 1) :] if deal.draw else ()
    other = deal._replace(hands=(deal.hands[0], *hands), draw=tuple(draw))
    first, second = (rules.start(players, GivenBoard((one,))) for one in (deal, other))
    for seat in (0, None):
        shown = [[seen_by(event, seat) for event in state.opening] for state in (first, second)]
        # Only the spectator sees the difference.
        assert (shown[0] == shown[1]) == (seat == 0)
    assert first.view(0) == second.view(0)


@closed_table
def test_what_no_seat_may_see_is_hidden_from_a_watcher_of_two_views(
    variant: Variant, players: int
) -> None:
    for event in variant.start(players).opening:
        shown = seen_by(seen_by(event, 0), 1)
        if isinstance(shown, HandPoints):
            assert shown.points == (0,) * players
        if isinstance(shown, Move) and shown.dst.startswith(("hand:", "draw")):
            assert set(shown.cards) == {0}


@every_table
def test_a_state_without_a_board_ends_with_its_round(variant: Variant, players: int) -> None:
    """Search bots rebuild such states from views: what comes after the round is not theirs."""
    state = variant.start(players)
    state.board = None
    finish(state, AnyChoice(Random(players)))
    assert state.result is not None
    assert [state.result.points] == state.scores


@every_table
def test_a_view_agrees_with_the_table(variant: Variant, players: int) -> None:
    for state, choose in games(variant, players, 1):
        while state.pending:
            table = state.view(None)
            for seat in range(players):
                check_view(state.view(seat), table, seat)
            state.apply(choices_for(state, choose))


def check_view(view: View, table: Table, seat: int) -> None:
    """Every field of a view is what the spectator sees in that place."""
    seats = range(table.players)

    def zones(name: str, numbers: Sequence[int] = seats) -> list[tuple[int, ...]]:
        return [table.zones.get(f"{name}:{number}", ()) for number in numbers]

    piles = [int(zone.removeprefix("pile:")) for zone in table.zones if zone.startswith("pile:")]
    in_play = {name: zones(name) for name in ("hand", "bull", "xrow", "xpile")}
    expected = {
        "seat": seat,
        "players": table.players,
        "round_no": table.round_no,
        "turn": table.turn,
        "start_seat": table.start_seat,
        "hand": in_play["hand"][seat],
        "rows": tuple(row for row in zones("row", range(4)) if row),
        "bull_piles": tuple(in_play["bull"]),
        "points": table.points,
        "totals": table.totals,
        "pool": table.zones.get("pool", ()),
        "hand_sizes": tuple(map(len, in_play["hand"])),
        "bull_cards": table.bull_cards,
        "bull_pool": table.bull_pool,
        "draw": len(table.zones.get("draw", ())),
        "x_rows": tuple(in_play["xrow"]),
        "x_pile": in_play["xpile"][seat],
        "x_pile_sizes": tuple(map(len, in_play["xpile"])),
        "taken": table.zones.get(f"taken:{seat}", ()),
        "piles": tuple((number, zones("pile", [number])[0][-1]) for number in sorted(piles)),
    }
    got = view._asdict()
    # Cards just laid have partly found their rows; the tests of the readings look at them.
    del got["revealed" if "revealed" in got else "seat"]
    if "hands" in got:
        assert got.pop("hands") in ((), tuple(in_play["hand"]))
    assert got == {name: expected[name] for name in got}
