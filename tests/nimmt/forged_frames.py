"""Forged scores, deals, keys, options and frames of replays."""

from nimmt import commitment, key_from_seed
from nimmt.game import places_of
from tests.nimmt.forgeries import Place, decisions, forgery, step_size, swap_everywhere
from tests.nimmt.recorded import Document

# Scores.


@forgery("points are", "six", "advanced", "eleven", "x")
def score_total_and_places_changed_together(document: Document) -> Place:
    document["rounds"][0]["points"][0] += 5
    document["result"]["points"][0] += 5
    document["result"]["places"] = list(places_of(document["result"]["points"]))
    return (0,)


@forgery("points are", "six", "eleven", "x")
def scores_of_two_seats_swapped_in_rounds_and_result(document: Document) -> Place:
    for part in document["rounds"]:
        part["points"][:2] = reversed(part["points"][:2])
    document["result"]["points"][:2] = reversed(document["result"]["points"][:2])
    document["result"]["places"] = list(places_of(document["result"]["points"]))
    return (0,)


@forgery("points are", "six", "x")
def total_changed_alone(document: Document) -> Place:
    document["result"]["points"][1] -= 1
    return None


@forgery("places are", "six", "eleven", "x", "outs")
def places_changed_alone(document: Document) -> Place:
    document["result"]["places"].reverse()
    return None


@forgery("places are", "outs")
def places_that_ignore_who_was_out(document: Document) -> Place:
    document["result"]["places"] = list(places_of(document["result"]["points"]))
    return None


@forgery("places are", "six")
def place_written_as_a_fraction(document: Document) -> Place:
    document["result"]["places"] = [float(place) for place in document["result"]["places"]]
    return None


@forgery("points are", "six")
def score_written_as_a_truth_value(document: Document) -> Place:
    document["rounds"][0]["points"] = [bool(own) for own in document["rounds"][0]["points"]]
    return (0,)


@forgery("points are", "six")
def score_of_one_seat_left_out(document: Document) -> Place:
    document["rounds"][0]["points"].pop()
    return (0,)


# Deals and keys.


@forgery("not the one that the key gives", "six", "eleven", "x", "opening")
def hand_card_and_its_play_swapped_everywhere(document: Document) -> Place:
    deal = document["rounds"][0]["deal"]
    hands = deal.get("hands", deal.get("opening"))
    one, other = hands[0][0], hands[1][0]
    document["rounds"][0] = swap_everywhere(document["rounds"][0], one, other)
    return (0,)


@forgery("not the one that the key gives", "six", "x")
def hand_card_exchanged_for_one_in_the_box(document: Document) -> Place:
    deal = document["rounds"][1]["deal"]
    dealt = {card for group in deal["hands"] + deal["rows"] for card in group}
    spare = next(card for card in range(1, 101) if card not in dealt)
    document["rounds"][1] = swap_everywhere(document["rounds"][1], deal["hands"][0][3], spare)
    return (1,)


@forgery("not the one that the key gives", "eleven")
def undrawn_end_of_the_deck_reordered(document: Document) -> Place:
    document["rounds"][0]["deal"]["draw"][-2:] = reversed(
        document["rounds"][0]["deal"]["draw"][-2:]
    )
    return (0,)


@forgery("not the one that the key gives", "six")
def rows_of_the_deal_reordered(document: Document) -> Place:
    document["rounds"][0]["deal"]["rows"].reverse()
    return (0,)


@forgery("not the one that the key gives", "six", "eleven", "x", "opening")
def forged_key_with_matching_commitment(document: Document) -> Place:
    key = key_from_seed(4711)
    document["key"], document["commitment"] = key.hex(), commitment(key)
    return (0,)


@forgery("not the one that the key gives", "six")
def another_board_of_the_same_key(document: Document) -> Place:
    document["board"] += 1
    return (0,)


@forgery("not the one committed to", "six")
def forged_key_alone(document: Document) -> Place:
    document["key"] = key_from_seed(4711).hex()
    return None


@forgery("key must be 64 hex digits", "six")
def key_in_capitals(document: Document) -> Place:
    document["key"] = document["key"].upper()
    return None


@forgery("commitment must be sha256", "six", "hidden")
def commitment_left_empty(document: Document) -> Place:
    document["commitment"] = None
    return None


@forgery("holds the card .* twice", "hidden")
def deal_with_a_doubled_card(document: Document) -> Place:
    hands = document["rounds"][0]["deal"]["hands"]
    hands[0][0] = hands[1][0]
    return (0,)


@forgery("cards, expected", "hidden")
def deal_with_a_card_too_few(document: Document) -> Place:
    document["rounds"][1]["deal"]["hands"][0].pop()
    return (1,)


@forgery("must be a list of cards", "hidden")
def dealt_card_written_as_a_fraction(document: Document) -> Place:
    hand = document["rounds"][0]["deal"]["hands"][0]
    hand[0] = float(hand[0])
    return (0,)


