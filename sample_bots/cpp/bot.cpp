// Plays the card that lies closest above a row's end, as the Python sample `gap` does.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "bullring.hpp"

using namespace bullring;

namespace {

// How many cards a resting row holds; the next one takes it.
const std::map<std::string, std::vector<std::size_t>> ROW_HOLDS = {
    {"six-nimmt", {5, 5, 5, 5}}, {"x-nimmt", {2, 3, 4}}};

// The first of the items with the smallest key.
template <class Key>
int lowest_by(const Cards& items, Key key) {
    return *std::min_element(items.begin(), items.end(), [&](int a, int b) { return key(a) < key(b); });
}

struct GapBot : Bot {
    int choose_card(const TableView& view) override {
        return lowest_by(view.hand, [&](int card) { return risk(card, view); });
    }

    // First what the card would cost if nobody else played, then its gap.
    std::pair<int, int> risk(int card, const TableView& view) const {
        int best = -1;
        int cheapest = heads(view.rows[0]);
        for (std::size_t index = 0; index < view.rows.size(); ++index) {
            const int end = view.rows[index].back();
            cheapest = std::min(cheapest, heads(view.rows[index]));
            if (end < card && (best < 0 || end > view.rows[best].back())) best = static_cast<int>(index);
        }
        if (best < 0) return {cheapest, card};
        const Cards& row = view.rows[best];
        const bool full = row.size() >= ROW_HOLDS.at(rules.name)[best];
        return {full ? heads(row) : 0, card - row.back()};
    }

    int choose_draft(const SixNimmtView& view) override {
        // A hand that is spread out has an answer to most rows, so take what lies farthest from it.
        const Cards held = view.hand.empty() ? Cards{0} : view.hand;
        return lowest_by(view.pool, [&](int card) {
            int nearest = 1000;
            for (int other : held) nearest = std::min(nearest, std::abs(card - other));
            return -nearest;
        });
    }

    int choose_x_card(const XNimmtView& view) override {
        // The X row must rise. The card just above its end leaves the most room for later ones.
        const Cards& row = view.x_rows[view.seat];
        const int end = row.empty() ? 0 : row.back();
        return lowest_by(view.taken, [&](int card) { return std::pair(card <= end, card); });
    }

    Turn choose_turn(const ElevenNimmtView& view) override {
        const auto widest = turns.widest_play();
        return widest && turns.many ? *widest : Bot::choose_turn(view);
    }
};

}  // namespace

int main() { return run<GapBot>(); }
