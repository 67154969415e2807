/* Playouts of 11 nimmt!. Whoever can play does, with bull cards all that fits on as many piles; who
 * cannot play takes a pile. Which pile and which card is up to the policies. */
#include "piles.h"
#include "rollouts.h"
#include "rows.h"

void eleven_guess(const Search *s, const uint8_t *dealt, Random *r, ElevenGuess *g) {
    const Table *t = s->known;
    (void)r; /* Turns are drawn as they come. */
    for (unsigned seat = 0; seat < t->players; seat++) {
        uint8_t hand[HIGHEST];
        fill_hidden(t->hand[seat], t->hand_len[seat], &dealt, hand);
        g->hand[seat] = (Bits){0, 0};
        for (unsigned i = 0; i < t->hand_len[seat]; i++) add_bit(&g->hand[seat], hand[i]);
        g->points[seat] = heads_of(hand, t->hand_len[seat]);
        g->held[seat] = t->bull_cards[seat];
    }
    g->bull_pool = t->bull_pool;
    g->draw_at = 0;
    g->draw_len = t->draw_len;
    fill_hidden(t->draw, t->draw_len, &dealt, g->draw);
    g->pile_count = t->pile_count;
    for (unsigned at = 0; at < t->pile_count; at++) {
        g->top[at] = t->pile_top[at];
        g->length[at] = t->pile_len[at];
        g->pile[at] = (Bits){0, 0};
        g->heads[at] = 0;
        for (unsigned card = t->pile_top[at]; card; card = t->under[card]) {
            add_bit(&g->pile[at], card);
            g->heads[at] = (uint8_t)(g->heads[at] + HEADS[card]);
        }
    }
}

/* The level of a card that lies this far above a top: near, or dear, is good. */
static unsigned card_level(const Policy *p, unsigned top, unsigned gap) {
    return p->feature == GAP ? gap - 1 : 7u - HEADS[card_at(top, gap)];
}

static unsigned pile_level(const Policy *p, unsigned top, unsigned fits) {
    unsigned best = MOST_LEVELS - 1;
    for (unsigned gap = 1; fits; gap++, fits >>= 1)
        if (fits & 1) {
            unsigned level = card_level(p, top, gap);
            if (level < best) best = level;
        }
    return best;
}

static void lay(ElevenGuess *g, unsigned seat, unsigned at, unsigned card) {
    drop_bit(&g->hand[seat], card);
    add_bit(&g->pile[at], card);
    g->top[at] = (uint8_t)card;
    g->length[at]++;
    g->heads[at] = (uint8_t)(g->heads[at] + HEADS[card]);
    g->points[seat] -= HEADS[card];
}

static void lay_all(ElevenGuess *g, unsigned seat, unsigned at, unsigned fits) {
    unsigned top = g->top[at];
    for (unsigned gap = 1; fits; gap++, fits >>= 1)
        if (fits & 1) lay(g, seat, at, card_at(top, gap));
}

static void steal(ElevenGuess *g, unsigned players, unsigned seat, unsigned victim) {
    if (victim == players) {
        unsigned most = 0;
        for (unsigned other = 0; other < players; other++)
            if (other != seat && g->held[other] > most) {
                most = g->held[other];
                victim = other;
            }
        if (!most) return;
    }
    g->held[victim]--;
    g->held[seat]++;
}

static void open_pile(ElevenGuess *g) {
    unsigned at = g->pile_count++, card = g->draw[g->draw_at++];
    g->top[at] = (uint8_t)card;
    g->length[at] = 1;
    g->heads[at] = HEADS[card];
    g->pile[at] = (Bits){0, 0};
    add_bit(&g->pile[at], card);
}

/* Two new piles, or the last one; says whether the deck has run out. */
static int reveal(ElevenGuess *g) {
    open_pile(g);
    if (g->draw_at < g->draw_len) open_pile(g);
    return g->draw_at == g->draw_len;
}

static int take(ElevenGuess *g, unsigned players, unsigned seat, unsigned at) {
    unsigned length = g->length[at], after = g->pile_count - at - 1;
    g->hand[seat].low |= g->pile[at].low;
    g->hand[seat].high |= g->pile[at].high;
    g->points[seat] += g->heads[at];
    memmove(g->top + at, g->top + at + 1, after);
    memmove(g->length + at, g->length + at + 1, after);
    memmove(g->heads + at, g->heads + at + 1, after);
    memmove(g->pile + at, g->pile + at + 1, after * sizeof(Bits));
    g->pile_count--;
    if (length >= BULL_FROM) {
        if (g->bull_pool) {
            g->bull_pool--;
            g->held[seat]++;
        } else {
            steal(g, players, seat, players);
        }
    }
    return reveal(g);
}

