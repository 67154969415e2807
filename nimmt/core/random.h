/* The one random generator of the core; `nimmt/generator.py` is the same in Python, number for number.
 *
 * Numbers of 64 bits are those of splitmix64. A number below n is cut from a fraction of 56 bits:
 * multiplied by n, its whole part is the number and the rest the next fraction. One fraction gives
 * 32 bits' worth of such numbers, so that no number is likelier than another by more than 2^-24.
 */
#ifndef NIMMT_RANDOM_H
#define NIMMT_RANDOM_H

#include <stdint.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)
#define FRACTION_BITS 56
#define FRACTION_WORTH 32

typedef struct {
    uint64_t state;
    uint64_t fraction;
    uint32_t left; /* bits' worth of numbers that the fraction still gives */
} Random;

static inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline Random random_from(uint64_t seed) {
    return (Random){mix(seed + GOLDEN), 0, 0};
}

/* One of many independent streams of a seed. */
static inline Random random_stream(uint64_t seed, uint64_t first, uint64_t second) {
    uint64_t state = mix(seed + GOLDEN);
    state = mix(state + GOLDEN * (first + 1));
    return (Random){mix(state + GOLDEN * (second + 1)), 0, 0};
}

static inline uint64_t next_bits(Random *r) {
    r->state += GOLDEN;
    return mix(r->state);
}

/* 0 <= number < n, for n from 1 to 128. */
static inline unsigned below(Random *r, unsigned n) {
    if (n <= 1) return 0;
    uint32_t width = 32u - (uint32_t)__builtin_clz(n - 1);
    if (r->left < width) {
        r->fraction = next_bits(r) >> (64 - FRACTION_BITS);
        r->left = FRACTION_WORTH;
    }
    r->left -= width;
    uint64_t product = r->fraction * n;
    r->fraction = product & ((UINT64_C(1) << FRACTION_BITS) - 1);
    return (unsigned)(product >> FRACTION_BITS);
}

/* As Python's random(): 53 bits as a number from 0 up to 1. */
static inline double unit(Random *r) {
    return (double)(next_bits(r) >> 11) * 0x1p-53;
}

/* int(random() * n), which is how the simple players choose. */
static inline unsigned below_unit(Random *r, unsigned n) {
    return (unsigned)(unit(r) * n);
}

/* Bring random cards to the front: a forward Fisher-Yates shuffle of the first `take`. */
static inline void shuffle(Random *r, uint8_t *cards, unsigned count, unsigned take) {
    for (unsigned i = 0; i < take; i++) {
        unsigned j = i + below(r, count - i);
        uint8_t card = cards[i];
        cards[i] = cards[j];
        cards[j] = card;
    }
}

#endif
