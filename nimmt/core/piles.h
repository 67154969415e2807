/* What fits on the piles of 11 nimmt!. */
#ifndef NIMMT_PILES_H
#define NIMMT_PILES_H

#include "policy.h"

/* Ten bits: bit k says whether the hand holds the card k + 1 above the top; 1 follows 100. */
static inline unsigned window(Bits hand, unsigned top) {
    unsigned from = top + 1, found;
    if (from >= 64) found = (unsigned)(hand.high >> (from - 64)) & 1023;
    else found = (unsigned)(hand.low >> from | (from > 54 ? hand.high << (64 - from) : 0)) & 1023;
    if (top > 90) {
        unsigned before = 100 - top;
        found &= (1u << before) - 1;
        found |= (unsigned)(hand.low >> 1 & ((UINT64_C(1) << (WINDOW - before)) - 1)) << before;
    }
    return found;
}

static inline unsigned card_at(unsigned top, unsigned gap) {
    unsigned card = top + gap;
    return card > 100 ? card - 100 : card;
}

#endif
