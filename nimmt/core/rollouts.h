/* The playouts of each game: one guess of what is hidden, then a run for every candidate. */
#ifndef NIMMT_ROLLOUTS_H
#define NIMMT_ROLLOUTS_H

#include "policy.h"

typedef struct {
    Ends ends;
    uint8_t position[ROWS];                        /* where each row of the table stands in `ends` */
    uint8_t order[MOST_PLAYERS][HAND_SIZE];        /* the order of play; in a draft, of places */
    uint16_t turns[HAND_SIZE][MOST_PLAYERS];       /* card x 16 + seat, ascending */
    uint8_t pool[HIGHEST];
    Bits hidden;
    unsigned length;
} SixGuess;

typedef struct {
    Ends ends;
    uint8_t cards[3][ROW_ROOM];
    uint8_t length[3], holds[3];
    uint8_t hand[X_PLAYERS][X_ROOM];
    uint8_t hand_len[X_PLAYERS];
    uint8_t x_last[X_PLAYERS];
    int32_t x_heads[X_PLAYERS], piled[X_PLAYERS];
    uint8_t position[ROWS];
    Bits hidden;
} XGuess;

typedef struct {
    Bits hand[MOST_PLAYERS];
    int32_t points[MOST_PLAYERS];
    uint8_t pile_count;
    uint8_t top[MOST_PILES], length[MOST_PILES];
    uint8_t heads[MOST_PILES];
    Bits pile[MOST_PILES];
    uint8_t draw[HIGHEST];
    uint8_t draw_at, draw_len;
    uint8_t held[MOST_PLAYERS];
    uint8_t bull_pool;
} ElevenGuess;

typedef union {
    SixGuess six;
    XGuess x;
    ElevenGuess eleven;
} Guess;

void six_guess(const Search *s, const uint8_t *dealt, Random *r, SixGuess *g);
void six_run(const Search *s, const SixGuess *g, Random r, const Choice *first, int32_t *points);
void x_guess(const Search *s, const uint8_t *dealt, Random *r, XGuess *g);
void x_run(const Search *s, const XGuess *g, Random r, const Choice *first, int32_t *points);
void eleven_guess(const Search *s, const uint8_t *dealt, Random *r, ElevenGuess *g);
void eleven_run(const Search *s, const ElevenGuess *g, Random r, const Choice *first,
                int32_t *points);

#endif
