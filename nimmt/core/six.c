/* 6 nimmt!, basic game and advanced game with an open draft. */
#include "core.h"
#include "rows.h"

unsigned six_highest(const Table *t) {
    return t->advanced ? 10u * t->players + 4u : HIGHEST;
}

static void next_turn(Table *t) {
    memset(t->revealed, 0, sizeof t->revealed);
    t->phase = CARD;
    t->seat = 0;
}

static void start_rows(Table *t, const uint8_t *cards) {
    for (unsigned row = 0; row < ROWS; row++) {
        t->row_len[row] = 1;
        t->row[row][0] = cards[row];
        t->where[cards[row]] = (uint8_t)(2 + row);
    }
}

/* plainly around the table, no snake; the four cards left start the rows. */
static void next_draft(Table *t) {
    if (t->pool_len > ROWS) {
        unsigned drafted = 0;
        for (unsigned seat = 0; seat < t->players; seat++) drafted += t->hand_len[seat];
        t->phase = DRAFT;
        t->seat = (uint8_t)((t->start_seat + drafted) % t->players);
        return;
    }
    start_rows(t, t->pool);
    t->pool_len = 0;
    next_turn(t);
}

void six_deal(Table *t) {
    uint8_t deck[HIGHEST];
    unsigned each = t->advanced ? t->opening_picks : HAND_SIZE;
    unsigned dealt = each * t->players;
    shuffle_deal(t, deck, six_highest(t), t->advanced ? dealt : dealt + ROWS);
    t->pool_len = 0;
    /* Who holds each card, and then the cards in their order: no hand needs to be sorted. */
    uint8_t owner[PLACES], rest[PLACES], *next[MOST_PLAYERS + 1];
    memset(owner, MOST_PLAYERS, sizeof owner);
    next[MOST_PLAYERS] = rest;
    for (unsigned seat = 0; seat < t->players; seat++) {
        t->points[seat] = 0;
        t->bull_len[seat] = 0;
        t->hand_len[seat] = (uint8_t)each;
        next[seat] = t->hand[seat];
        for (unsigned i = 0; i < each; i++) owner[deck[seat * each + i]] = (uint8_t)seat;
    }
    for (unsigned card = 1; card < PLACES; card++) *next[owner[card]]++ = (uint8_t)card;
    if (!t->advanced) {
        memset(t->row_len, 0, sizeof t->row_len);
        start_rows(t, deck + dealt);
        next_turn(t);
        return;
    }
    /* All hands are open in the advanced game. */
    memset(t->row_len, 0, sizeof t->row_len);
    for (unsigned seat = 0; seat < t->players; seat++)
        for (unsigned i = 0; i < each; i++) t->where[t->hand[seat][i]] = (uint8_t)(64 + seat);
    for (unsigned card = 1; card <= six_highest(t); card++)
        if (!t->where[card]) {
            t->pool[t->pool_len++] = (uint8_t)card;
            t->where[card] = 6;
        }
    next_draft(t);
}

static int draft(Table *t, unsigned card) {
    int at = find_card(t->pool, t->pool_len, card);
    if (at < 0) return ILLEGAL - t->seat;
    drop_card(t->pool, &t->pool_len, (unsigned)at);
    add_sorted(t->hand[t->seat], &t->hand_len[t->seat], card);
    t->where[card] = (uint8_t)(64 + t->seat);
    next_draft(t);
    return FINE;
}

/* 6-5: the taker gets what lay in the row; the card just laid starts the row again. */
static void take(Table *t, unsigned seat, unsigned row) {
    for (unsigned i = 0; i < t->row_len[row]; i++) {
        uint8_t card = t->row[row][i];
        t->bull[seat][t->bull_len[seat]++] = card;
        t->points[seat] += HEADS[card];
        t->where[card] = (uint8_t)(16 + seat);
    }
    t->row_len[row] = 0;
}

static void place(Table *t, unsigned seat, unsigned row) {
    uint8_t card = t->laid[seat];
    t->row[row][t->row_len[row]++] = card;
    t->where[card] = (uint8_t)(2 + row);
    t->laid[seat] = 0;
}

/* The laid cards, lowest first, each to the row with the highest end below it. */
static void place_all(Table *t) {
    uint16_t codes[MOST_PLAYERS]; /* card x 16 + seat */
    uint16_t ends[ROWS];          /* end x 16 + row */
    unsigned count = 0;
    for (unsigned seat = 0; seat < t->players; seat++) {
        if (!t->laid[seat]) continue;
        uint16_t code = (uint16_t)(t->laid[seat] << 4 | seat);
        unsigned i = count++;
        for (; i > 0 && codes[i - 1] > code; i--) codes[i] = codes[i - 1];
        codes[i] = code;
    }
    for (unsigned row = 0; row < ROWS; row++)
        ends[row] = (uint16_t)(t->row[row][t->row_len[row] - 1] << 4 | row);
    for (unsigned i = 0; i < count; i++) {
        unsigned card = codes[i] >> 4, seat = codes[i] & 15, best = 0;
        for (unsigned row = 0; row < ROWS; row++)
            best = ends[row] < codes[i] && ends[row] > best ? ends[row] : best;
        unsigned row = best & 15;
        if (t->row_len[row] == 5) take(t, seat, row);
        place(t, seat, row);
        ends[row] = (uint16_t)(card << 4 | row);
    }
    t->turn++;
    if (t->hand_len[0]) next_turn(t);
    else end_round(t);
}

int six_apply(Table *t, const uint8_t *values) {
    if (t->phase == DRAFT) return draft(t, values[t->seat]);
    if (t->phase == ROW) {
        unsigned row = values[t->seat];
        if (row >= ROWS) return ILLEGAL - t->seat;
        take(t, t->seat, row);
        place(t, t->seat, row);
        place_all(t);
        return FINE;
    }
    int answer = lay_cards(t, values);
    if (answer != FINE) return answer;
    /* 6-3, 6-4: the low card waits for a free choice of row, with all cards revealed. Only the
     * lowest card of a turn can be one: once it lies, every later card fits it. */
    int lowest = next_laid(t);
    if (target_row(t, t->laid[lowest]) < 0) {
        t->phase = ROW;
        t->seat = (uint8_t)lowest;
    } else {
        place_all(t);
    }
    return FINE;
}
