/* The simple players of `nimmt/simple.py`, choice for choice. */
#include "simple.h"
#include "rows.h"

/* For every pile of a turn of 11 nimmt!, the cards that fit on it by ascending gap. */
typedef struct {
    unsigned count;
    uint8_t at[MOST_PILES]; /* the piles that any card fits on */
    uint8_t fits[MOST_PILES];
    uint8_t cards[MOST_PILES][WINDOW];
} Plays;

static void find_plays(const Table *t, Plays *p) {
    p->count = 0;
    for (unsigned at = 0; at < t->pile_count; at++) {
        unsigned i = p->count;
        p->at[i] = (uint8_t)at;
        p->fits[i] = (uint8_t)fitting(t, t->seat, t->pile_top[at], p->cards[i]);
        p->count += p->fits[i] > 0;
    }
}

static void take_pile(const Table *t, Choice *choice, unsigned at) {
    choice->what = TAKE;
    choice->value = t->pile_no[at];
}

static void lay(const Table *t, Choice *choice, unsigned at, unsigned card) {
    choice->what = PLAY;
    choice->on[card] = (uint8_t)(t->pile_no[at] + 1);
}

static void random_play(const Table *t, const Plays *p, Random *r, Choice *choice) {
    unsigned i = below_unit(r, p->count);
    if (!t->bull_cards[t->seat]) {
        lay(t, choice, p->at[i], p->cards[i][below_unit(r, p->fits[i])]);
        return;
    }
    uint8_t order[MOST_PILES];
    for (unsigned j = 0; j < p->count; j++) order[j] = (uint8_t)j;
    shuffle(r, order, p->count, p->count);
    unsigned piles = 1 + below_unit(r, t->bull_cards[t->seat]);
    for (unsigned j = 0; j < piles && j < p->count; j++) {
        const uint8_t *cards = p->cards[order[j]];
        unsigned at = p->at[order[j]], first = 0, laid = 0;
        for (unsigned k = 0; k < p->fits[order[j]]; k++) {
            if (choice->on[cards[k]]) continue;
            if (!first) first = cards[k];
            if (unit(r) < 0.7) {
                lay(t, choice, at, cards[k]);
                laid++;
            }
        }
        if (first && !laid) lay(t, choice, at, first);
    }
}

static void random_turn(const Table *t, const Plays *p, Random *r, Choice *choice) {
    if (p->count) random_play(t, p, r, choice);
    else take_pile(t, choice, below_unit(r, t->pile_count));
}

static void house_turn(const Table *t, const Plays *p, Choice *choice) {
    if (!p->count) {
        take_pile(t, choice, 0);
        return;
    }
    unsigned best = 0, least = 100;
    for (unsigned i = 0; i < p->count; i++) {
        unsigned gap = (p->cards[i][0] + 100u - t->pile_top[p->at[i]]) % 100u;
        if (gap < least) {
            least = gap;
            best = i;
        }
    }
    lay(t, choice, p->at[best], p->cards[best][0]);
}

/* The most cards this turn can get rid of, found pile by pile, largest first. */
static void greedy_turn(const Table *t, const Plays *p, Choice *choice) {
    unsigned held = t->bull_cards[t->seat];
    uint8_t done[MOST_PILES] = {0};
    for (unsigned piles = held ? held : 1; piles; piles--) {
        unsigned best = p->count, most = 0;
        for (unsigned i = 0; i < p->count; i++) {
            unsigned free = 0;
            for (unsigned k = 0; k < p->fits[i]; k++) free += !choice->on[p->cards[i][k]];
            if (!done[i] && free > most) {
                most = free;
                best = i;
            }
        }
        if (best == p->count) return;
        done[best] = 1;
        unsigned count = held ? p->fits[best] : 1;
        for (unsigned k = 0; k < count; k++)
            if (!choice->on[p->cards[best][k]]) lay(t, choice, p->at[best], p->cards[best][k]);
    }
}

static void choose_turn(const Table *t, unsigned player, Random *r, Choice *choice) {
    Plays p;
    find_plays(t, &p);
    memset(choice, 0, sizeof *choice);
    if (!p.count && t->pile_count == 1) {
        take_pile(t, choice, 0);
    } else if (player >= TAKER && unit(r) < 0.5) {
        take_pile(t, choice, player == TAKER ? below_unit(r, t->pile_count) : 0);
    } else if (player == RANDOM || player >= TAKER) {
        random_turn(t, &p, r, choice);
    } else if (player == GREEDY_PLAYER && p.count) {
        greedy_turn(t, &p, choice);
    } else {
        house_turn(t, &p, choice);
    }
}

/* What may be answered with a number, in ascending order. */
unsigned legal_numbers(const Table *t, unsigned seat, uint8_t numbers[HIGHEST]) {
    if (t->phase == CARD) {
        memcpy(numbers, t->hand[seat], t->hand_len[seat]);
        return t->hand_len[seat];
    }
    if (seat != t->seat) return 0;
    if (t->phase == DRAFT) {
        memcpy(numbers, t->pool, t->pool_len);
        return t->pool_len;
    }
    if (t->phase == X_CARD) {
        memcpy(numbers, t->taken, t->taken_len);
        return t->taken_len;
    }
    if (t->phase == STEAL) return richest_others(t, seat, numbers);
    if (t->phase != ROW) return 0;
    for (unsigned row = 0; row < row_count(t); row++) numbers[row] = (uint8_t)row;
    return row_count(t);
}

static unsigned choose_number(const Table *t, unsigned seat, unsigned player, Random *r) {
    uint8_t copied[HIGHEST];
    const uint8_t *numbers = t->phase == CARD ? t->hand[seat] : copied;
    unsigned count = t->phase == CARD ? t->hand_len[seat] : legal_numbers(t, seat, copied);
    if (count <= 1) return numbers[0];
    if (player == RANDOM || player >= TAKER) return numbers[below_unit(r, count)];
    if (t->phase == ROW) return (unsigned)cheapest_row(t);
    return numbers[player == HIGHEST_PLAYER && t->phase == CARD ? count - 1 : 0];
}

void choose_simply(const Table *t, const uint8_t *players, Random *r, uint8_t *values,
                   Choice *choice) {
    if (t->phase == TURN) {
        choose_turn(t, players[t->seat], &r[t->seat], choice);
    } else if (t->phase == CARD) {
        for (unsigned seat = 0; seat < t->players; seat++)
            values[seat] = (uint8_t)choose_number(t, seat, players[seat], &r[seat]);
    } else {
        unsigned seat = t->seat;
        values[seat] = (uint8_t)choose_number(t, seat, players[seat], &r[seat]);
        choice->value = values[seat];
    }
}
