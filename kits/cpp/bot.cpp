// What a bot decides when its author does not, and the small things that authors use.
#include <algorithm>
#include <set>
#include <utility>

#include "bullring.hpp"

namespace bullring {

int bulls(int card) {
    if (card == 55) return 7;
    if (card % 11 == 0) return 5;
    if (card % 10 == 0) return 3;
    return card % 5 == 0 ? 2 : 1;
}

int heads(const Cards& cards) {
    int sum = 0;
    for (int card : cards) sum += bulls(card);
    return sum;
}

int gap(int card, int top) { return (card - top + 100) % 100; }

std::optional<Turn> TurnOptions::widest_play() const {
    auto left = plays;
    std::map<int, Cards> chosen;
    while (!left.empty() && static_cast<int>(chosen.size()) < max_piles) {
        // The first of the largest: a map is in ascending order of its piles.
        const auto most = std::max_element(left.begin(), left.end(), [](const auto& a, const auto& b) {
            return a.second.size() < b.second.size();
        });
        if (most->second.empty()) break;
        Cards cards = most->second;
        if (!many) cards.resize(1);
        const std::set<int> gone(cards.begin(), cards.end());
        chosen[most->first] = std::move(cards);
        left.erase(most);
        for (auto& [pile, fits] : left) {
            const auto used = [&](int card) { return gone.count(card) > 0; };
            fits.erase(std::remove_if(fits.begin(), fits.end(), used), fits.end());
        }
    }
    if (chosen.empty()) return std::nullopt;
    return Turn::playing(std::move(chosen));
}

namespace {
int lowest(const Cards& cards) { return *std::min_element(cards.begin(), cards.end()); }
}  // namespace

int Bot::choose_card(const TableView&) { return lowest(legal); }
int Bot::choose_draft(const SixNimmtView&) { return lowest(legal); }
int Bot::choose_x_card(const XNimmtView&) { return lowest(legal); }
int Bot::choose_steal(const ElevenNimmtView&) { return lowest(legal); }

int Bot::choose_row(const TableView& view) {
    const auto cost = [&](int row) { return std::pair(heads(view.rows[row]), row); };
    return *std::min_element(legal.begin(), legal.end(),
                             [&](int a, int b) { return cost(a) < cost(b); });
}

Turn Bot::choose_turn(const ElevenNimmtView& view) {
    if (turns.plays.empty()) return Turn::taking(lowest(turns.takes));
    std::map<int, int> tops;
    for (const Pile& pile : view.piles) tops[pile.number] = pile.top;
    // Cards stand by ascending gap, so the first of each pile is its closest.
    const auto closest = std::min_element(
        turns.plays.begin(), turns.plays.end(), [&](const auto& a, const auto& b) {
            return gap(a.second[0], tops[a.first]) < gap(b.second[0], tops[b.first]);
        });
    return Turn::playing({{closest->first, {closest->second[0]}}});
}

double Bot::time_left_ms() const {
    const std::chrono::duration<double, std::milli> gone = std::chrono::steady_clock::now() - clock_->came;
    return static_cast<double>(clock_->free_ms + clock_->bank_ms) - gone.count();
}

}  // namespace bullring
