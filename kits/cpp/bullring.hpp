// Write a bot: derive from `bullring::Bot`, override what you want to decide, and call `run`.
//
//   #include "bullring.hpp"
//
//   struct MyBot : bullring::Bot {
//       int choose_card(const bullring::TableView& view) override { return view.hand.back(); }
//   };
//
//   int main() { return bullring::run<MyBot>(); }
//
// Neither gRPC nor protobuf is seen from here, so that a bot compiles in a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace bullring {

using Cards = std::vector<int>;

// Bullheads printed on a card.
int bulls(int card);
// Bullheads on all the cards together.
int heads(const Cards& cards);
// How far a card lies above a top card of 11 nimmt!, where 1 follows 100.
int gap(int card, int top);

// What is played in every game of the pass.
struct Rules {
    std::string name;
    std::map<std::string, std::variant<std::int64_t, bool, std::string>> options;
    int version = 0;
};

// What 6 nimmt! and X nimmt! have in common. Seats, rows, rounds and turns count from 0.
struct TableView {
    int seat = 0, players = 0, round_no = 0, turn = 0;
    Cards hand;  // ascending
    std::vector<Cards> rows;
    Cards revealed;  // the cards laid in this turn, by seat; empty while cards are being chosen
    std::vector<int> totals;  // points of the finished rounds, by seat
};

// 6 nimmt! as one seat sees it.
struct SixNimmtView : TableView {
    int start_seat = 0;             // who begins the draft (advanced game)
    std::vector<Cards> bull_piles;  // all cards taken in this round, by seat
    std::vector<int> points;        // bullheads taken in this round, by seat
    Cards pool;                     // the cards still open to the draft (advanced game)
    std::vector<Cards> hands;       // open in the advanced game; empty in the basic game
};

// X nimmt! as one seat sees it.
struct XNimmtView : TableView {
    Cards taken;  // the cards just taken, one of which goes to the X row
    std::vector<Cards> x_rows;
    Cards x_pile;  // the own one
    std::vector<int> x_pile_sizes, hand_sizes;
};

// A pile of 11 nimmt!; its number is never used again.
struct Pile {
    int number = 0, top = 0;
};

// 11 nimmt! as one seat sees it: what lies under the tops is for a bot's memory.
struct ElevenNimmtView {
    int seat = 0, players = 0, round_no = 0, turn = 0, start_seat = 0;
    Cards hand;  // ascending
    std::vector<Pile> piles;
    std::vector<int> hand_sizes, bull_cards;  // by seat
    int bull_pool = 0;  // bull cards that nobody holds
    int draw = 0;       // cards that the draw deck still has
    std::vector<int> totals;
};

// A turn of 11 nimmt!: take a pile, or play cards on piles.
struct Turn {
    std::optional<int> take;
    std::map<int, Cards> play;

    static Turn taking(int pile) { return {pile, {}}; }
    static Turn playing(std::map<int, Cards> cards) { return {std::nullopt, std::move(cards)}; }
};

// The legal turns of 11 nimmt!, described instead of listed (there can be millions).
struct TurnOptions {
    std::map<int, Cards> plays;  // for each pile the cards that fit, by ascending gap
    int max_piles = 0;           // on how many piles may be played in this turn
    bool many = false;           // whether more than one card may be played at all
    Cards takes;                 // the piles, any one of which may be taken

    // The most cards this turn can get rid of; none when no card fits.
    std::optional<Turn> widest_play() const;
};

// One thing that happened at the table. Which fields are set depends on the kind; proto/wire/v1
// describes each.
struct Event {
    std::string kind;  // round_start, turn, reveal, move, bull_card, points, round_end, game_end
    int number = 0;    // of the round or the turn
    std::optional<int> seat, source;
    int start_seat = 0, bull_pool = 0;
    Cards cards;
    std::string why, src, dst;
    std::vector<int> points, totals, places;
};

// The time of one message of asks, shared by all bots that are asked in it.
struct Clock {
    std::int64_t free_ms = 0, bank_ms = 0;
    int asks_left = 1;
    std::chrono::steady_clock::time_point came = std::chrono::steady_clock::now();
};

// One bot in one game: a fresh instance plays each game, so its members remember that game alone.
// Override the decisions you care about; the others are made as the house would make them.
class Bot {
public:
    virtual ~Bot() = default;

    // A game begins; rules, game_no, seat, players and rng are set.
    virtual void on_game_start() {}
    // Something happened at the table. Sent only when `Options::events` is set.
    virtual void on_event(const Event&) {}
    // The game is over; both lists are by seat.
    virtual void on_game_over(const std::vector<int>& /*points*/, const std::vector<int>& /*places*/) {}

    // Which card of view.hand to lay. `six(view)` and `x(view)` have the rest of the view.
    virtual int choose_card(const TableView& view);
    // Which row to take: an index into view.rows.
    virtual int choose_row(const TableView& view);
    // Which card of view.pool to draft (advanced game).
    virtual int choose_draft(const SixNimmtView& view);
    // Which card of view.taken to put into the own X row.
    virtual int choose_x_card(const XNimmtView& view);
    // From which seat of `legal` to steal a bull card.
    virtual int choose_steal(const ElevenNimmtView& view);
    // Take a pile, or play on piles: what is possible is in `turns`.
    virtual Turn choose_turn(const ElevenNimmtView& view);

    // The whole view of 6 nimmt! or X nimmt!, for rules of that name.
    static const SixNimmtView& six(const TableView& view) { return static_cast<const SixNimmtView&>(view); }
    static const XNimmtView& x(const TableView& view) { return static_cast<const XNimmtView&>(view); }

    // Say a word (up to 200 bytes) on the choice you are making; only you will read it.
    void note(std::string text) { note_ = std::move(text); }
    // Time left for all asks of the current message together, the whole bank included.
    double time_left_ms() const;
    // Time left for all asks of the current message before the bank is touched.
    double free_time_ms() const { return time_left_ms() - static_cast<double>(clock_->bank_ms); }
    // How many asks share that time, this one included.
    int asks_left() const { return clock_->asks_left; }

    Rules rules;
    int game_no = 0, seat = 0, players = 0;
    std::mt19937_64 rng;  // seeded for this game: draw all chance from it
    Cards legal;          // the legal choices of the current ask (all kinds but a turn)
    TurnOptions turns;    // the legal turns of the current ask (11 nimmt!)

private:
    friend class Client;
    std::shared_ptr<Clock> clock_ = std::make_shared<Clock>();
    std::string note_;
};

struct Options {
    std::vector<std::string> rules = {};  // the rules the bot can play; none means all
    int max_batch = 64;                   // how many asks may come in one message, 1 to 256
    bool events = false;                  // whether on_event is to be called
};

using MakeBot = std::function<std::unique_ptr<Bot>()>;

// Play everything the referee asks; what comes back is for main to return.
int run(const MakeBot& make, const Options& options = {});

// The same with a fresh T for every game.
template <class T>
int run(const Options& options = {}) {
    return run([] { return std::make_unique<T>(); }, options);
}

}  // namespace bullring
