"""Forged rounds and decisions: who decided what, when and why."""

from typing import Any

from tests.nimmt.forgeries import Place, decisions, entry, find, forgery, has_many, step_size
from tests.nimmt.recorded import Document

# Rounds and decisions.


@forgery("goes on to round 1", "six", "eleven", "x")
def last_round_cut_off(document: Document) -> Place:
    del document["rounds"][1:]
    last = decisions(document)
    return (0, len(last) - step_size(last))


@forgery("at least one round", "six")
def no_rounds_at_all(document: Document) -> Place:
    document["rounds"] = []
    return None


@forgery("the game was over before this round", "hidden")
def round_too_many(document: Document) -> Place:
    document["rounds"].append(document["rounds"][0])
    return (2,)


@forgery("not the one that the key gives", "six")
def rounds_exchanged(document: Document) -> Place:
    document["rounds"].reverse()
    return (0,)


@forgery("seat 1 had to decide, got seat 2", "six", "x")
def decision_dropped(document: Document) -> Place:
    decisions(document).pop(1)
    return (0, 1)


@forgery("had to choose a|had to decide", "six", "eleven", "x", "advanced")
def last_decision_dropped(document: Document) -> Place:
    decisions(document).pop()
    return (0, len(decisions(document)))


@forgery("seat 1 had to decide, got seat 0", "six", "x", "eleven", "advanced")
def decision_doubled(document: Document) -> Place:
    decisions(document).insert(0, decisions(document)[0])
    return (0, 1)


@forgery("the round was over before this decision", "six", "eleven", "x")
def decision_too_many_at_the_end(document: Document) -> Place:
    decisions(document).append(decisions(document)[-1])
    return (0, len(decisions(document)) - 1)


@forgery("seat 0 had to decide, got seat 1", "six", "x", "eleven", "advanced")
def decisions_reordered(document: Document) -> Place:
    first = decisions(document)
    first[0], first[1] = first[1], first[0]
    return (0, 0)


@forgery("had to decide, got seat", "six", "x", "eleven", "advanced")
def decision_moved_to_another_seat(document: Document) -> Place:
    players = len(document["players"])
    decision = decisions(document)[3]
    decision["seat"] = (decision["seat"] + 1) % players
    return (0, 3)


@forgery("had to decide, got seat True", "six", "eleven")
def seat_written_as_a_truth_value(document: Document) -> Place:
    decisions(document)[1]["seat"] = True
    return (0, 1)


@forgery("illegal card for seat 0", "six", "x")
def cards_of_two_seats_exchanged(document: Document) -> Place:
    first = decisions(document)
    first[0]["choice"], first[1]["choice"] = first[1]["choice"], first[0]["choice"]
    return (0, 0)


@forgery("choice is a number", "six", "x", "advanced")
def card_written_as_a_fraction(document: Document) -> Place:
    decision = decisions(document)[0]
    decision["choice"] = float(decision["choice"])
    return (0, 0)


@forgery("illegal row", "six")
def row_that_does_not_exist(document: Document) -> Place:
    place = find(document, kind="row")
    entry(document, place)["choice"] = 4
    return place


@forgery("this is a card, got kind 'row'", "six")
def kind_changed(document: Document) -> Place:
    decisions(document)[0]["kind"] = "row"
    return (0, 0)


@forgery("a turn is", "eleven")
def take_of_a_truth_value(document: Document) -> Place:
    place = find(document, kind="turn", choice=lambda choice: "take" in choice)
    entry(document, place)["choice"] = {"take": True}
    return place


@forgery("a turn is", "eleven")
def take_and_play_in_one_turn(document: Document) -> Place:
    place = find(document, kind="turn", choice=lambda choice: "play" in choice)
    entry(document, place)["choice"]["take"] = 0
    return place


@forgery("a pile is named by its number", "eleven")
def pile_with_a_second_spelling(document: Document) -> Place:
    place = find(document, kind="turn", choice=lambda choice: "play" in choice)
    [(pile, cards), *_] = entry(document, place)["choice"]["play"].items()
    entry(document, place)["choice"]["play"] = {f"0{pile}": cards}
    return place