@forgery("must have exactly hands, rows", "hidden")
def deal_with_an_unknown_field(document: Document) -> Place:
    document["rounds"][0]["deal"]["draw"] = []
    return (0,)


@forgery("start_seat is", "eleven", "advanced")
def wrong_start_seat_in_a_later_round(document: Document) -> Place:
    deal = document["rounds"][1]["deal"]
    deal["start_seat"] = (deal["start_seat"] + 1) % len(document["players"])
    return (1,)


@forgery("start_seat is", "eleven", "advanced")
def wrong_start_seat_in_the_first_round(document: Document) -> Place:
    document["rounds"][0]["deal"]["start_seat"] = 1
    return (0,)


@forgery("start_seat must be 0 to", "eleven")
def start_seat_written_as_a_truth_value(document: Document) -> Place:
    document["rounds"][0]["deal"]["start_seat"] = False
    return (0,)


# Options, versions, frame.


@forgery("written out in full", "six", "advanced", "eleven")
def option_with_its_default_left_out(document: Document) -> Place:
    document["options"].popitem()
    return None


@forgery("has no option", "six", "eleven", "x")
def unknown_option(document: Document) -> Place:
    document["options"]["draft"] = True
    return None


@forgery("not both", "six")
def limit_and_rounds_together(document: Document) -> Place:
    document["options"]["limit"] = 66
    return None


@forgery("written out in full", "six")
def the_other_length_as_null(document: Document) -> Place:
    document["options"]["limit"] = None
    return None


@forgery("must be true or false, got 0", "six")
def truth_value_written_as_a_number(document: Document) -> Place:
    document["options"]["advanced"] = 0
    return None


@forgery("must be 1 to 1000, got 2.0", "six")
def number_of_rounds_written_as_a_fraction(document: Document) -> Place:
    document["options"]["rounds"] = 2.0
    return None


@forgery("the game was over before this round", "hidden")
def fewer_rounds_claimed_than_played(document: Document) -> Place:
    document["options"]["rounds"] = 1
    return (1,)


@forgery("goes on to round 2", "hidden")
def more_rounds_claimed_than_played(document: Document) -> Place:
    document["options"]["rounds"] = 3
    last = decisions(document, 1)
    return (1, len(last) - step_size(last))


@forgery("start_seat is", "eleven")
def other_rule_for_the_next_starter(document: Document) -> Place:
    document["options"]["next_start"] = "most"
    return (1,)


@forgery("no rules 'seven-nimmt'", "six")
def unknown_rules(document: Document) -> Place:
    document["rules"] = "seven-nimmt"
    return None


@forgery("format is", "six")
def newer_format(document: Document) -> Place:
    document["format"] = "bullring-replay/2"
    return None


@forgery("rules_version is", "six", "x")
def wrong_rules_version(document: Document) -> Place:
    document["rules_version"] = 2
    return None


@forgery("rules_version is True", "six")
def rules_version_written_as_a_truth_value(document: Document) -> Place:
    document["rules_version"] = True
    return None


@forgery("deal_method is", "six")
def unknown_deal_method(document: Document) -> Place:
    document["deal_method"] = "dice"
    return None


@forgery("must have exactly", "six")
def unknown_field_at_the_top(document: Document) -> Place:
    document["comment"] = "all fine"
    return None


@forgery("must have exactly", "six")
def missing_field_at_the_top(document: Document) -> Place:
    del document["runner"]
    return None


@forgery("must have exactly points, places", "six")
def unknown_field_in_the_result(document: Document) -> Place:
    document["result"]["winner"] = 0
    return None


@forgery("must have exactly", "six")
def unknown_field_in_a_round(document: Document) -> Place:
    document["rounds"][1]["comment"] = 1
    return (1,)


@forgery("must have exactly", "six")
def unknown_field_in_a_player(document: Document) -> Place:
    document["players"][0]["rating"] = 1500
    return None


@forgery("started must be a UTC time", "six")
def time_without_a_zone(document: Document) -> Place:
    document["started"] = "2026-01-31T12:00:00"
    return None


@forgery("attempt must be 1 or more", "six")
def attempt_written_as_a_truth_value(document: Document) -> Place:
    document["attempt"] = True
    return None


@forgery("board must be 0 or more", "six")
def board_below_zero(document: Document) -> Place:
    document["board"] = -1
    return None


@forgery("move_ms must be 0 or more", "six")
def time_control_below_zero(document: Document) -> Place:
    document["time"]["move_ms"] = -1
    return None


@forgery("players stand by seat", "six")
def players_reordered(document: Document) -> Place:
    document["players"].reverse()
    return None


@forgery("hands must be a list of 2 lists", "hidden")
def player_left_out(document: Document) -> Place:
    document["players"].pop()
    return (0,)


@forgery("version of seat 0 is True", "six")
def version_written_as_a_truth_value(document: Document) -> Place:
    document["players"][0]["version"] = True
    return None
