/* The field policy, and a round that all seats play by it. */
#ifndef NIMMT_FIELD_H
#define NIMMT_FIELD_H

#include "cards.h"
#include "policy.h"

/* By card: how many cards below it may still come. Room for whole vectors, as it changes often. */
typedef struct {
    uint8_t count[112];
} Lower;

/* A round in progress. */
typedef struct {
    Table t;
    Random r;
    Lower lower; /* 6 nimmt!: of the cards that were never laid open */
} Run;

/* The turns of 11 nimmt! that a hand allows. */
typedef struct {
    unsigned piles, singles, several, options;
    unsigned wide_piles, wide_cards;
    uint16_t fits[MOST_PILES]; /* by pile: ten bits, as in piles.h */
    uint16_t wide[MOST_PILES]; /* of those, what the widest play lays */
} Turns;

Lower count_lower(Bits hidden);
void read_turns(Bits hand, const uint8_t *tops, unsigned piles, unsigned held, Turns *turns);
void field_turn(const Turns *turns, const uint8_t *tops, const uint8_t *numbers, Choice *choice);
int is_sensible(const Turns *turns, const uint8_t *tops, const Choice *choice);

/* The points of a seat when its first choice is the given one, if any, and all else the policy's. */
int32_t play_field(const Run *start, const Policy *policy, unsigned viewer, const Choice *first);

#endif
