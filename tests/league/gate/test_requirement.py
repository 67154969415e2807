"""A required gate: what counts as passing it, and that nothing else lets a version play."""

import pytest
from sqlmodel import Session

import store
from league import ladder as ladders
from league.errors import LeagueRefusal
from league.gate import due, evidence, life, requirement
from league.gate.company import GateStep
from league.gate.verdict import GateSettings
from league.ladder import LadderPlan
from store import Bot, Gate, GateState, Store, Version
from tests.league.arena import add_version, open_ladder
from tests.league.world import ORGANISER

FIELD = ("house", "highest", "taker", "mine")
"""Three opponents, and a bot of ours whose versions the tests choose."""
BOT = "owner-of-mine/mine"
AUTHOR = "owner-of-mine"
OTHER_RULES = LadderPlan(rules="x-nimmt", table=3, boards=6)


FAR_BETTER = [GateStep(opponents=("a", "b", "c"), differences=(5.0, 4.0) * 10)] * 20


def mine(session: Session) -> Bot:
    found = store.bots.find_bot(session, BOT)
    assert found is not None
    return found


def submit_bot(database: Store) -> Version:
    """A version that passes its check while the league asks for gates."""
    with database.write() as session:
        requirement.set_rule(session, True, ORGANISER)
        made = store.bots.add_version(session, mine(session).id, program=["greedy"])
        assert requirement.accept_version(session, made.id, report={"ok": True})
    return made


def ask(database: Store, ladder_id: int, new: int, **more: object) -> Gate:
    """A gate that the author opens."""
    with database.write() as session:
        return life.open_gate(session, ladder_id, BOT, new, AUTHOR, **more)  # type: ignore[arg-type]


def end_well(database: Store, patch: pytest.MonkeyPatch, gate: Gate) -> tuple[Gate, int | None]:
    """Let every block say that the new version is far better: gate and version then."""
    patch.setattr(evidence, "played_steps", lambda *_: (FAR_BETTER, 3200))
    assert life.advance(database) == [gate.id]
    with database.read() as session:
        ended = store.present(session, Gate, gate.id)
        assert ended.state is GateState.PASSED
        return ended, mine(session).current_version


def inbox(database: Store) -> list[tuple[str, str]]:
    """Kind and text of the author's messages, newest first."""
    with database.read() as session:
        owner = store.accounts.owner_by_handle(session, AUTHOR)
        assert owner is not None
        return [(one.kind, one.body) for one in store.inbox.messages(session, owner.id)]


@pytest.mark.parametrize("by_bot", [True, False])
def test_a_required_gate_holds_the_new_version_back(database: Store, by_bot: bool) -> None:
    open_ladder(database)
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        requirement.set_rule(session, True, ORGANISER, bot if by_bot else None)
        made = store.bots.add_version(session, bot.id, program=["greedy"])
        assert requirement.accept_version(session, made.id, report={"ok": True})
        assert bot.current_version == 1
    [gate] = due.open_due(database)
    assert gate.new_version_id == made.id
    assert due.open_due(database) == []
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        version = store.present(session, store.Version, made.id)
        assert version.report == {"ok": True}
        requirement.set_rule(session, False, ORGANISER, bot)
        free = store.bots.add_version(session, bot.id, program=["greedy"])
        assert not requirement.accept_version(session, free.id)
        assert bot.current_version == free.number
        requirement.set_rule(session, None, ORGANISER, bot)
        assert requirement.required(session, bot) is not by_bot


def test_an_author_cannot_go_round_a_required_gate(database: Store) -> None:
    open_ladder(database)
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        requirement.set_rule(session, True, ORGANISER)
        held = store.bots.add_version(session, bot.id, program=["greedy"])
        assert requirement.accept_version(session, held.id)
    with pytest.raises(LeagueRefusal, match=r"choose one of the versions 1$"):
        choose(database, held.number)
    choose(database, None)
    with database.write() as session:
        made = store.bots.add_version(session, bot.id, program=["greedy"])
        assert requirement.accept_version(session, made.id), "a rest is no way round"
    gates_open = due.open_due(database)
    assert [one.new_version_id for one in gates_open] == [held.id, made.id]
    with database.write() as session:
        for one in gates_open:
            first = store.bots.version_of(session, bot.id, 1)
            assert first is not None
            assert one.old_version_id == first.id
        store.present(session, Gate, gates_open[0].id).state = GateState.PASSED
    choose(database, held.number)
    choose(database, 1)
    choose(database, made.number, as_organiser=True)


def choose(database: Store, number: int | None, *, as_organiser: bool = False) -> None:
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        requirement.choose_version(session, bot, number, as_organiser=as_organiser)
        assert bot.current_version == number


