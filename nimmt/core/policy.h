/* How seats choose in rollouts; `policies.py` is the same in Python, choice for choice. */
#ifndef NIMMT_POLICY_H
#define NIMMT_POLICY_H

#include "core.h"
#include "random.h"

/* A set of cards. */
typedef struct {
    uint64_t low, high;
} Bits;

static inline void add_bit(Bits *b, unsigned card) {
    if (card < 64) b->low |= UINT64_C(1) << card;
    else b->high |= UINT64_C(1) << (card - 64);
}

static inline void drop_bit(Bits *b, unsigned card) {
    if (card < 64) b->low &= ~(UINT64_C(1) << card);
    else b->high &= ~(UINT64_C(1) << (card - 64));
}

/* The cards below this one. */
static inline Bits below_card(unsigned card) {
    if (card < 64) return (Bits){(UINT64_C(1) << card) - 1, 0};
    return (Bits){UINT64_MAX, (UINT64_C(1) << (card - 64)) - 1};
}

/* Both words are counted together, in sums of two, four and eight bits. A processor can do this at
 * once, but not every processor that a wheel may meet. */
static inline unsigned count_bits(Bits b) {
    const uint64_t ones = UINT64_C(0x5555555555555555), twos = UINT64_C(0x3333333333333333);
    uint64_t low = b.low - (b.low >> 1 & ones), high = b.high - (b.high >> 1 & ones);
    low = (low & twos) + (low >> 2 & twos) + (high & twos) + (high >> 2 & twos);
    low = (low & UINT64_C(0x0f0f0f0f0f0f0f0f)) + (low >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f));
    return (unsigned)(low * UINT64_C(0x0101010101010101) >> 56);
}

/* Rows by their ends, ascending: a card finds its row by counting the ends below it. */
typedef struct {
    uint8_t count;
    uint8_t tail[ROWS]; /* 255 for a row that the game does not have: no card goes there */
    uint8_t room[ROWS]; /* how many more cards the row can hold */
    uint8_t cost[ROWS]; /* its heads */
    uint8_t row[ROWS];  /* its number on the table */
} Ends;

static inline int find_end(const Ends *e, unsigned card) {
    int at = -1;
    for (unsigned i = 0; i < ROWS; i++) at += e->tail[i] < card;
    return at;
}

static inline unsigned cheapest_end(const Ends *e) {
    unsigned found = 0;
    for (unsigned i = 1; i < e->count; i++)
        if (e->cost[i] < e->cost[found]) found = i;
    return found;
}

/* Who looks at a hand: what it cannot see, and how likely such a card is to come in this turn. */
typedef struct {
    Bits hidden; /* cards that lie in hands or were not dealt, its own hand left out */
    unsigned chance; /* 8 x 2^16 x the number of others / the number of hidden cards */
} Looker;

static inline Looker look(Bits hidden, const uint8_t *hand, unsigned count, unsigned others) {
    for (unsigned i = 0; i < count; i++) drop_bit(&hidden, hand[i]);
    unsigned unseen = count_bits(hidden);
    return (Looker){hidden, unseen ? (others * 8 << 16) / unseen : 0};
}

static inline unsigned slot_risk(const Policy *p, const Ends *e, const Looker *who, unsigned card,
                                 unsigned at) {
    Bits upto = below_card(card), from = below_card(e->tail[at] + 1u);
    Bits gap = {who->hidden.low & upto.low & ~from.low, who->hidden.high & upto.high & ~from.high};
    unsigned expected = count_bits(gap) * who->chance >> 16;
    return p->risk[e->room[at]][expected > 63 ? 63 : expected] * (unsigned)e->cost[at] >> 6;
}

/* How bad it is to lay this card now, from 0 to 127. */
static inline unsigned level_of(const Policy *p, const Ends *e, const Looker *who, unsigned card) {
    int at = find_end(e, card);
    unsigned row = at < 0 ? cheapest_end(e) : (unsigned)at;
    unsigned takes = at < 0 || !e->room[row], cost = e->cost[row], level;
    if (p->feature == GAP)
        level = takes ? 103 + (cost > 24 ? 24 : cost) : card - e->tail[row] - 1u;
    else if (p->feature == COST)
        level = takes ? cost : 0;
    else
        level = at < 0 ? 255 * cost >> 6 : slot_risk(p, e, who, card, row);
    level = p->shape[level > MOST_LEVELS - 1 ? MOST_LEVELS - 1 : level] + p->prior[card];
    return level > MOST_LEVELS - 1 ? MOST_LEVELS - 1 : level;
}

/* One of the options by their levels; a single one is taken without a random number. */
static inline unsigned pick(const Policy *p, const uint8_t *levels, unsigned count, Random *r) {
    if (count <= 1) return 0;
    if (p->kind == UNIFORM) return below(r, count);
    unsigned best = 0;
    for (unsigned i = 1; i < count; i++)
        if (levels[i] < levels[best]) best = i;
    if (p->kind == GREEDY) return next_bits(r) >> 32 < p->epsilon ? below(r, count) : best;
    uint64_t total = 0;
    for (unsigned i = 0; i < count; i++) total += p->weight[levels[i] - levels[best]];
    uint64_t drawn = (next_bits(r) >> 32) * total >> 32;
    unsigned i = 0;
    for (; i + 1 < count; i++) {
        uint64_t weight = p->weight[levels[i] - levels[best]];
        if (drawn < weight) break;
        drawn -= weight;
    }
    return i;
}

/* What a rollout starts from. */
typedef struct {
    const Table *known;
    const uint8_t *unseen;
    unsigned unseen_count;
    const Policy *own, *others;
    const Expected *expected; /* by seat, or nothing */
} Search;

static inline const Policy *policy_of(const Search *s, unsigned seat) {
    return seat == s->known->seat ? s->own : s->others;
}

static inline int is_expected(const Search *s, unsigned seat) {
    return s->expected && s->expected[seat].known && seat != s->known->seat;
}

/* The card that a seat lays right now, by what is expected of it. */
static inline unsigned pick_expected(const Search *s, unsigned seat, const uint8_t *hand,
                                     unsigned count, Random *r) {
    const uint32_t *weight = s->expected[seat].weight;
    uint64_t total = 0;
    for (unsigned i = 0; i < count; i++) total += weight[hand[i]];
    uint64_t drawn = (next_bits(r) >> 32) * total >> 32;
    unsigned i = 0;
    for (; i + 1 < count && drawn >= weight[hand[i]]; i++) drawn -= weight[hand[i]];
    return i;
}

/* Deal the hidden cards of a zone from the shuffled unseen ones; says whether all were hidden. */
static inline int fill_hidden(const uint8_t *cards, unsigned count, const uint8_t **dealt,
                              uint8_t *out) {
    int all = 1;
    for (unsigned i = 0; i < count; i++) {
        if (!cards[i]) {
            out[i] = *(*dealt)++;
        } else {
            out[i] = cards[i];
            all = 0;
        }
    }
    return all;
}

#endif
