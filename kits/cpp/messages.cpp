// Messages of the contract <-> the plain types of bullring.hpp.
#include "messages.hpp"

namespace bullring {

namespace {

constexpr std::size_t NOTE_BYTES = 200;

template <class Numbers>
std::vector<int> list(const Numbers& numbers) {
    return {numbers.begin(), numbers.end()};
}

template <class Piles>
std::vector<Cards> lists(const Piles& piles) {
    std::vector<Cards> found;
    found.reserve(piles.size());
    for (const pb::Cards& pile : piles) found.push_back(list(pile.cards()));
    return found;
}

template <class View, class Message>
void fill_seat(View& view, const Message& m) {
    view.seat = m.seat();
    view.players = m.players();
    view.round_no = m.round_no();
    view.turn = m.turn();
    view.hand = list(m.hand());
    view.totals = list(m.totals());
}

}  // namespace

Rules to_rules(const pb::Welcome& welcome) {
    Rules rules{welcome.rules(), {}, static_cast<int>(welcome.rules_version())};
    for (const auto& [name, option] : welcome.options()) {
        switch (option.value_case()) {
            case pb::OptionValue::kNumber: rules.options[name] = std::int64_t{option.number()}; break;
            case pb::OptionValue::kFlag: rules.options[name] = option.flag(); break;
            case pb::OptionValue::kText: rules.options[name] = option.text(); break;
            default: break;
        }
    }
    return rules;
}

TurnOptions to_turns(const pb::TurnOptions& options) {
    TurnOptions turns;
    for (const auto& part : options.plays()) turns.plays[part.pile()] = list(part.cards());
    turns.max_piles = options.max_piles();
    turns.many = options.many();
    turns.takes = list(options.takes());
    return turns;
}

SixNimmtView to_view(const pb::SixNimmtView& m) {
    SixNimmtView view;
    fill_seat(view, m);
    view.start_seat = m.start_seat();
    view.rows = lists(m.rows());
    view.revealed = list(m.revealed());
    view.bull_piles = lists(m.bull_piles());
    view.points = list(m.points());
    view.pool = list(m.pool());
    view.hands = lists(m.hands());
    return view;
}

ElevenNimmtView to_view(const pb::ElevenNimmtView& m) {
    ElevenNimmtView view;
    fill_seat(view, m);
    view.start_seat = m.start_seat();
    for (const auto& pile : m.piles()) {
        view.piles.push_back({static_cast<int>(pile.number()), static_cast<int>(pile.top())});
    }
    view.hand_sizes = list(m.hand_sizes());
    view.bull_cards = list(m.bull_cards());
    view.bull_pool = m.bull_pool();
    view.draw = m.draw();
    return view;
}

XNimmtView to_view(const pb::XNimmtView& m) {
    XNimmtView view;
    fill_seat(view, m);
    view.rows = lists(m.rows());
    view.revealed = list(m.revealed());
    view.taken = list(m.taken());
    view.x_rows = lists(m.x_rows());
    view.x_pile = list(m.x_pile());
    view.x_pile_sizes = list(m.x_pile_sizes());
    view.hand_sizes = list(m.hand_sizes());
    return view;
}

std::optional<Event> to_event(const pb::Event& m) {
    Event event;
    switch (m.event_case()) {
        case pb::Event::kRoundStart:
            event.kind = "round_start";
            event.number = m.round_start().round_no();
            event.start_seat = m.round_start().start_seat();
            event.bull_pool = m.round_start().bull_pool();
            return event;
        case pb::Event::kTurn:
            event.kind = "turn";
            event.number = m.turn().number();
            if (m.turn().has_seat()) event.seat = m.turn().seat();
            return event;
        case pb::Event::kReveal:
            event.kind = "reveal";
            event.cards = list(m.reveal().cards());
            return event;
        case pb::Event::kMove:
            event.kind = "move";
            event.why = m.move().why();
            event.cards = list(m.move().cards());
            event.src = m.move().src();
            event.dst = m.move().dst();
            return event;
        case pb::Event::kBullCard:
            event.kind = "bull_card";
            event.seat = m.bull_card().seat();
            if (m.bull_card().has_source()) event.source = m.bull_card().source();
            return event;
        case pb::Event::kPoints:
            event.kind = "points";
            event.points = list(m.points().points());
            return event;
        case pb::Event::kRoundEnd:
            event.kind = "round_end";
            event.points = list(m.round_end().points());
            event.totals = list(m.round_end().totals());
            return event;
        case pb::Event::kGameEnd:
            event.kind = "game_end";
            event.points = list(m.game_end().points());
            event.places = list(m.game_end().places());
            return event;
        default:
            return std::nullopt;
    }
}

void fill_turn(pb::Answer& answer, const Turn& turn) {
    if (turn.take) {
        answer.set_take(*turn.take);
        return;
    }
    pb::Play& play = *answer.mutable_play();
    for (const auto& [pile, cards] : turn.play) {
        pb::PileCards& part = *play.add_piles();
        part.set_pile(pile);
        for (int card : cards) part.add_cards(card);
    }
}

std::string cut_note(std::string text) {
    if (text.size() <= NOTE_BYTES) return text;
    std::size_t end = NOTE_BYTES;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    return text;
}

}  // namespace bullring
