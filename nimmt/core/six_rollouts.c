/* Playouts of 6 nimmt!. A low card takes the cheapest row; all else is up to the policies.
 *
 * A seat that plays uniformly plays its hand in a random order that is drawn with the guess. The
 * candidate changes places with the card that would have come first, so that all other turns are
 * the same for all candidates, and are put in order once. */
#include "ends.h"
#include "rollouts.h"
#include "rows.h"

static void start_ends(Ends *e, const uint8_t *cards) {
    e->count = ROWS;
    for (unsigned i = 0; i < ROWS; i++) {
        e->tail[i] = cards[i];
        e->room[i] = 4;
        e->cost[i] = HEADS[cards[i]];
        e->row[i] = (uint8_t)i;
    }
}

/* The rows of the table by their ends. */
static void read_rows(const Table *t, SixGuess *g) {
    g->ends.count = ROWS;
    for (unsigned row = 0; row < ROWS; row++) {
        unsigned end = t->row[row][t->row_len[row] - 1], at = 0;
        for (unsigned other = 0; other < ROWS; other++)
            at += t->row[other][t->row_len[other] - 1] < end;
        g->position[row] = (uint8_t)at;
        g->ends.tail[at] = (uint8_t)end;
        g->ends.row[at] = (uint8_t)row;
        g->ends.room[at] = (uint8_t)(5 - t->row_len[row]);
        g->ends.cost[at] = (uint8_t)heads_of(t->row[row], t->row_len[row]);
    }
}

static inline void place(Ends *e, unsigned code, int32_t *points) {
    unsigned card = code >> 4;
    int at = find_end(e, card);
    /* Only the lowest card of a turn can be a low one. */
    if (at < 0) take_low(e, cheapest_end(e), card, code & 15, points);
    else place_at(e, (unsigned)at, card, code & 15, points);
}

static void read_turn(uint8_t order[][HAND_SIZE], unsigned players, unsigned at, uint16_t *turn) {
    for (unsigned seat = 0; seat < players; seat++)
        turn[seat] = (uint16_t)(order[seat][at] << 4 | seat);
    sort_turn(turn, players);
}

static int all_uniform(const Search *s) {
    return s->own->kind == UNIFORM && s->others->kind == UNIFORM && !s->expected;
}

void six_guess(const Search *s, const uint8_t *dealt, Random *r, SixGuess *g) {
    const Table *t = s->known;
    if (t->phase == DRAFT) {
        memcpy(g->pool, t->pool, t->pool_len);
        shuffle(r, g->pool, t->pool_len, t->pool_len);
        for (unsigned seat = 0; seat < t->players; seat++) {
            for (unsigned i = 0; i < HAND_SIZE; i++) g->order[seat][i] = (uint8_t)i;
            shuffle(r, g->order[seat], HAND_SIZE, HAND_SIZE);
        }
        return;
    }
    g->length = t->hand_len[0];
    for (unsigned seat = 0; seat < t->players; seat++)
        /* A hand that was dealt just now is in a random order already. */
        if (!fill_hidden(t->hand[seat], g->length, &dealt, g->order[seat]))
            shuffle(r, g->order[seat], g->length, g->length);
    read_rows(t, g);
    if (all_uniform(s)) {
        for (unsigned at = 0; at < g->length; at++)
            read_turn(g->order, t->players, at, g->turns[at]);
        return;
    }
    g->hidden = (Bits){0, 0};
    for (unsigned i = 0; i < s->unseen_count; i++) add_bit(&g->hidden, s->unseen[i]);
    for (unsigned seat = 0; seat < t->players; seat++)
        for (unsigned i = 0; i < g->length; i++) add_bit(&g->hidden, g->order[seat][i]);
}

/* Random picks to the end of the draft, beginning with the candidate. */
static void finish_draft(const Search *s, const SixGuess *g, unsigned first, SixGuess *out) {
    const Table *t = s->known;
    uint8_t hands[MOST_PLAYERS][HIGHEST];
    uint8_t pool[HIGHEST], count[MOST_PLAYERS];
    memcpy(pool, g->pool, t->pool_len);
    pool[find_card(pool, t->pool_len, first)] = pool[0];
    pool[0] = (uint8_t)first;
    for (unsigned seat = 0; seat < t->players; seat++) {
        count[seat] = t->hand_len[seat];
        memcpy(hands[seat], t->hand[seat], count[seat]);
    }
    unsigned seat = t->seat, picks = t->pool_len - ROWS;
    for (unsigned i = 0; i < picks; i++) {
        hands[seat][count[seat]++] = pool[i];
        seat = (seat + 1) % t->players;
    }
    sort_cards(pool + picks, ROWS);
    start_ends(&out->ends, pool + picks);
    out->length = HAND_SIZE;
    out->hidden = (Bits){0, 0};
    for (seat = 0; seat < t->players; seat++)
        for (unsigned i = 0; i < HAND_SIZE; i++) {
            out->order[seat][i] = hands[seat][g->order[seat][i]];
            add_bit(&out->hidden, out->order[seat][i]);
        }
    for (unsigned at = 0; at < HAND_SIZE && all_uniform(s); at++)
        read_turn(out->order, t->players, at, out->turns[at]);
}

