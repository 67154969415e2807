/* What the parts of the core share: the table, choices, policies, and the calls from outside.
 *
 * Nothing here reads or writes outside of what it was given, whatever that holds: every call
 * examines its input first (check.c) and answers with one of the codes below.
 * The readings of the rules are numbered in the rules page of the docs; comments name them.
 * `nimmt/core/layout.py` holds the same structures in the same order.
 */
#ifndef NIMMT_CORE_H
#define NIMMT_CORE_H

#include <stdint.h>
#include <string.h>

#define API __attribute__((visibility("default")))

#define MOST_PLAYERS 10
#define HIGHEST 104 /* the highest number on any card of the three games */
#define PLACES (HIGHEST + 1) /* arrays by card; nothing lies at 0 */
#define ROWS 4
#define ROW_ROOM 8
#define X_PLAYERS 4
#define X_ROOM 40 /* X nimmt! deals 3 + 8 x 4 = 35 cards */
#define MOST_PILES 48 /* 11 nimmt!: never more than 50 - 5n */
#define MOST_CHOICES 128
#define MOST_LEVELS 128
#define HAND_SIZE 10
#define X_HAND_SIZE 8
#define BULL_CARDS 10
#define BULL_FROM 3 /* a taken pile of this many cards or more brings a bull card */
#define WINDOW 10
#define MOST_HINTS 16 /* of a seat */
#define MOST_HINT (1u << 24)
#define OBSERVATION 184 /* bytes of what a seat sees; nimmt/encoding.py says which */

enum { SIX, X, ELEVEN };
enum { NOBODY, CARD, ROW, DRAFT, X_CARD, STEAL, TURN };
enum { TAKE = 1, PLAY };
enum { SEEDED, KEYED };

/* What a call answers; below zero, nothing was done. An illegal choice is ILLEGAL - seat, and a null
 * pointer where a call reads or writes is refused like anything else that is wrong. */
enum { FINE = 0, BAD_TABLE = -1, BAD_CHOICE = -2, BAD_POLICY = -3, BAD_NUMBER = -4, BAD_EVIDENCE = -5,
       BAD_HINT = -6, BAD_EXPECTED = -7, BAD_BUFFER = -8, ILLEGAL = -16 };

/* One game: its rules and options, everything on the table, everything chance will decide.
 * A table may also be what one seat knows: then 0 stands for a card that it has not seen. */
typedef struct {
    uint64_t seed;  /* of the deals, when they are SEEDED */
    uint64_t board; /* the number of the board */
    int32_t totals[MOST_PLAYERS]; /* points of the finished rounds */
    int32_t points[MOST_PLAYERS]; /* what each seat would score if the round ended now */
    uint16_t limit; /* 6 nimmt! plays to a limit, or else a number of rounds */
    uint16_t rounds;
    uint16_t round_no;
    uint16_t turn;
    uint8_t key[32]; /* of the deals, when they are KEYED */
    uint8_t deals;
    uint8_t rules;
    uint8_t players;
    uint8_t advanced;
    uint8_t opening_picks;
    uint8_t most_starts; /* 11 nimmt!: who has the most starts the next round */
    uint8_t phase;       /* the kind that is asked for; NOBODY when the game is over */
    uint8_t seat;        /* who is asked; in CARD all are */
    uint8_t start_seat;
    uint8_t row_len[ROWS];
    uint8_t row[ROWS][ROW_ROOM];
    uint8_t hand_len[MOST_PLAYERS];
    uint8_t hand[MOST_PLAYERS][HIGHEST]; /* ascending */
    uint8_t revealed[MOST_PLAYERS];      /* the cards of this turn by seat */
    uint8_t laid[MOST_PLAYERS];          /* those of them that lie in no row yet, else 0 */
    uint8_t pool_len;                    /* 6 nimmt! advanced: open to the draft, ascending */
    uint8_t pool[HIGHEST];
    uint8_t bull_len[MOST_PLAYERS]; /* 6 nimmt!: the bull piles, as they grew */
    uint8_t bull[MOST_PLAYERS][HIGHEST];
    uint8_t taken_len; /* X nimmt!: what the pending seat has just taken */
    uint8_t taken[ROW_ROOM];
    uint8_t x_row_len[X_PLAYERS];
    uint8_t x_row[X_PLAYERS][X_ROOM];
    uint8_t x_pile_len[X_PLAYERS];
    uint8_t x_pile[X_PLAYERS][X_ROOM];
    uint8_t pile_count; /* 11 nimmt!: piles in the order they came to the table */
    uint8_t pile_no[MOST_PILES];
    uint8_t pile_len[MOST_PILES];
    uint8_t pile_top[MOST_PILES];
    uint8_t under[PLACES]; /* the card under this one in its pile, 0 at the bottom */
    uint8_t next_pile;
    uint8_t draw_len; /* the draw deck in the order of revealing */
    uint8_t draw[HIGHEST];
    uint8_t bull_cards[MOST_PLAYERS];
    uint8_t bull_pool;
    uint8_t where[PLACES]; /* for observations: the place of each card that all can see */
} Table;

