/* Deals and bot seeds from a key: hmac-sha256/1, as in `nimmt/keys.py`. */
#include <stdio.h>

#include "core.h"

typedef struct {
    uint32_t h[8];
} Digest;

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static const Digest START = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                              0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};

static uint32_t turn_right(uint32_t x, unsigned bits) {
    return x >> bits | x << (32 - bits);
}

static void compress(Digest *d, const uint8_t block[64]) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn_right(a, 7) ^ turn_right(a, 18) ^ a >> 3) + w[i - 7] +
               (turn_right(b, 17) ^ turn_right(b, 19) ^ b >> 10);
    }
    uint32_t v[8];
    memcpy(v, d->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t e = v[4], a = v[0];
        uint32_t first = v[7] + (turn_right(e, 6) ^ turn_right(e, 11) ^ turn_right(e, 25)) +
                         ((e & v[5]) ^ (~e & v[6])) + K[i] + w[i];
        uint32_t second = (turn_right(a, 2) ^ turn_right(a, 13) ^ turn_right(a, 22)) +
                          ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        v[7] = v[6], v[6] = v[5], v[5] = e, v[4] = v[3] + first;
        v[3] = v[2], v[2] = v[1], v[1] = a, v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) d->h[i] += v[i];
}

static void digest_bytes(const Digest *d, uint8_t out[32]) {
    for (int i = 0; i < 8; i++)
        for (int byte = 0; byte < 4; byte++)
            out[4 * i + byte] = (uint8_t)(d->h[i] >> (24 - 8 * byte));
}

/* SHA-256 of at most 55 bytes, which come after `before` bytes that `d` has seen already. */
static void finish(Digest *d, const uint8_t *text, unsigned length, unsigned before,
                   uint8_t out[32]) {
    uint8_t block[64] = {0};
    memcpy(block, text, length);
    block[length] = 0x80;
    unsigned bits = 8 * (before + length);
    block[62] = (uint8_t)(bits >> 8);
    block[63] = (uint8_t)bits;
    compress(d, block);
    digest_bytes(d, out);
}

static void hmac(const uint8_t key[32], const char *text, unsigned length, uint8_t out[32]) {
    uint8_t inner[64], outer[64], middle[32];
    memset(inner, 0x36, 64);
    memset(outer, 0x5c, 64);
    for (int i = 0; i < 32; i++) {
        inner[i] ^= key[i];
        outer[i] ^= key[i];
    }
    Digest d = START;
    compress(&d, inner);
    finish(&d, (const uint8_t *)text, length, 64, middle);
    d = START;
    compress(&d, outer);
    finish(&d, middle, 32, 64, out);
}

uint64_t bot_seed(const uint8_t key[32], uint64_t board, unsigned seat) {
    char text[48];
    uint8_t out[32];
    int length = snprintf(text, sizeof text, "bot/%llu/%u", (unsigned long long)board, seat);
    hmac(key, text, (unsigned)length, out);
    uint64_t seed = 0;
    for (int i = 0; i < 8; i++) seed = seed << 8 | out[i];
    return seed;
}

void deal_keyed(const uint8_t key[32], uint64_t board, unsigned round_no, uint8_t *deck,
                unsigned cards, unsigned take) {
    char text[48];
    uint8_t counted[36], out[32];
    int length =
        snprintf(text, sizeof text, "deal/%llu/%u", (unsigned long long)board, round_no);
    hmac(key, text, (unsigned)length, counted);
    unsigned span = cards;
    for (unsigned i = 0, block = 0; i < take; block++) {
        for (int byte = 0; byte < 4; byte++) counted[32 + byte] = (uint8_t)(block >> (24 - 8 * byte));
        Digest d = START;
        finish(&d, counted, 36, 0, out);
        for (int word = 0; word < 16 && i < take; word++) {
            unsigned number = (unsigned)out[2 * word] << 8 | out[2 * word + 1];
            /* A word that would make some cards likelier than others is skipped. */
            if (number >= 65536 - 65536 % span) continue;
            unsigned j = i + number % span;
            uint8_t card = deck[i];
            deck[i] = deck[j];
            deck[j] = card;
            i++;
            span--;
        }
    }
}