@forgery("choice must be written", "eleven")
def cards_of_a_play_in_another_order(document: Document) -> Place:
    place = find(document, kind="turn", choice=has_many)
    for cards in entry(document, place)["choice"]["play"].values():
        cards.reverse()
    return place


@forgery("comes twice", "eleven")
def card_played_twice_in_one_turn(document: Document) -> Place:
    place = find(document, kind="turn", choice=has_many)
    for cards in entry(document, place)["choice"]["play"].values():
        cards.insert(0, cards[0])
        if len(cards) > 2:
            break
    return place


@forgery("illegal steal", "eleven")
def steal_from_oneself(document: Document) -> Place:
    place = find(document, kind="steal")
    entry(document, place)["choice"] = entry(document, place)["seat"]
    return place


@forgery("illegal x_card", "x")
def x_card_that_was_not_taken(document: Document) -> Place:
    place = find(document, kind="x_card")
    laid = find(document, kind="card")
    entry(document, place)["choice"] = entry(document, laid)["choice"]
    return place


@forgery("must have exactly seat, kind", "six")
def decision_with_an_unknown_field(document: Document) -> Place:
    decisions(document)[2]["note"] = "hi"
    return (0, 2)


@forgery("must have exactly seat, kind", "six")
def decision_that_is_no_object(document: Document) -> Place:
    document["rounds"][0]["decisions"][0] = None
    return (0, 0)


# Who decided, how fast, and what went wrong.


@forgery("by must be bot or house here, got 'forced'", "six", "eleven", "x")
def bot_decision_called_forced(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place).update(by="forced", ms=None, batch=None)
    return place


@forgery("by must be forced here, got 'bot'", "six", "eleven", "x")
def forced_decision_called_the_bots(document: Document) -> Place:
    place = find(document, by="forced")
    entry(document, place)["by"] = "bot"
    return place


@forgery("by must be forced here, got 'house'", "six", "x", "outs")
def forced_decision_called_the_houses(document: Document) -> Place:
    place = find(document, by="forced")
    entry(document, place)["by"] = "house"
    return place


@forgery("by must be bot or house", "six")
def decision_by_somebody_else(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place)["by"] = "author"
    return place


@forgery("the fault behind a house choice", "six", "eleven", "x")
def bot_decision_called_the_houses_without_a_fault(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place)["by"] = "house"
    return place


@forgery("the house would choose", "six", "x", "advanced")
def house_choice_that_is_not_the_houses(document: Document) -> Place:
    # The house lays its lowest card, so it never lays one that a lower one of the seat follows.
    first = decisions(document)
    kind = first[0]["kind"]
    at = next(
        at
        for at, one in enumerate(first)
        if one["kind"] == kind
        and any(
            other["seat"] == one["seat"] and other["choice"] < one["choice"]
            for other in first[at + 1 :]
            if other["kind"] == kind
        )
    )
    first[at].update(by="house", fault={"kind": "timeout", "sent": None})
    return (0, at)


@forgery("the house would choose", "eleven")
def take_called_the_houses_although_it_would_play(document: Document) -> Place:
    place = find(document, kind="turn", by="bot", choice=has_many)
    entry(document, place).update(by="house", fault={"kind": "timeout", "sent": None})
    return place


@forgery("fault must be null here", "faults")
def fault_kept_but_decision_called_the_bots(document: Document) -> Place:
    place = find(document, by="house", fault=lambda fault: fault is not None)
    entry(document, place)["by"] = "bot"
    return place


@forgery("fault must be null here", "six")
def fault_on_a_bot_decision(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place)["fault"] = {"kind": "timeout", "sent": None}
    return place


@forgery("fault must be null here", "six")
def fault_on_a_forced_decision(document: Document) -> Place:
    place = find(document, by="forced")
    entry(document, place)["fault"] = {"kind": "timeout", "sent": None}
    return place


@forgery("there is no fault 'bad_luck'", "faults")
def unknown_fault(document: Document) -> Place:
    place = find(document, fault=lambda fault: fault is not None)
    entry(document, place)["fault"]["kind"] = "bad_luck"
    return place


@forgery("must have exactly kind, sent", "faults")
def fault_with_an_unknown_field(document: Document) -> Place:
    place = find(document, fault=lambda fault: fault is not None)
    entry(document, place)["fault"]["excuse"] = "rain"
    return place