/* An answer of 11 nimmt!, or a candidate of any game. In a turn `what` says TAKE or PLAY, and `on` by
 * card the pile it is laid on, plus 1. Piles are meant by number in a game, by position in
 * rollouts. In games of 6 nimmt! and X nimmt! an answer is just a value by seat. */
typedef struct {
    uint8_t what;
    uint8_t value; /* a card, a row, a seat, or the pile to take */
    uint8_t on[PLACES];
} Choice;

enum { UNIFORM, GREEDY, SOFTMAX };
enum { GAP, SLOT_RISK, COST };

/* How a seat plays in rollouts: data, the same for C and Python. Levels are small numbers, low is
 * good. GREEDY takes the lowest level but for epsilon / 2^32; SOFTMAX weighs by the table. */
typedef struct {
    uint32_t kind;
    uint32_t feature;
    uint32_t epsilon;
    uint32_t weight[MOST_LEVELS]; /* by how far a level lies above the lowest one, 1 to 2^24 */
    uint8_t risk[8][64]; /* 255 x the chance that the free places (0..7) of a row fill up before,
                          * by 8 x the number of cards that are expected in the gap */
    uint8_t shape[MOST_LEVELS]; /* rows: what each level of the feature counts */
    uint8_t prior[PLACES];      /* rows: what is added for the card itself */
} Policy;

/* A choice of another seat that all saw: the cards that it may have held then, by how likely the
 * seat was to prefer them. With these cards in the hand, the choice had the chance
 * 1 / (base + the sum of their weights), times what is the same for all. Seats ascend. */
typedef struct {
    uint32_t seat;
    uint32_t base; /* of what it could choose for sure, the choice itself among it */
    uint32_t weight[PLACES];
} Hint;

/* How likely a seat is to lay each card right now, where that is known better than by a policy. */
typedef struct {
    uint32_t known; /* else the policy chooses */
    uint32_t weight[PLACES];
} Expected;

/* rollouts.c */
typedef struct {
    int64_t *count;        /* by candidate: rollouts */
    int64_t *sum;          /* of own points x (players - 1) - the others' points */
    int64_t *squares;      /* of the same */
    int64_t *pair_sum;     /* [i][j]: of i's value - j's, over the guesses both were played from */
    int64_t *pair_squares; /* of the same differences */
} Sums;

/* field.c: a choice of another seat that all saw, and how the cards it may have held then bear on it.
 * Seats come in ascending order. In 11 nimmt! with bull cards no table by card can say it: then
 * `full` is set, and the turn is looked at again for every guess. */
typedef struct {
    uint16_t options;        /* those that it had whatever is hidden, 1 or more */
    uint8_t seat;
    uint8_t beaten;          /* the field policy would not have chosen so, whatever is hidden */
    uint8_t full;
    uint8_t beats[PLACES];   /* by card: the policy would have preferred a choice with this one */
    uint8_t counts[PLACES];  /* by card: how many more options it would have given */
    uint8_t held;            /* full: bull cards */
    uint8_t pile_count;
    uint8_t tops[MOST_PILES];
    uint8_t known[PLACES];   /* full: by card, whether it is known to have been in the hand */
    Choice choice;           /* full: piles are meant by position */
} Evidence;

/* heads.c */
extern const uint8_t HEADS[PLACES];

/* keys.c */
uint64_t bot_seed(const uint8_t key[32], uint64_t board, unsigned seat);
void deal_keyed(const uint8_t key[32], uint64_t board, unsigned round_no, uint8_t *deck,
                unsigned cards, unsigned take);

/* game.c */
void shuffle_deal(const Table *t, uint8_t *deck, unsigned cards, unsigned take);
void end_round(Table *t);
void deal_round(Table *t);
int apply(Table *t, const uint8_t *values, const Choice *choice);
void start_game(Table *t, uint64_t board);

/* six.c, x.c, eleven.c */
unsigned six_highest(const Table *t);
void six_deal(Table *t);
int six_apply(Table *t, const uint8_t *values);
void x_deal(Table *t);
int x_apply(Table *t, const uint8_t *values);
void eleven_deal(Table *t);
int eleven_apply(Table *t, const Choice *choice);
unsigned fitting(const Table *t, unsigned seat, unsigned top, uint8_t cards[WINDOW]);
unsigned richest_others(const Table *t, unsigned seat, uint8_t seats[MOST_PLAYERS]);

/* batch.c */
void observe_seat(const Table *t, unsigned seat, uint8_t *o);

/* check.c */
int check_options(const Table *t);
int check_game(const Table *t);
int check_known(const Table *t, unsigned viewer, const uint8_t *unseen, int32_t count);
int check_evidence(const Table *t, unsigned viewer, const Evidence *evidence, int32_t count);
int check_hints(const Table *t, const Hint *hints, int32_t count);
int check_expected(const Table *t, const Expected *expected);
int check_candidates(const Table *t, const Choice *choices, int32_t count);
int check_policy(const Table *t, const Policy *policy);

#endif
