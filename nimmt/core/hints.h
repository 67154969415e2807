/* Guesses by what the others have chosen so far; `hints.py` is the same in Python, number for number.
 *
 * A chain of deals: hidden cards change places, and a change that makes the choices less likely is
 * accepted by its share, so that in the long run deals come by how likely they are. The sums are of
 * whole numbers, exact in a double, and their products stay far below what a double holds. */
#ifndef NIMMT_HINTS_H
#define NIMMT_HINTS_H

#include "policy.h"

#define BURN_IN_SWEEPS 12 /* at the start of a chain, one proposal for each hidden card */

typedef struct {
    const Hint *hint;
    unsigned first[MOST_PLAYERS + 1]; /* where each seat's hints begin */
    unsigned count, in_hands, hidden, players;
    uint8_t cards[HIGHEST];
    uint8_t owner[HIGHEST]; /* of the cards in hands, by position */
    uint8_t from[MOST_PLAYERS + 1];
    double total[MOST_PLAYERS * MOST_HINTS]; /* by hint: the weights of the whole hand */
    Random r;
} Chain;

/* The product of a seat's sums after one card of its hand is exchanged; before, in `old`. */
static inline double exchange(const Chain *c, unsigned seat, unsigned out, unsigned in, double *old) {
    double now = 1.0;
    for (unsigned at = c->first[seat]; at < c->first[seat + 1]; at++) {
        const uint32_t *weight = c->hint[at].weight;
        *old *= c->total[at];
        now *= c->total[at] - weight[out] + weight[in];
    }
    return now;
}

static inline void settle(Chain *c, unsigned seat, unsigned out, unsigned in) {
    for (unsigned at = c->first[seat]; at < c->first[seat + 1]; at++) {
        const uint32_t *weight = c->hint[at].weight;
        c->total[at] = c->total[at] - weight[out] + weight[in];
    }
}

static inline void propose_exchange(Chain *c) {
    unsigned i = below(&c->r, c->in_hands), j = below(&c->r, c->count);
    int in_hand = j < c->in_hands;
    unsigned one = c->owner[i], other = in_hand ? c->owner[j] : MOST_PLAYERS;
    if (one == other) return;
    uint8_t ours = c->cards[i], theirs = c->cards[j];
    double old = 1.0, now = exchange(c, one, ours, theirs, &old);
    if (in_hand) now *= exchange(c, other, theirs, ours, &old);
    if (now > old && unit(&c->r) * now >= old) return;
    settle(c, one, ours, theirs);
    if (in_hand) settle(c, other, theirs, ours);
    c->cards[i] = theirs;
    c->cards[j] = ours;
}

static inline void sweep(Chain *c) {
    for (unsigned left = c->in_hands; left; left--) propose_exchange(c);
}

static inline void start_chain(Chain *c, const Table *known, const uint8_t *unseen, unsigned count,
                               const Hint *hints, unsigned hint_count, uint64_t seed) {
    c->hint = hints;
    c->players = known->players;
    c->count = count;
    c->in_hands = 0;
    c->r = random_stream(seed, 0, 1);
    memcpy(c->cards, unseen, count);
    shuffle(&c->r, c->cards, count, count);
    unsigned at = 0;
    for (unsigned seat = 0; seat < known->players; seat++) {
        c->from[seat] = (uint8_t)c->in_hands;
        for (unsigned i = 0; i < known->hand_len[seat]; i++)
            if (!known->hand[seat][i]) c->owner[c->in_hands++] = (uint8_t)seat;
        c->first[seat] = at;
        for (; at < hint_count && hints[at].seat == seat; at++) {
            c->total[at] = hints[at].base;
            for (unsigned i = c->from[seat]; i < c->in_hands; i++)
                c->total[at] += hints[at].weight[c->cards[i]];
        }
    }
    c->from[known->players] = (uint8_t)c->in_hands;
    c->first[known->players] = at;
    c->hidden = c->in_hands;
    if (known->rules == ELEVEN)
        for (unsigned i = 0; i < known->draw_len; i++) c->hidden += !known->draw[i];
    for (unsigned left = BURN_IN_SWEEPS; left; left--) sweep(c);
}

/* The next deal: the hidden cards of the hands by seat, then of the draw deck. Their order within
 * a hand or the deck is as likely as any other. */
static inline void next_deal(Chain *c, Random *r, uint8_t *dealt) {
    sweep(c);
    memcpy(dealt, c->cards, c->count);
    for (unsigned seat = 0; seat < c->players; seat++) {
        unsigned length = (unsigned)(c->from[seat + 1] - c->from[seat]);
        shuffle(r, dealt + c->from[seat], length, length);
    }
    shuffle(r, dealt + c->in_hands, c->count - c->in_hands, c->hidden - c->in_hands);
}

#endif
