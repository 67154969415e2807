// The probe of the conformance suite in C++: the first argument says how it behaves.
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "bullring.hpp"

using namespace bullring;

namespace {

struct Slow : Bot {
    int choose_card(const TableView& view) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        return view.hand.front();
    }
};

struct Throws : Bot {
    int choose_card(const TableView&) override { throw std::runtime_error("no idea"); }
};

struct ThrowsAtStart : Bot {
    void on_game_start() override { throw std::runtime_error("no start"); }
};

std::string json(int value) { return std::to_string(value); }
std::string json(bool value) { return value ? "true" : "false"; }
std::string json(const std::string& text) { return '"' + text + '"'; }
std::string json(const std::optional<int>& value) { return value ? json(*value) : "null"; }
std::string json(const Pile& pile) {
    return "{\"number\":" + json(pile.number) + ",\"top\":" + json(pile.top) + "}";
}

template <class T>
std::string json(const std::vector<T>& list) {
    std::string out;
    for (const T& each : list) out += (out.empty() ? "" : ",") + json(each);
    return "[" + out + "]";
}

std::string json(const std::map<int, Cards>& plays) {
    std::string out;
    for (const auto& [pile, cards] : plays) {
        out += (out.empty() ? "\"" : ",\"") + json(pile) + "\":" + json(cards);
    }
    return "{" + out + "}";
}

// A JSON object, written field by field.
class Object {
public:
    template <class T>
    Object& field(const std::string& name, const T& value) { return raw(name, json(value)); }
    Object& raw(const std::string& name, const std::string& value) {
        text_ += (text_.empty() ? "\"" : ",\"") + name + "\":" + value;
        return *this;
    }
    std::string text() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};

template <class View>
Object common(const View& v) {
    Object o;
    o.field("seat", v.seat).field("players", v.players).field("round_no", v.round_no);
    return o.field("turn", v.turn).field("hand", v.hand).field("totals", v.totals);
}

std::string json(const SixNimmtView& v) {
    Object o = common(v);
    o.field("start_seat", v.start_seat).field("rows", v.rows).field("revealed", v.revealed);
    o.field("bull_piles", v.bull_piles).field("points", v.points).field("pool", v.pool);
    return o.field("hands", v.hands).text();
}

std::string json(const XNimmtView& v) {
    Object o = common(v);
    o.field("rows", v.rows).field("revealed", v.revealed).field("taken", v.taken);
    o.field("x_rows", v.x_rows).field("x_pile", v.x_pile).field("x_pile_sizes", v.x_pile_sizes);
    return o.field("hand_sizes", v.hand_sizes).text();
}

std::string json(const ElevenNimmtView& v) {
    Object o = common(v);
    o.field("start_seat", v.start_seat).field("piles", v.piles).field("hand_sizes", v.hand_sizes);
    return o.field("bull_cards", v.bull_cards).field("bull_pool", v.bull_pool).field("draw", v.draw).text();
}

std::string json(const Event& e) {
    Object o;
    if (e.kind == "round_start") {
        o.field("round_no", e.number).field("start_seat", e.start_seat).field("bull_pool", e.bull_pool);
    } else if (e.kind == "turn") {
        o.field("number", e.number).field("seat", e.seat);
    } else if (e.kind == "reveal") {
        o.field("cards", e.cards);
    } else if (e.kind == "move") {
        o.field("why", e.why).field("cards", e.cards).field("src", e.src).field("dst", e.dst);
    } else if (e.kind == "bull_card") {
        o.field("seat", e.seat).field("source", e.source);
    } else {
        o.field("points", e.points);
        if (e.kind == "round_end") o.field("totals", e.totals);
        if (e.kind == "game_end") o.field("places", e.places);
    }
    return o.text();
}

// Prints everything it hears.
struct Mirror : Bot {
    void tell(Object what) const { std::cout << what.field("game_no", game_no).text() << std::endl; }

    void on_game_start() override {
        Object options;
        for (const auto& [name, value] : rules.options) {
            std::visit([&, key = name](const auto& v) { tell_option(options, key, v); }, value);
        }
        Object about;
        about.field("name", rules.name).raw("options", options.text());
        tell(Object().raw("rules", about.text()).field("seat", seat).field("players", players));
    }
    static void tell_option(Object& o, const std::string& name, std::int64_t v) { o.raw(name, std::to_string(v)); }
    static void tell_option(Object& o, const std::string& name, bool v) { o.field(name, v); }
    static void tell_option(Object& o, const std::string& name, const std::string& v) { o.field(name, v); }

    void on_event(const Event& event) override { tell(Object().field("kind", event.kind).raw("event", json(event))); }
    void on_game_over(const std::vector<int>& points, const std::vector<int>& places) override {
        tell(Object().field("points", points).field("places", places));
    }

    template <class View>
    void mirror(const std::string& kind, const View& view) {
        Object o;
        o.field("ask", kind).raw("view", json(view)).field("asks_left", asks_left());
        if (kind == "turn") {
            Object options;
            options.field("plays", turns.plays).field("max_piles", turns.max_piles);
            o.raw("legal", options.field("many", turns.many).field("takes", turns.takes).text());
        } else {
            o.field("legal", legal);
        }
        tell(o);
        std::string text;
        for (int count = 0; count < 150; ++count) text += "\u00e4";
        note(text);
    }
    void mirror_table(const std::string& kind, const TableView& view) {
        rules.name == "six-nimmt" ? mirror(kind, six(view)) : mirror(kind, x(view));
    }

    int choose_card(const TableView& v) override { mirror_table("card", v); return Bot::choose_card(v); }
    int choose_row(const TableView& v) override { mirror_table("row", v); return Bot::choose_row(v); }
    int choose_draft(const SixNimmtView& v) override { mirror("draft", v); return Bot::choose_draft(v); }
    int choose_x_card(const XNimmtView& v) override { mirror("x_card", v); return Bot::choose_x_card(v); }
    int choose_steal(const ElevenNimmtView& v) override { mirror("steal", v); return Bot::choose_steal(v); }
    Turn choose_turn(const ElevenNimmtView& v) override { mirror("turn", v); return Bot::choose_turn(v); }
};

}  // namespace

int main(int, char** arguments) {
    const std::string style = arguments[1];
    if (style == "plain") return run<Bot>();
    if (style == "slow") return run<Slow>();
    if (style == "throws") return run<Throws>();
    if (style == "throws-at-start") return run<ThrowsAtStart>();
    return run<Mirror>({{"six-nimmt", "eleven-nimmt", "x-nimmt"}, 7, true});
}
