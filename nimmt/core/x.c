/* X nimmt!: rows of 3, 4 and 5, and an X row of one's own. */
#include "core.h"
#include "rows.h"

static void next_turn(Table *t) {
    memset(t->revealed, 0, sizeof t->revealed);
    t->phase = CARD;
    t->seat = 0;
}

void x_deal(Table *t) {
    uint8_t deck[HIGHEST];
    unsigned dealt = X_HAND_SIZE * t->players;
    shuffle_deal(t, deck, 100, dealt + 3);
    for (unsigned seat = 0; seat < t->players; seat++) {
        t->hand_len[seat] = X_HAND_SIZE;
        memcpy(t->hand[seat], deck + seat * X_HAND_SIZE, X_HAND_SIZE);
        sort_cards(t->hand[seat], X_HAND_SIZE);
        t->points[seat] = heads_of(t->hand[seat], X_HAND_SIZE);
        t->x_row_len[seat] = t->x_pile_len[seat] = 0;
    }
    for (unsigned row = 0; row < 3; row++) {
        t->row_len[row] = 1;
        t->row[row][0] = deck[dealt + row];
        t->where[deck[dealt + row]] = (uint8_t)(2 + row);
    }
    t->taken_len = 0;
    next_turn(t);
}

/* the X card is chosen at once, before the next card is placed. */
static void take(Table *t, unsigned seat, unsigned row) {
    uint8_t card = t->laid[seat];
    t->taken_len = t->row_len[row];
    for (unsigned i = 0; i < t->taken_len; i++) {
        t->taken[i] = t->row[row][i];
        t->where[t->taken[i]] = 0;
    }
    t->points[seat] += heads_of(t->taken, t->taken_len);
    t->row_len[row] = 1;
    t->row[row][0] = card;
    t->where[card] = (uint8_t)(2 + row);
    t->laid[seat] = 0;
    t->phase = X_CARD;
    t->seat = (uint8_t)seat;
}

/* Place laid cards until one of them takes, or all lie. */
static void place(Table *t) {
    for (int seat; (seat = next_laid(t)) >= 0;) {
        uint8_t card = t->laid[seat];
        unsigned row = (unsigned)target_row(t, card);
        if (t->row_len[row] == row_holds(t, row)) {
            take(t, (unsigned)seat, row);
            return;
        }
        t->row[row][t->row_len[row]++] = card;
        t->where[card] = (uint8_t)(2 + row);
        t->laid[seat] = 0;
    }
    t->turn++;
    /* the round is over when, after a whole turn, any hand is empty. */
    for (unsigned seat = 0; seat < t->players; seat++)
        if (!t->hand_len[seat]) {
            end_round(t);
            return;
        }
    next_turn(t);
}

static int choose_x_card(Table *t, unsigned card) {
    unsigned seat = t->seat;
    if (find_card(t->taken, t->taken_len, card) < 0) return ILLEGAL - (int)seat;
    uint8_t *x_row = t->x_row[seat];
    unsigned length = t->x_row_len[seat];
    if (length && card < x_row[length - 1]) {
        /* a lower card sends the X row to the X pile and starts a new one. */
        memcpy(t->x_pile[seat] + t->x_pile_len[seat], x_row, length);
        t->x_pile_len[seat] = (uint8_t)(t->x_pile_len[seat] + length);
        t->points[seat] += 2 * heads_of(x_row, length);
        for (unsigned i = 0; i < length; i++) t->where[x_row[i]] = 0;
        length = 0;
    }
    x_row[length] = (uint8_t)card;
    t->x_row_len[seat] = (uint8_t)(length + 1);
    t->where[card] = (uint8_t)(32 + seat);
    t->points[seat] -= HEADS[card];
    for (unsigned i = 0; i < t->taken_len; i++)
        if (t->taken[i] != card) add_sorted(t->hand[seat], &t->hand_len[seat], t->taken[i]);
    t->taken_len = 0;
    place(t);
    return FINE;
}

int x_apply(Table *t, const uint8_t *values) {
    if (t->phase == X_CARD) return choose_x_card(t, values[t->seat]);
    if (t->phase == ROW) {
        if (values[t->seat] >= 3) return ILLEGAL - t->seat;
        take(t, t->seat, values[t->seat]);
        return FINE;
    }
    int answer = lay_cards(t, values);
    if (answer != FINE) return answer;
    for (unsigned seat = 0; seat < t->players; seat++) t->points[seat] -= HEADS[t->revealed[seat]];
    /* only the lowest card of a turn can be a low card, so this comes first. */
    int lowest = next_laid(t);
    if (target_row(t, t->laid[lowest]) < 0) {
        t->phase = ROW;
        t->seat = (uint8_t)lowest;
    } else {
        place(t);
    }
    return FINE;
}
