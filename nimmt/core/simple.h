/* The simple players, in the order of `SIMPLE` in `nimmt/simple.py`. */
#ifndef NIMMT_SIMPLE_H
#define NIMMT_SIMPLE_H

#include "core.h"
#include "random.h"

enum { RANDOM, HOUSE, HIGHEST_PLAYER, GREEDY_PLAYER, TAKER, HOARDER, SIMPLE_PLAYERS };

unsigned legal_numbers(const Table *t, unsigned seat, uint8_t numbers[HIGHEST]);

/* A choice for everybody who is asked, each with its own random numbers. */
void choose_simply(const Table *t, const uint8_t *players, Random *r, uint8_t *values,
                   Choice *choice);

#endif
