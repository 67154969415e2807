/* The life of a game, the same for all rules: dealing, applying choices, rounds and their ends. */
#include "core.h"
#include "random.h"

/* The first `take` cards of the deck 1..cards, as the board shuffles it for this round. */
void shuffle_deal(const Table *t, uint8_t *deck, unsigned cards, unsigned take) {
    for (unsigned i = 0; i < cards; i++) deck[i] = (uint8_t)(i + 1);
    if (t->deals == KEYED) {
        deal_keyed(t->key, t->board, t->round_no, deck, cards, take);
    } else {
        Random r = random_stream(t->seed, t->board, t->round_no);
        shuffle(&r, deck, cards, take);
    }
}

void deal_round(Table *t) {
    t->turn = 0;
    memset(t->revealed, 0, sizeof t->revealed);
    memset(t->laid, 0, sizeof t->laid);
    memset(t->where, 0, sizeof t->where);
    if (t->rules == SIX) six_deal(t);
    else if (t->rules == X) x_deal(t);
    else eleven_deal(t);
}

void start_game(Table *t, uint64_t board) {
    t->board = board;
    t->round_no = 0;
    t->start_seat = 0;
    memset(t->totals, 0, sizeof t->totals);
    deal_round(t);
}

/* 11-1, 11-2, 11-3: by the totals; a tie goes clockwise from the last starter. */
static unsigned next_starter(const Table *t) {
    unsigned best = t->start_seat;
    for (unsigned step = 1; step < t->players; step++) {
        unsigned seat = (t->start_seat + step) % t->players;
        if (t->most_starts ? t->totals[seat] > t->totals[best] : t->totals[seat] < t->totals[best])
            best = seat;
    }
    return best;
}

static int game_is_over(const Table *t) {
    if (t->rules == X) return t->round_no + 1 >= 2;
    if (t->rules == ELEVEN) return t->round_no + 1 >= t->players;
    if (t->rounds) return t->round_no + 1 >= t->rounds;
    /* 6-1, 6-2: more than the limit, looked at only after a whole round. */
    for (unsigned seat = 0; seat < t->players; seat++)
        if (t->totals[seat] > t->limit) return 1;
    return 0;
}

/* Count the round; then the game is over, or the next round is dealt. */
void end_round(Table *t) {
    for (unsigned seat = 0; seat < t->players; seat++) t->totals[seat] += t->points[seat];
    memset(t->revealed, 0, sizeof t->revealed);
    if (game_is_over(t)) {
        t->phase = NOBODY;
        return;
    }
    t->round_no++;
    if (t->rules == ELEVEN) t->start_seat = (uint8_t)next_starter(t);
    /* the draft begins one seat further on in every round. */
    if (t->rules == SIX && t->advanced) t->start_seat = (uint8_t)(t->round_no % t->players);
    deal_round(t);
}

/* Carry out the choices of all who are asked, or answer ILLEGAL - seat and change nothing. */
int apply(Table *t, const uint8_t *values, const Choice *choice) {
    if (t->phase == NOBODY) return BAD_CHOICE;
    if (t->rules == SIX) return six_apply(t, values);
    if (t->rules == X) return x_apply(t, values);
    return eleven_apply(t, choice);
}
