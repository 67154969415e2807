/* Short lists of cards. */
#ifndef NIMMT_CARDS_H
#define NIMMT_CARDS_H

#include "core.h"

static inline void sort_cards(uint8_t *cards, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        uint8_t card = cards[i];
        unsigned j = i;
        for (; j > 0 && cards[j - 1] > card; j--) cards[j] = cards[j - 1];
        cards[j] = card;
    }
}

/* Where the card stands in the list, or -1. To look at all of a short list is quicker than to leave
 * it at a place that no processor can foresee. */
static inline int find_card(const uint8_t *cards, unsigned count, unsigned card) {
    int found = -1;
    for (unsigned i = 0; i < count; i++) found = cards[i] == card ? (int)i : found;
    return found;
}

/* From a list with room for HIGHEST cards. */
static inline void drop_card(uint8_t *cards, uint8_t *count, unsigned at) {
    if (*count <= 16) {
        /* Two copies of a fixed length are quicker than one call; what lies behind is nothing. */
        uint8_t rest[16];
        memcpy(rest, cards + at + 1, sizeof rest);
        memcpy(cards + at, rest, sizeof rest);
    } else {
        memmove(cards + at, cards + at + 1, *count - at - 1u);
    }
    --*count;
}

static inline void add_sorted(uint8_t *cards, uint8_t *count, unsigned card) {
    unsigned i = *count;
    for (; i > 0 && cards[i - 1] > card; i--) cards[i] = cards[i - 1];
    cards[i] = (uint8_t)card;
    ++*count;
}

static inline int heads_of(const uint8_t *cards, unsigned count) {
    int heads = 0;
    for (unsigned i = 0; i < count; i++) heads += HEADS[cards[i]];
    return heads;
}

#endif