@forgery("must have exactly kind, sent", "faults")
def fault_taken_off_a_house_choice(document: Document) -> Place:
    place = find(document, fault=lambda fault: fault is not None)
    entry(document, place)["fault"] = None
    return place


def first_out(document: Document) -> tuple[int, dict[str, Any]]:
    """The seat that went out first, and its record."""
    return next((player["seat"], player["out"]) for player in document["players"] if player["out"])


@forgery("the fault behind a house choice", "outs")
def out_taken_back(document: Document) -> Place:
    seat, out = first_out(document)
    document["players"][seat]["out"] = None
    rest = decisions(document, out["round"])
    at = next(
        at
        for at in range(out["decision"], len(rest))
        if rest[at]["seat"] == seat and rest[at]["by"] == "house"
    )
    return (out["round"], at)


@forgery("was out, so the house had to choose|fault must be null here", "outs")
def out_moved_to_an_earlier_decision(document: Document) -> Place:
    seat, out = first_out(document)
    place = find(document, seat=seat)
    out["round"], out["decision"] = place
    return find(document, seat=seat, by=lambda by: by != "forced")


@forgery("the fault behind a house choice", "outs")
def out_moved_to_a_later_decision(document: Document) -> Place:
    seat, out = first_out(document)
    rest = decisions(document, out["round"])
    own = [
        at
        for at in range(out["decision"], len(rest))
        if rest[at]["seat"] == seat and rest[at]["by"] == "house"
    ]
    out["decision"] = own[1]
    return (out["round"], own[0])


@forgery("the fault behind a house choice|out at a decision that is not its own", "outs")
def out_at_a_decision_of_another_seat(document: Document) -> Place:
    seat, out = first_out(document)
    at = out["decision"]
    out["decision"] = at + 1 if decisions(document, out["round"])[at]["seat"] == seat else at
    return (out["round"], at)


@forgery("out at a decision that is not its own", "six")
def out_at_a_decision_that_does_not_exist(document: Document) -> Place:
    document["players"][0]["out"] = {"round": 7, "decision": 99, "fault": "timeout"}
    return (7, 99)


@forgery("there is no fault 'tired'", "outs")
def out_for_an_unknown_fault(document: Document) -> Place:
    first_out(document)[1]["fault"] = "tired"
    return None


@forgery("names round and decision by number", "outs")
def out_at_a_truth_value(document: Document) -> Place:
    first_out(document)[1]["round"] = False
    return None


@forgery("must have exactly round, decision, fault", "outs")
def out_with_an_unknown_field(document: Document) -> Place:
    first_out(document)[1]["sorry"] = True
    return None


@forgery("the house would choose", "outs")
def house_choice_for_an_out_seat_changed(document: Document) -> Place:
    seat, out = first_out(document)
    rest = decisions(document, out["round"])
    at = next(
        at
        for at in range(out["decision"], len(rest))
        if rest[at]["seat"] == seat and rest[at]["by"] == "house" and rest[at]["kind"] == "card"
    )
    # Another card that the seat still holds: one that it laid later.
    later = next(d for d in rest[at + 1 :] if d["seat"] == seat and d["kind"] == "card")
    rest[at]["choice"] = later["choice"]
    return (out["round"], at)


@forgery("ms must be a time or null, got nan", "six")
def time_that_is_no_number(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place)["ms"] = float("nan")
    return place


@forgery("ms must be a time or null, got inf", "six")
def time_without_end(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place)["ms"] = float("inf")
    return place


@forgery("ms must be a time or null", "six")
def time_below_zero(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place)["ms"] = -0.5
    return place


@forgery("ms must be a time or null, got True", "six")
def time_written_as_a_truth_value(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place)["ms"] = True
    return place


@forgery("batch must be 1 or more", "six")
def batch_of_nothing(document: Document) -> Place:
    place = find(document, by="bot")
    entry(document, place)["batch"] = 0
    return place


@forgery("a forced decision is not asked", "six", "x")
def forced_decision_with_a_time(document: Document) -> Place:
    place = find(document, by="forced")
    entry(document, place)["ms"] = 1.5
    return place
