"""A pass as a machine: batches, clocks, faults and outs, with scripted bots and a fake clock."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nimmt
from nimmt.events import Move
from referee.clock import BEAT_S, CREDIT_MESSAGE_S, CREDIT_PASS_S, MARGIN_MS
from referee.faults import BotFault, FaultKind, process_end
from referee.plan import TimeControl, duplicate
from tests.referee.simulation import Scripted, Simulation, honest, house_answer, make_plan
from tests.tiers import up_to
from wire.v1 import bot_pb2 as pb

EVERY_GAME = [
    ("six-nimmt", {"rounds": 2}, 4),
    ("six-nimmt", {"limit": 20}, 10),
    ("six-nimmt", {"rounds": 1, "advanced": True, "opening_picks": 2}, 3),
    ("eleven-nimmt", {}, 3),
    ("x-nimmt", {}, 4),
]


def kinds(simulation: Simulation) -> list[str]:
    return [fault.kind.value for fault in simulation.faults]


@pytest.mark.parametrize(("rules", "options", "players"), EVERY_GAME)
def test_honest_bots_play_every_game_without_a_fault(
    rules: str,
    options: dict[str, object],
    players: int,
) -> None:
    plan = make_plan(players, 6, rules, options=options)
    run = Simulation(plan, honest(players)).run()
    run.verify()
    assert run.faults == []
    assert all(not any(game.out) for game in run.games)


def test_seats_rotate_from_game_to_game() -> None:
    run = Simulation(make_plan(3, 6), honest(3)).run()
    seats = {game.game_no: game.seats for game in run.games}
    assert seats[0] == (0, 1, 2)
    assert seats[1] == (1, 2, 0)
    assert {game.document["players"][0]["bot"] for game in run.games} == {"bot/0", "bot/1", "bot/2"}


def test_forced_decisions_are_never_asked() -> None:
    bots = honest(2)
    run = Simulation(make_plan(2, 3, in_flight=1), bots).run()
    asked = sum(bot.asks for bot in bots)
    decisions = [
        d for game in run.games for part in game.document["rounds"] for d in part["decisions"]
    ]
    forced = [d for d in decisions if d["by"] == "forced"]
    assert len(forced) >= 2 * 3
    assert all(d["ms"] is None and d["batch"] is None for d in forced)
    assert asked == len(decisions) - len(forced)


def test_a_batch_is_never_larger_than_the_bot_allows() -> None:
    bots = [Scripted(max_batch=1), Scripted(max_batch=5), Scripted(max_batch=999)]
    run = Simulation(make_plan(3, 40, in_flight=32), bots).run()
    run.verify()
    assert max(bots[0].batches) == 1
    assert max(bots[1].batches) == 5
    assert 5 < max(bots[2].batches) <= 32


def test_asks_go_out_at_once_when_a_bot_is_idle() -> None:
    """A quick bot opposite a slow one is asked one by one, never held back for a fuller batch."""
    quick, slow = Scripted(think_s=0.0001), Scripted(think_s=0.02, max_batch=1)
    run = Simulation(make_plan(2, 20, in_flight=8), [quick, slow]).run()
    run.verify()
    assert quick.batches.count(1) > len(quick.batches) / 2


def test_one_game_in_flight_is_strictly_sequential() -> None:
    bots = honest(3)
    Simulation(make_plan(3, 5, in_flight=1), bots).run()
    for bot in bots:
        games = [ask.game_no for message in bot.received for ask in message.asks.asks]
        assert games == sorted(games)
        assert set(bot.batches) == {1}


def test_the_time_of_a_decision_is_its_share_of_the_message() -> None:
    bots = [Scripted(think_s=0.08), Scripted()]
    run = Simulation(make_plan(2, 8, in_flight=8), bots).run()
    first = run.games[0].document["rounds"][0]["decisions"][0]
    by_slow = [
        d
        for game in run.games
        for d in game.document["rounds"][0]["decisions"]
        if d["by"] == "bot" and game.seats[d["seat"]] == 0
    ]
    assert {round(d["ms"] * d["batch"]) for d in by_slow} == {80}
    assert first["batch"] == 8


def test_asks_are_answered_in_several_messages_as_well_as_in_one() -> None:
    def one_by_one(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
        return [[house_answer(ask)] for ask in reversed(asks.asks)]

    run = Simulation(make_plan(2, 12, in_flight=8), [Scripted(answer=one_by_one), Scripted()])
    run.run().verify()
    assert run.faults == []


def test_a_bot_within_its_bank_is_in_time() -> None:
    # Each message takes 50 ms more than is free; twenty of them are in the bank.
    bots = [Scripted(think_s=0.15), Scripted()]
    run = Simulation(make_plan(2, 2, in_flight=1), bots).run()
    assert run.faults == []
    assert run.play.states[0].bank.left_ms < 1000.0


def test_a_bot_that_sleeps_past_its_bank_times_out_once_for_all_its_asks() -> None:
    # 2 s are more than the 800 ms that are free and the 1 s in the bank.
    sleeper = Scripted(think_s=2.0)
    run = Simulation(make_plan(2, 8, in_flight=8, max_faults=99), [sleeper, Scripted()])
    run.run().verify()
    assert kinds(run)[0] == "timeout"
    spoiled = [
        d
        for game in run.games
        for d in game.document["rounds"][0]["decisions"]
        if d["fault"] is not None and d["batch"] == 8
    ]
    assert len(spoiled) >= 8
    assert all(d["by"] == "house" and d["fault"]["kind"] == "timeout" for d in spoiled)
    first_cause = run.faults[0].cause
    assert "8 of 8 asks unanswered" in first_cause
    assert "800 ms for these moves" in first_cause


def test_late_answers_are_dropped_and_are_no_second_fault() -> None:
    slow_once = iter([1.3])

    def answer(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
        bot.think_s = next(slow_once, 0.001)
        return [[house_answer(ask) for ask in asks.asks]]

    bot = Scripted(answer=answer)
    run = Simulation(make_plan(2, 3, in_flight=1), [bot, Scripted()]).run()
    run.verify()
    assert kinds(run) == ["timeout"]
    assert run.outs == []
    # It is not asked again before it has answered what it was late with.
    assert bot.batches[:2] == [1, 1]


def test_silence_after_a_timeout_is_another_timeout_until_the_bot_is_out() -> None:
    mute = Scripted(answer=lambda asks: [])
    run = Simulation(make_plan(3, 5), [mute, Scripted(), Scripted()]).run()
    run.verify()
    assert kinds(run) == ["timeout"] * 3
    assert [fault.out for fault in run.faults] == [False, False, True]
    assert run.outs[0][0] == 0
    assert len(mute.received) == 1
    last = max(run.games, key=lambda game: game.game_no)
    assert last.out[last.seats.index(0)]
    assert last.places[last.seats.index(0)] == 3


def test_answers_missing_from_a_batch_time_out_and_the_others_count() -> None:
    def half(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
        return [[house_answer(ask) for ask in asks.asks[::2]]]

    run = Simulation(make_plan(2, 8, in_flight=8), [Scripted(answer=half), Scripted()]).run()
    run.verify()
    assert set(kinds(run)) == {"timeout"}
    first = run.games[0].document["rounds"][0]["decisions"]
    assert {d["by"] for game in run.games for d in game.document["rounds"][0]["decisions"]} >= {
        "bot",
        "house",
    }
    assert first


def test_lag_of_our_own_loop_is_credited() -> None:
    """The bot needs 140 ms and the bank is empty; our loop hangs for 300 ms in the middle."""
    plan = make_plan(2, 1, in_flight=1, time=TimeControl(move_ms=100, bank_ms=0))
    run = Simulation(plan, honest(2))
    run.join()
    run.play.begin()
    for bot in run.play.due():
        message = pb.ToBot.FromString(run.play.compose(bot) or b"")
        run.play.sent(bot, 0.0)
        if bot == 0:
            answers = [house_answer(ask) for ask in message.asks.asks]
    run.now = 0.44
    run.play.answered(0, answers, 0.44)
    assert run.faults == []
    run.lag.beat(0.44)
    # The other bot was asked at the same moment and has had no more than its share either.
    run.play.tick(0.44)
    assert run.faults == []
    for beat in range(45, 70):
        run.lag.beat(beat / 100)
        run.play.tick(beat / 100)
    assert kinds(run)[0] == "timeout"
    assert {fault.bot for fault in run.faults} == {1}


class Lagging(Simulation):
    """Our loop hangs while the first bot thinks, for as long as it pleases that bot."""

    def run(self, join: bool = True) -> Simulation:
        beat = self.lag.beat
        # No beat for a whole second, whatever the time is.
        self.lag.beat = lambda now: beat(now) if round(now / BEAT_S) % 100 == 0 else 0.0  # type: ignore[method-assign]
        return super().run(join)


def test_lag_without_end_buys_no_more_than_the_credit_of_a_pass() -> None:
    time = TimeControl(move_ms=100, bank_ms=1000)
    plan = make_plan(2, 8, in_flight=1, time=time, max_faults=10**9)
    run = Lagging(plan, [Scripted(think_s=0.6), Scripted()]).run()
    run.verify()
    slow = run.play.states[0]
    in_time = slow.asks - slow.timeouts
    # Each took half a second beyond its free time: out of the bank, the margin, or the credit.
    margins = (slow.timeouts + 1) * MARGIN_MS / 1000
    assert 0 < in_time * 0.5 <= 1.0 + CREDIT_PASS_S + margins
    assert {fault.bot for fault in run.faults} == {0}


def test_one_message_is_credited_no_more_lag_than_a_message_may_be() -> None:
    plan = make_plan(2, 1, in_flight=1, time=TimeControl(move_ms=100, bank_ms=0))
    for think, faults in ((0.1 + CREDIT_MESSAGE_S, []), (0.2 + CREDIT_MESSAGE_S, ["timeout"])):
        run = Simulation(plan, honest(2))
        run.join()
        run.play.begin()
        for bot in run.play.due():
            message = pb.ToBot.FromString(run.play.compose(bot) or b"")
            run.play.sent(bot, 0.0)
            if bot == 0:
                answers = [house_answer(ask) for ask in message.asks.asks]
        run.play.answered(0, answers, think)
        assert kinds(run) == faults


def test_a_bot_whose_own_message_made_us_late_is_not_credited_for_it() -> None:
    plan = make_plan(2, 1, in_flight=1, time=TimeControl(move_ms=100, bank_ms=0))
    run = Simulation(plan, honest(2))
    run.join()
    run.play.begin()
    said = {}
    for bot in run.play.due():
        message = pb.ToBot.FromString(run.play.compose(bot) or b"")
        run.play.sent(bot, 0.0)
        said[bot] = [house_answer(ask) for ask in message.asks.asks]
    run.lag.handled((0, 0), size=1000, seconds=0.3)
    for bot in said:
        run.play.answered(bot, said[bot], 0.4)
    assert [(fault.bot, fault.kind) for fault in run.faults] == [(0, "timeout")]


@pytest.mark.parametrize("rules", ["six-nimmt", "eleven-nimmt", "x-nimmt"])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda answer: answer.ClearField("choice") or answer,
        lambda answer: pb.Answer(ask_id=answer.ask_id, card=999),
        lambda answer: pb.Answer(ask_id=answer.ask_id, card=-(2**31)),
        lambda answer: pb.Answer(ask_id=answer.ask_id, row=77),
        lambda answer: pb.Answer(ask_id=answer.ask_id, steal=-1),
        lambda answer: pb.Answer(ask_id=answer.ask_id, take=55),
        lambda answer: pb.Answer(ask_id=answer.ask_id, play=pb.Play()),
        lambda answer: pb.Answer(
            ask_id=answer.ask_id,
            play=pb.Play(piles=[pb.PileCards(pile=0, cards=list(range(-500, 500)))]),
        ),
    ],
)
def test_an_illegal_choice_costs_the_house_choice_and_three_put_a_bot_out(
    rules: str, spoil: Callable[[pb.Answer], pb.Answer]
) -> None:
    def answer(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
        return [[spoil(house_answer(ask)) for ask in asks.asks]]

    run = Simulation(make_plan(3, 4, rules), [*honest(2), Scripted(answer=answer)]).run()
    run.verify()
    assert kinds(run) == ["illegal_choice"] * 3
    assert all(fault.bot == 2 and fault.cause for fault in run.faults)
    assert run.faults[0].game_no is not None
    faulted = [
        d
        for game in run.games
        for part in game.document["rounds"]
        for d in part["decisions"]
        if d["fault"] is not None
    ]
    assert len(faulted) == 3


@pytest.mark.parametrize("times", [1, 2])
def test_ids_never_asked_or_answered_twice_are_protocol_faults(times: int) -> None:
    def answer(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
        good = [house_answer(ask) for ask in asks.asks]
        return [good + (good[:1] if times == 2 else [pb.Answer(ask_id=5, card=1)])]

    run = Simulation(make_plan(2, 4), [Scripted(answer=answer), Scripted()]).run()
    run.verify()
    assert kinds(run) == ["protocol"] * 3


def test_answers_before_hello_and_empty_answers_are_protocol_faults() -> None:
    run = Simulation(make_plan(2, 1), honest(2))
    run.play.answered(0, [pb.Answer(ask_id=1, card=1)], 0.0)
    run.join()
    run.play.answered(0, [], 0.0)
    assert kinds(run) == ["protocol", "protocol"]
    assert run.outs == []


def test_hello_twice_is_a_protocol_fault() -> None:
    run = Simulation(make_plan(2, 1), honest(2))
    run.join()
    assert run.play.hello(0, pb.Hello(), 0.0) is None
    assert kinds(run) == ["protocol"]


def test_a_bot_for_other_rules_is_refused() -> None:
    run = Simulation(make_plan(2, 1), honest(2))
    assert run.play.hello(0, pb.Hello(rules=["x-nimmt"]), 0.0) is None
    assert kinds(run) == ["refused_start"]
    assert "it plays only x-nimmt" in run.faults[0].cause


def test_a_bot_that_never_says_hello_is_refused_and_the_others_play_on() -> None:
    run = Simulation(make_plan(3, 3), honest(3))
    run.play.awaited(0, 0.0)
    for bot in (1, 2):
        run.play.hello(bot, pb.Hello(max_batch=8), 0.0)
    before = run.play.all_joined
    run.play.tick(9.99)
    assert run.faults == []
    run.play.tick(10.0)
    assert kinds(run) == ["refused_start"]
    assert (before, run.play.all_joined) == (False, True)
    run.now = 10.0
    run.run(join=False).verify()
    assert all(game.out[game.seats.index(0)] for game in run.games)
    assert all(game.document["players"][game.seats.index(0)]["out"] for game in run.games)


@pytest.mark.parametrize("dies_at", [1, 2, 7, 19, 23])
def test_a_bot_that_dies_is_out_and_every_replay_says_since_when(dies_at: int) -> None:
    bots = [Scripted(dies_at_ask=dies_at), *honest(2)]
    run = Simulation(make_plan(3, 5, in_flight=3), bots).run()
    run.verify()
    assert kinds(run) == ["crashed"]
    for game in run.games:
        seat = game.seats.index(0)
        out = game.document["players"][seat]["out"]
        assert (out is not None) == game.out[seat]
        if out is not None:
            decision = game.document["rounds"][out["round"]]["decisions"][out["decision"]]
            assert decision["seat"] == seat
            assert decision["by"] in ("house", "forced")
            assert game.places[seat] == 3


def test_two_bots_that_are_out_share_the_last_place() -> None:
    bots = [Scripted(dies_at_ask=1), Scripted(dies_at_ask=1), *honest(2)]
    run = Simulation(make_plan(4, 6, in_flight=1), bots).run()
    run.verify()
    last = max(run.games, key=lambda game: game.game_no)
    assert sorted(last.places)[-2:] == [3, 3]


def test_when_all_are_out_the_house_ends_the_pass() -> None:
    run = Simulation(make_plan(2, 50), [Scripted(dies_at_ask=1), Scripted(dies_at_ask=1)]).run()
    run.verify()
    last = max(run.games, key=lambda game: game.game_no)
    assert last.places == (1, 1)


def test_a_stream_that_ends_while_its_process_lives_is_a_protocol_fault_in_the_end() -> None:
    run = Simulation(make_plan(2, 2), honest(2))
    run.join()
    run.play.begin()
    run.play.stream_ended(0, 0.0)
    assert run.play.tick(0.5) == []
    assert run.faults == []
    assert run.play.tick(1.1) == [0]


def test_nothing_is_a_fault_once_the_pass_is_over() -> None:
    run = Simulation(make_plan(2, 1), honest(2)).run()
    run.play.stream_ended(0, run.now)
    run.play.lost(1, process_end("exited", 0, None))
    assert run.faults == []


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_bots_think_than_the_limit_allows(limit: int) -> None:
    bots = [Scripted(think_s=0.003) for _ in range(4)]
    run = Simulation(make_plan(4, 10, in_flight=8, thinkers=limit), bots).run()
    run.verify()
    assert run.most_thinking == limit
    assert len(run.thinkers) == 0


def test_bots_that_wait_are_frozen_and_thawed_before_they_are_asked() -> None:
    plan = make_plan(3, 6, in_flight=4, thinkers=1, freeze=True)
    run = Simulation(plan, [Scripted(think_s=0.003) for _ in range(3)]).run()
    run.verify()
    assert run.faults == []
    assert run.thaws > 10


def test_a_late_bot_counts_as_thinking_and_then_gives_way() -> None:
    bots = [Scripted(answer=lambda asks: []), *honest(2)]
    run = Simulation(make_plan(3, 4, thinkers=1), bots).run()
    run.verify()
    assert kinds(run) == ["timeout"] * 3


def test_events_are_redacted_and_never_tell_who_failed() -> None:
    watcher = Scripted(events=True)
    bots = [watcher, Scripted(dies_at_ask=4), Scripted()]
    run = Simulation(make_plan(3, 3), bots).run()
    run.verify()
    news = [
        event for message in watcher.received for part in message.events for event in part.events
    ]
    deals = [e.move for e in news if e.WhichOneof("event") == "move" and e.move.why == "deal"]
    hands = [move for move in deals if move.dst.startswith("hand:")]
    hidden = [move for move in hands if set(move.cards) == {0}]
    assert len(hidden) == 2 * len(hands) / 3
    texts = [str(message).lower() for message in watcher.received]
    for word in ("house", "fault", "crash", "timeout"):
        assert not any(word in text for text in texts)
    overs = [over for message in watcher.received for over in message.game_overs]
    for over in overs:
        expected = nimmt.Result(tuple(over.points), tuple(over.places))
        assert expected.places == tuple(
            1 + sum(other < own for other in over.points) for own in over.points
        )


def test_bots_that_do_not_ask_for_events_get_none() -> None:
    bots = honest(2)
    Simulation(make_plan(2, 3), bots).run()
    assert not any(message.events for bot in bots for message in bot.received)


def test_every_bot_hears_of_each_game_before_it_is_asked_in_it() -> None:
    bots = honest(3)
    run = Simulation(make_plan(3, 9, in_flight=4), bots).run()
    for bot in bots:
        known: set[int] = set()
        for message in bot.received:
            known |= {start.game_no for start in message.game_starts}
            assert {ask.game_no for ask in message.asks.asks} <= known
            known -= {over.game_no for over in message.game_overs}
    farewell = run.play.farewell(0, pb.Goodbye.PASS_OVER, "")
    assert farewell.goodbye.reason == pb.Goodbye.PASS_OVER
    assert farewell.game_overs


def test_seeds_differ_by_game_and_seat_and_follow_from_the_key() -> None:
    bots = honest(3)
    plan = make_plan(3, 4)
    Simulation(plan, bots).run()
    starts = [start for bot in bots for message in bot.received for start in message.game_starts]
    seeds = {(start.game_no, start.seat): start.bot_seed for start in starts}
    assert len(set(seeds.values())) == 12
    assert seeds[2, 1] == nimmt.bot_seed(bytes.fromhex(plan.key), 2, 1)


def test_one_game_at_a_time_can_be_watched_with_all_hands_hidden() -> None:
    run = Simulation(make_plan(3, 5, in_flight=3, watch=True), honest(3)).run()
    assert {game_no for game_no, _ in run.watched_events} >= {0}
    for _, events in run.watched_events:
        for event in events:
            if isinstance(event, Move) and event.why == "deal" and event.dst.startswith("hand:"):
                assert set(event.cards) == {0}
    games = [game_no for game_no, _ in run.watched_events]
    assert games == sorted(games)


def test_a_board_that_comes_again_is_not_shown_before_its_last_pass() -> None:
    plan = replace(make_plan(2, 2, watch=True), passes=duplicate(2, 2))
    shown = [Simulation(plan, honest(2), pass_no).run().watched_events for pass_no in (0, 1)]
    assert not shown[0]
    assert shown[1]


def test_a_paced_game_rests_for_its_spectators_and_charges_nobody() -> None:
    quick = Simulation(make_plan(3, 1, in_flight=1), honest(3)).run()
    paced = Simulation(make_plan(3, 1, in_flight=1, pace_ms=500), honest(3)).run()
    assert not paced.faults
    assert paced.games[0].points == quick.games[0].points
    # Ten turns with a reveal and three cards each; the last turn is followed by nothing.
    assert paced.now > quick.now + 9 * 4 * 0.5


def test_a_bot_that_dies_while_its_game_rests_does_not_stop_the_game() -> None:
    run = Simulation(make_plan(3, 1, in_flight=1, pace_ms=500), honest(3))
    # A turn rests for about two seconds, so nobody is being asked then.
    run.at(3.0, lambda: run.lose(1, process_end("exited", 1, None)))
    assert run.run().games[0].out == (False, True, False)


def test_notes_are_cut_and_kept_aside() -> None:
    def noted(asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
        answers = [house_answer(ask) for ask in asks.asks]
        for answer in answers:
            answer.note = "ä" * 150
        return [answers]

    run = Simulation(make_plan(2, 1), [Scripted(answer=noted), Scripted()]).run()
    notes = run.games[0].notes
    assert set(notes) == {0}
    assert all(len(note.text.encode()) == 200 for note in notes[0])
    assert "ä" not in str(run.games[0].document)
    first = notes[0][0]
    decision = run.games[0].document["rounds"][first.round_no]["decisions"][first.decision]
    assert decision["seat"] == 0


@settings(max_examples=up_to(25))
@given(
    st.integers(0, 30),
    st.sampled_from(EVERY_GAME),
    st.sampled_from([FaultKind.CRASHED, FaultKind.OUT_OF_MEMORY, FaultKind.OUTPUT_FLOOD]),
)
def test_a_bot_that_fails_on_purpose_never_places_better_than_playing_on(
    dies_at: int,
    game: tuple[str, dict[str, object], int],
    kind: FaultKind,
) -> None:
    rules, options, players = game
    plan = make_plan(players, 3, rules, options=options, in_flight=1)
    playing_on = Simulation(plan, honest(players)).run()
    bots = honest(players)
    failing = Simulation(plan, bots)
    bots[0].dies_at_ask = dies_at
    failing._die = lambda bot: failing.lose(bot, BotFault(kind=kind, cause="on purpose"))  # type: ignore[method-assign]  # the same death by another cause
    failing.run().verify()
    for on, off in zip(
        playing_on.games, sorted(failing.games, key=lambda g: g.game_no), strict=True
    ):
        seat = on.seats.index(0)
        assert off.places[seat] >= on.places[seat]
