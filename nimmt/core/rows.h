/* What 6 nimmt! and X nimmt! share: rows on the table, and a card from every hand at once. */
#ifndef NIMMT_ROWS_H
#define NIMMT_ROWS_H

#include "cards.h"

static inline unsigned row_count(const Table *t) {
    return t->rules == SIX ? 4 : 3;
}

/* the third, fourth or fifth card takes, so a resting row holds one card less. */
static inline unsigned row_holds(const Table *t, unsigned row) {
    return t->rules == SIX ? 5 : row + 2;
}

/* The row with the highest end below the card, or -1 for a low card. */
static inline int target_row(const Table *t, unsigned card) {
    int found = -1;
    unsigned highest = 0;
    for (unsigned row = 0; row < row_count(t); row++) {
        unsigned end = t->row[row][t->row_len[row] - 1];
        if (end < card && end > highest) {
            highest = end;
            found = (int)row;
        }
    }
    return found;
}

/* Every seat's card leaves its hand, and all are turned up together. */
static inline int lay_cards(Table *t, const uint8_t *values) {
    int at[MOST_PLAYERS];
    for (unsigned seat = 0; seat < t->players; seat++) {
        at[seat] = find_card(t->hand[seat], t->hand_len[seat], values[seat]);
        if (at[seat] < 0) return ILLEGAL - (int)seat;
    }
    for (unsigned seat = 0; seat < t->players; seat++) {
        uint8_t card = values[seat];
        drop_card(t->hand[seat], &t->hand_len[seat], (unsigned)at[seat]);
        t->revealed[seat] = t->laid[seat] = card;
        t->where[card] = (uint8_t)(48 + seat);
    }
    return FINE;
}

/* The seat whose laid card is placed next: the lowest; -1 when all lie. */
static inline int next_laid(const Table *t) {
    int found = -1;
    for (unsigned seat = 0; seat < t->players; seat++)
        if (t->laid[seat] && (found < 0 || t->laid[seat] < t->laid[found])) found = (int)seat;
    return found;
}

/* The row with the fewest heads; of several, the first. */
static inline int cheapest_row(const Table *t) {
    int found = 0, least = 1000;
    for (unsigned row = 0; row < row_count(t); row++) {
        int heads = heads_of(t->row[row], t->row_len[row]);
        if (heads < least) {
            least = heads;
            found = (int)row;
        }
    }
    return found;
}

#endif
