/* What a turn of 6 nimmt! does to rows that are known by their ends alone: all that a rollout needs. */
#ifndef NIMMT_ENDS_H
#define NIMMT_ENDS_H

#include "policy.h"

/* A low card takes a row, which becomes the lowest one. */
static inline void take_low(Ends *e, unsigned at, unsigned card, unsigned seat, int32_t *points) {
    uint8_t row = e->row[at];
    points[seat] += e->cost[at];
    for (; at > 0; at--) {
        e->tail[at] = e->tail[at - 1];
        e->room[at] = e->room[at - 1];
        e->cost[at] = e->cost[at - 1];
        e->row[at] = e->row[at - 1];
    }
    e->tail[0] = (uint8_t)card;
    e->room[0] = 4;
    e->cost[0] = HEADS[card];
    e->row[0] = row;
}

/* A card goes to the row that it fits; the sixth takes the row. */
static inline void place_at(Ends *e, unsigned at, unsigned card, unsigned seat, int32_t *points) {
    int takes = !e->room[at];
    points[seat] += takes ? e->cost[at] : 0;
    e->tail[at] = (uint8_t)card;
    e->room[at] = (uint8_t)(takes ? 4 : e->room[at] - 1);
    e->cost[at] = (uint8_t)((takes ? 0 : e->cost[at]) + HEADS[card]);
}

/* The cards of a turn, each as card x 16 + seat, lowest first. */
static inline void sort_turn(uint16_t *turn, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        uint16_t code = turn[i];
        unsigned j = i;
        for (; j > 0 && turn[j - 1] > code; j--) turn[j] = turn[j - 1];
        turn[j] = code;
    }
}

#endif
