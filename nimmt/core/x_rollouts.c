/* Playouts of X nimmt!. A low card takes the cheapest row, the X card is the lowest taken card that
 * fits, else the lowest; which card is laid is up to the policies. */
#include "rollouts.h"
#include "rows.h"

void x_guess(const Search *s, const uint8_t *dealt, Random *r, XGuess *g) {
    const Table *t = s->known;
    (void)r; /* Cards are drawn as they are laid. */
    g->ends.count = 3;
    g->ends.tail[3] = 255;
    for (unsigned row = 0; row < 3; row++) {
        unsigned end = t->row[row][t->row_len[row] - 1], at = 0;
        for (unsigned other = 0; other < 3; other++)
            at += t->row[other][t->row_len[other] - 1] < end;
        g->position[row] = (uint8_t)at;
        g->holds[at] = (uint8_t)row_holds(t, row);
        g->length[at] = t->row_len[row];
        memcpy(g->cards[at], t->row[row], ROW_ROOM);
        g->ends.tail[at] = (uint8_t)end;
        g->ends.room[at] = (uint8_t)(g->holds[at] - t->row_len[row]);
        g->ends.cost[at] = (uint8_t)heads_of(t->row[row], t->row_len[row]);
    }
    g->hidden = (Bits){0, 0};
    for (unsigned i = 0; i < s->unseen_count; i++) add_bit(&g->hidden, s->unseen[i]);
    for (unsigned seat = 0; seat < t->players; seat++) {
        g->hand_len[seat] = t->hand_len[seat];
        fill_hidden(t->hand[seat], t->hand_len[seat], &dealt, g->hand[seat]);
        for (unsigned i = 0; i < g->hand_len[seat]; i++) add_bit(&g->hidden, g->hand[seat][i]);
        unsigned length = t->x_row_len[seat];
        g->x_last[seat] = length ? t->x_row[seat][length - 1] : 0;
        g->x_heads[seat] = heads_of(t->x_row[seat], length);
        g->piled[seat] = heads_of(t->x_pile[seat], t->x_pile_len[seat]);
    }
}

/* The cards of a taken row: `chosen` to the X row, or the lowest one that fits; the rest in hand. */
static void gain(XGuess *g, unsigned seat, const uint8_t *taken, unsigned count, unsigned chosen) {
    unsigned last = g->x_last[seat];
    if (!chosen) {
        chosen = taken[0];
        for (unsigned i = 0; i < count; i++)
            if (taken[i] > last) {
                chosen = taken[i];
                break;
            }
    }
    for (unsigned i = 0; i < count; i++)
        if (taken[i] != chosen) g->hand[seat][g->hand_len[seat]++] = taken[i];
    if (chosen < last) {
        g->piled[seat] += g->x_heads[seat];
        g->x_heads[seat] = 0;
    }
    g->x_last[seat] = (uint8_t)chosen;
    g->x_heads[seat] += HEADS[chosen];
}

static void restart(XGuess *g, unsigned at, unsigned card) {
    g->cards[at][0] = (uint8_t)card;
    g->length[at] = 1;
    g->ends.tail[at] = (uint8_t)card;
    g->ends.room[at] = (uint8_t)(g->holds[at] - 1);
    g->ends.cost[at] = HEADS[card];
}

static void place_low(XGuess *g, unsigned seat, unsigned card, unsigned at) {
    uint8_t taken[ROW_ROOM], holds = g->holds[at];
    unsigned count = g->length[at];
    memcpy(taken, g->cards[at], ROW_ROOM);
    for (; at > 0; at--) {
        memcpy(g->cards[at], g->cards[at - 1], ROW_ROOM);
        g->length[at] = g->length[at - 1];
        g->holds[at] = g->holds[at - 1];
        g->ends.tail[at] = g->ends.tail[at - 1];
        g->ends.room[at] = g->ends.room[at - 1];
        g->ends.cost[at] = g->ends.cost[at - 1];
    }
    g->holds[0] = holds;
    restart(g, 0, card);
    gain(g, seat, taken, count, 0);
}

static void place(XGuess *g, unsigned seat, unsigned card) {
    int at = find_end(&g->ends, card);
    if (at < 0) {
        place_low(g, seat, card, cheapest_end(&g->ends));
    } else if (!g->ends.room[at]) {
        uint8_t taken[ROW_ROOM];
        unsigned count = g->length[at];
        memcpy(taken, g->cards[at], ROW_ROOM);
        restart(g, (unsigned)at, card);
        gain(g, seat, taken, count, 0);
    } else {
        g->cards[at][g->length[at]++] = (uint8_t)card;
        g->ends.tail[at] = (uint8_t)card;
        g->ends.room[at]--;
        g->ends.cost[at] = (uint8_t)(g->ends.cost[at] + HEADS[card]);
    }
}

static unsigned choose(const Search *s, const XGuess *g, unsigned seat, Random *r) {
    const Policy *policy = policy_of(s, seat);
    const uint8_t *hand = g->hand[seat];
    unsigned count = g->hand_len[seat];
    if (policy->kind == UNIFORM) return below(r, count);
    uint8_t levels[X_ROOM];
    Looker who = look(g->hidden, hand, count, s->known->players - 1u);
    for (unsigned i = 0; i < count; i++)
        levels[i] = (uint8_t)level_of(policy, &g->ends, &who, hand[i]);
    return pick(policy, levels, count, r);
}

/* Laid cards by seat, 0 for none, are placed in ascending order. */
static void place_all(XGuess *g, uint8_t *laid, unsigned players) {
    for (;;) {
        unsigned found = players;
        for (unsigned seat = 0; seat < players; seat++)
            if (laid[seat] && (found == players || laid[seat] < laid[found])) found = seat;
        if (found == players) return;
        place(g, found, laid[found]);
        laid[found] = 0;
    }
}

void x_run(const Search *s, const XGuess *start, Random r, const Choice *first, int32_t *points) {
    const Table *t = s->known;
    XGuess run = *start, *g = &run;
    uint8_t laid[X_PLAYERS];
    memcpy(laid, t->laid, sizeof laid);
    unsigned card = t->phase == CARD ? first->value : 0;
    if (t->phase == X_CARD) {
        gain(g, t->seat, t->taken, t->taken_len, first->value);
    } else if (t->phase == ROW) {
        place_low(g, t->seat, laid[t->seat], g->position[first->value]);
        laid[t->seat] = 0;
    }
    for (;;) {
        place_all(g, laid, t->players);
        int over = 0;
        for (unsigned seat = 0; seat < t->players; seat++) over |= !g->hand_len[seat];
        if (over) break;
        for (unsigned seat = 0; seat < t->players; seat++) {
            uint8_t *hand = g->hand[seat];
            unsigned at;
            if (card && seat == t->seat) at = (unsigned)find_card(hand, g->hand_len[seat], card);
            else if (card && is_expected(s, seat))
                at = pick_expected(s, seat, hand, g->hand_len[seat], &r);
            else at = choose(s, g, seat, &r);
            laid[seat] = hand[at];
            hand[at] = hand[--g->hand_len[seat]];
        }
        for (unsigned seat = 0; seat < t->players; seat++) drop_bit(&g->hidden, laid[seat]);
        card = 0;
    }
    for (unsigned seat = 0; seat < t->players; seat++)
        points[seat] = heads_of(g->hand[seat], g->hand_len[seat]) + 2 * g->piled[seat];
}
