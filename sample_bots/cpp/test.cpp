// Tests of the sample. `make test` runs them.
#define main bot_main
#include "bot.cpp"
#undef main

#include <cstdio>

int expect(int got, int expected, const char* what) {
    std::printf("%s %s\n", got == expected ? "ok  " : "FAIL", what);
    return got == expected ? 0 : 1;
}

int main() {
    GapBot bot;
    bot.rules.name = "six-nimmt";
    TableView view;
    view.hand = {3, 25, 33, 50};
    view.rows = {{10}, {20, 21, 22, 23, 24}, {30}, {40}};
    XNimmtView x;
    x.seat = 1;
    x.taken = {5, 30, 60};
    x.x_rows = {{}, {20}};
    return expect(bot.choose_card(view), 33, "it lays the card closest above a row with room") +
           expect(bot.choose_x_card(x), 30, "it keeps the X row rising");
}