static unsigned choose(const Search *s, const Ends *e, unsigned seat, Bits hidden,
                       const uint8_t *hand, unsigned count, Random *r) {
    uint8_t levels[HAND_SIZE];
    Looker who = look(hidden, hand, count, s->known->players - 1u);
    for (unsigned i = 0; i < count; i++)
        levels[i] = (uint8_t)level_of(policy_of(s, seat), e, &who, hand[i]);
    return pick(policy_of(s, seat), levels, count, r);
}

/* Turn by turn, as at least one seat looks at the rows. */
static void play_looking(const Search *s, SixGuess *g, Ends *e, Random *r, unsigned first,
                         int32_t *points) {
    unsigned players = s->known->players;
    for (unsigned turn = 0; turn < g->length; turn++) {
        uint16_t codes[MOST_PLAYERS];
        unsigned left = g->length - turn;
        for (unsigned seat = 0; seat < players; seat++) {
            /* Uniform play takes what comes first; a chosen card's place is closed up. */
            uint8_t *hand = g->order[seat];
            unsigned at = 0;
            if (turn == 0 && first && seat == s->known->seat)
                at = (unsigned)find_card(hand, left, first);
            else if (turn == 0 && first && is_expected(s, seat))
                at = pick_expected(s, seat, hand, left, r);
            else if (policy_of(s, seat)->kind != UNIFORM)
                at = choose(s, e, seat, g->hidden, hand, left, r);
            codes[seat] = (uint16_t)(hand[at] << 4 | seat);
            memmove(hand + at, hand + at + 1, left - at - 1);
        }
        for (unsigned seat = 0; seat < players; seat++) drop_bit(&g->hidden, codes[seat] >> 4);
        sort_turn(codes, players);
        for (unsigned i = 0; i < players; i++) place(e, codes[i], points);
    }
}

/* Every turn is in order already, but for the two in which the candidate has changed places. */
static void play_uniform(const Search *s, const SixGuess *g, Ends *e, unsigned first,
                         int32_t *points) {
    unsigned players = s->known->players, own = s->known->seat, changed = HAND_SIZE;
    uint16_t begin[MOST_PLAYERS], later[MOST_PLAYERS];
    if (first && first != g->order[own][0]) {
        changed = (unsigned)find_card(g->order[own], g->length, first);
        memcpy(begin, g->turns[0], sizeof begin);
        memcpy(later, g->turns[changed], sizeof later);
        for (unsigned i = 0; i < players; i++) {
            if ((begin[i] & 15) == own) begin[i] = (uint16_t)(first << 4 | own);
            if ((later[i] & 15) == own) later[i] = (uint16_t)(g->order[own][0] << 4 | own);
        }
        sort_turn(begin, players);
        sort_turn(later, players);
    }
    for (unsigned turn = 0; turn < g->length; turn++) {
        const uint16_t *codes = g->turns[turn];
        if (changed < HAND_SIZE && (turn == 0 || turn == changed)) codes = turn ? later : begin;
        for (unsigned i = 0; i < players; i++) place(e, codes[i], points);
    }
}

/* The low card takes its row, and the other cards of the turn follow. */
static void place_turn(const Table *t, const SixGuess *g, Ends *e, unsigned row, int32_t *points) {
    uint16_t codes[MOST_PLAYERS];
    for (unsigned seat = 0; seat < t->players; seat++)
        codes[seat] = (uint16_t)(t->laid[seat] << 4 | seat);
    sort_turn(codes, t->players);
    take_low(e, g->position[row], codes[0] >> 4, codes[0] & 15, points);
    for (unsigned i = 1; i < t->players; i++) place(e, codes[i], points);
}

void six_run(const Search *s, const SixGuess *g, Random r, const Choice *first, int32_t *points) {
    const Table *t = s->known;
    SixGuess own;
    unsigned card = t->phase == CARD ? first->value : 0;
    memcpy(points, t->points, sizeof t->points);
    if (t->phase == DRAFT) {
        finish_draft(s, g, first->value, &own);
        g = &own;
    } else if (!all_uniform(s)) {
        own = *g;
    }
    Ends e = g->ends;
    if (t->phase == ROW) place_turn(t, g, &e, first->value, points);
    if (all_uniform(s)) play_uniform(s, g, &e, card, points);
    else play_looking(s, &own, &e, &r, card, points);
}