def test_a_pass_against_the_version_with_the_place_takes_it(
    database: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = open_ladder(database).id
    add_version(database, BOT, "greedy")
    held = submit_bot(database)
    gate = ask(database, number, held.number)
    assert due.open_due(database) == [], "the author's own gate is the one asked for"
    ended, current = end_well(database, monkeypatch, gate)
    assert (ended.report or {})["not_counted_because"] == ""
    assert current == held.number


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"old": 1}, "against version 1, and version 2 has the place"),
        ({"asked": GateSettings(gain=0.01)}, "gain 0.01; a required gate has gain 0.5"),
        ({"asked": GateSettings(alpha=0.4)}, "alpha 0.4; a required gate has alpha 0.05"),
    ],
)
def test_an_easier_gate_of_the_author_is_for_information_only(
    database: Store, monkeypatch: pytest.MonkeyPatch, asked: dict[str, object], words: str
) -> None:
    number = open_ladder(database).id
    add_version(database, BOT, "greedy")
    held = submit_bot(database)
    gate = ask(database, number, held.number, **asked)
    assert words in str((gate.report or {})["not_counted_because"]), (
        "it is said when the gate is opened"
    )
    assert due.open_due(database) == [], "no second gate beside it"
    _, current = end_well(database, monkeypatch, gate)
    assert current == 2
    kind, body = inbox(database)[0]
    assert kind == "gate.passed"
    assert "for information only" in body
    assert words in body
    with pytest.raises(LeagueRefusal, match="has not passed the gate"):
        choose(database, held.number)
    [required] = due.open_due(database)
    assert required.new_version_id == held.id, "the gate that the league asks for is still due"


def test_bounds_that_an_organiser_chose_count_but_not_against_another_version(
    database: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = open_ladder(database).id
    add_version(database, BOT, "greedy")
    held = submit_bot(database)
    loose = GateSettings(gain=0.01)
    gate = ask(database, number, held.number, asked=loose, as_organiser=True)
    assert (gate.report or {})["not_counted_because"] == ""
    with database.write() as session:
        life.cancel(session, gate.id, ORGANISER, "again")
    gate = ask(database, number, held.number, asked=loose, as_organiser=True, old=1)
    assert end_well(database, monkeypatch, gate)[1] == 2


def test_a_pass_against_a_version_that_has_lost_the_place_does_not_count_any_more(
    database: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = open_ladder(database).id
    held, later = submit_bot(database), submit_bot(database)
    first, second = (ask(database, number, one.number) for one in (held, later))
    monkeypatch.setattr(evidence, "played_steps", lambda *_: (FAR_BETTER, 3200))
    assert life.advance(database) == [first.id, second.id]
    with database.read() as session:
        assert mine(session).current_version == held.number
    with pytest.raises(LeagueRefusal, match=f"against version {held.number};"):
        choose(database, later.number)
    choose(database, 1)
    choose(database, later.number)
    choose(database, held.number)


def test_a_gate_on_another_ladder_than_the_first_of_its_rules_is_for_information(
    database: Store,
) -> None:
    first = open_ladder(database)
    other = open_ladder(database, OTHER_RULES)
    held = submit_bot(database)
    gate = ask(database, other.id, held.number)
    assert f"a required gate is on ladder {first.id}" in str(
        (gate.report or {})["not_counted_because"]
    )
    with database.write() as session:
        life.cancel(session, gate.id, ORGANISER, "the other one")
    gate = ask(database, first.id, held.number)
    with database.write() as session:
        ladders.close(session, first.id, ORGANISER)
        assert requirement.not_counted_because(session, mine(session), gate) == "", (
            "it began in time"
        )
    with pytest.raises(LeagueRefusal, match="expected an open one of six-nimmt, x-nimmt"):
        ask(database, first.id, held.number)


def test_without_a_ladder_to_play_it_on_a_version_waits_for_its_gate(database: Store) -> None:
    held = submit_bot(database)
    assert due.open_due(database) == []
    assert due.open_due(database) == []
    [(kind, body)] = inbox(database)
    assert kind == "gate.waits"
    assert "no ladder of six-nimmt, x-nimmt is open" in body, "it is told once, with the reason"
    open_ladder(database)
    [gate] = due.open_due(database)
    assert gate.new_version_id == held.id
    with database.read() as session:
        assert mine(session).current_version == 1
        assert store.present(session, Version, held.id).report == {"ok": True}


def test_a_version_that_waits_plays_when_the_rule_is_lifted(database: Store) -> None:
    held = submit_bot(database)
    with database.write() as session:
        requirement.set_rule(session, False, ORGANISER)
    assert due.open_due(database) == []
    with database.read() as session:
        assert mine(session).current_version == held.number


def test_an_author_cannot_change_what_a_bot_plays_to_come_past_its_gate(database: Store) -> None:
    open_ladder(database)
    submit_bot(database)
    with database.write() as session:
        bot = mine(session)
        with pytest.raises(LeagueRefusal, match="submit it as a bot of another name"):
            requirement.set_rules(session, bot, ["eleven-nimmt"], as_organiser=False)
        requirement.set_rules(session, bot, ["x-nimmt", "six-nimmt"], as_organiser=False)
        requirement.set_rules(session, bot, ["x-nimmt"], as_organiser=True)
        assert bot.rules == ["x-nimmt"]