/* One of the piles that some card fits on. */
static unsigned pick_pile(const Policy *p, const ElevenGuess *g, const uint8_t *piles,
                          const uint16_t *fits, unsigned count, Random *r) {
    uint8_t levels[MOST_PILES];
    for (unsigned i = 0; i < count && p->kind != UNIFORM; i++)
        levels[i] = (uint8_t)pile_level(p, g->top[piles[i]], fits[i]);
    return pick(p, levels, count, r);
}

/* The gap of one of the cards that fit on a pile. */
static unsigned pick_gap(const Policy *p, unsigned top, unsigned fits, Random *r) {
    uint8_t gaps[WINDOW], levels[WINDOW];
    unsigned count = 0;
    for (unsigned gap = 1; fits; gap++, fits >>= 1)
        if (fits & 1) {
            gaps[count] = (uint8_t)gap;
            levels[count++] = (uint8_t)card_level(p, top, gap);
        }
    return gaps[pick(p, levels, count, r)];
}

static unsigned pick_take(const Policy *p, const ElevenGuess *g, Random *r) {
    uint8_t levels[MOST_PILES];
    for (unsigned at = 0; at < g->pile_count && p->kind != UNIFORM; at++)
        levels[at] = g->heads[at] < MOST_LEVELS ? g->heads[at] : MOST_LEVELS - 1;
    return pick(p, levels, g->pile_count, r);
}

/* One turn; says whether the round is over. */
static int take_turn(const Search *s, ElevenGuess *g, unsigned seat, Random *r) {
    const Policy *p = policy_of(s, seat);
    uint8_t piles[MOST_PILES];
    uint16_t fits[MOST_PILES];
    unsigned count = 0;
    Bits *hand = &g->hand[seat];
    for (unsigned at = 0; at < g->pile_count; at++) {
        unsigned found = window(*hand, g->top[at]);
        piles[count] = (uint8_t)at;
        fits[count] = (uint16_t)found;
        count += found != 0;
    }
    if (!count) return take(g, s->known->players, seat, pick_take(p, g, r));
    if (!g->held[seat]) {
        unsigned i = pick_pile(p, g, piles, fits, count, r), top = g->top[piles[i]];
        lay(g, seat, piles[i], card_at(top, pick_gap(p, top, fits[i], r)));
        return !(hand->low | hand->high);
    }
    for (unsigned bulls = g->held[seat]; bulls && count; bulls--) {
        unsigned i = pick_pile(p, g, piles, fits, count, r);
        lay_all(g, seat, piles[i], fits[i]);
        /* The piles that are left, as far as the cards left in the hand still fit. */
        unsigned kept = 0;
        for (unsigned j = 0; j < count; j++) {
            unsigned found = j == i ? 0 : window(*hand, g->top[piles[j]]);
            piles[kept] = piles[j];
            fits[kept] = (uint16_t)found;
            kept += found != 0;
        }
        count = kept;
    }
    return !(hand->low | hand->high);
}

/* The candidate, as a turn or a steal; says whether the round is over. */
static int take_first(const Table *t, ElevenGuess *g, const Choice *first) {
    if (t->phase == STEAL) {
        steal(g, t->players, t->seat, first->value);
        return reveal(g);
    }
    if (first->what == TAKE) return take(g, t->players, t->seat, first->value);
    unsigned fits[MOST_PILES] = {0};
    for (unsigned card = 1; card <= 100; card++)
        if (first->on[card]) {
            unsigned at = first->on[card] - 1u;
            fits[at] |= 1u << ((card + 100u - g->top[at]) % 100u - 1);
        }
    for (unsigned at = 0; at < t->pile_count; at++) lay_all(g, t->seat, at, fits[at]);
    return !(g->hand[t->seat].low | g->hand[t->seat].high);
}

void eleven_run(const Search *s, const ElevenGuess *start, Random r, const Choice *first,
                int32_t *points) {
    const Table *t = s->known;
    ElevenGuess run = *start, *g = &run;
    unsigned seat = t->seat;
    int over = take_first(t, g, first);
    while (!over) {
        seat = (seat + 1) % t->players;
        over = take_turn(s, g, seat, &r);
    }
    memcpy(points, g->points, sizeof g->points);
}
