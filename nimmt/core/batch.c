/* Many games at once: whole games between simple players, and an environment for learning that
 * steps all games together. Every choice goes through the same checks as a stranger's would. */
#include "simple.h"

enum {
    O_SEAT = 105,
    O_PLAYERS,
    O_ROUND,
    O_TURN,
    O_START,
    O_POOL,
    O_DRAW,
    O_HANDS,
    O_HELD = O_HANDS + 10,
    O_POINTS = O_HELD + 10,
    O_TOTALS = O_POINTS + 20,
    O_REVEALED = O_TOTALS + 20,
    OWN_HAND = 1,
    OWN_TAKEN = 7,
    OWN_PILE = 16
};

/* Start games on the boards `first`, `first` + 1, ..., with the options of the first argument. */
API int32_t nimmt_start(const Table *options, Table *tables, int64_t count, uint64_t first) {
    if (!check_options(options)) return BAD_TABLE;
    if (count < 0) return BAD_NUMBER;
    if (count && !tables) return BAD_BUFFER;
    for (int64_t i = 0; i < count; i++) {
        memset(&tables[i], 0, sizeof tables[i]);
        tables[i].seed = options->seed;
        memcpy(tables[i].key, options->key, sizeof options->key);
        tables[i].deals = options->deals;
        tables[i].rules = options->rules;
        tables[i].players = options->players;
        tables[i].advanced = options->advanced;
        tables[i].opening_picks = options->opening_picks;
        tables[i].most_starts = options->most_starts;
        tables[i].limit = options->limit;
        tables[i].rounds = options->rounds;
        start_game(&tables[i], first + (uint64_t)i);
    }
    return FINE;
}

/* What this game asks for was given: a choice in 11 nimmt!, in the other games a value by seat. */
static int has_answer(const Table *t, const uint8_t *values, const Choice *choice) {
    return t->rules == ELEVEN ? choice != 0 : values != 0;
}

/* Carry out one decision of one game. */
API int32_t nimmt_apply(Table *table, const uint8_t *values, const Choice *choice) {
    if (!check_game(table)) return BAD_TABLE;
    if (!has_answer(table, values, choice)) return BAD_CHOICE;
    return apply(table, values, choice);
}

/* The numbers that a seat may answer with; in a turn of 11 nimmt! the cards that fit, ten places
 * for each pile in the order of the piles, and 0 after the last one. */
API int32_t nimmt_legal(const Table *table, int32_t seat, uint8_t *numbers) {
    if (!check_game(table)) return BAD_TABLE;
    if (seat < 0 || seat >= table->players) return BAD_NUMBER;
    if (!numbers) return BAD_BUFFER;
    memset(numbers, 0, MOST_PILES * WINDOW);
    if (table->phase != TURN) return (int32_t)legal_numbers(table, (unsigned)seat, numbers);
    if (seat != table->seat) return 0;
    for (unsigned at = 0; at < table->pile_count; at++)
        fitting(table, (unsigned)seat, table->pile_top[at], numbers + at * WINDOW);
    return table->pile_count;
}

/* Whole games between simple players, who move on one seat from board to board. For each game the
 * points by seat, and how many rounds it had. */
API int32_t nimmt_games(const Table *options, const uint8_t *players, int64_t count,
                        uint64_t first, int32_t *points, int32_t *rounds) {
    Table t;
    if (!check_options(options)) return BAD_TABLE;
    if (count < 0) return BAD_NUMBER;
    if (!players || (count && (!points || !rounds))) return BAD_BUFFER;
    unsigned seats = options->players;
    for (unsigned i = 0; i < seats; i++)
        if (players[i] >= SIMPLE_PLAYERS) return BAD_NUMBER;
    nimmt_start(options, &t, 1, first);
    for (int64_t i = 0; i < count; i++) {
        uint64_t board = first + (uint64_t)i;
        uint8_t seated[MOST_PLAYERS], values[MOST_PLAYERS] = {0};
        Random r[MOST_PLAYERS];
        Choice choice = {0};
        for (unsigned seat = 0; seat < seats; seat++) {
            seated[seat] = players[(seat + board) % seats];
            r[seat] = t.deals == KEYED ? random_from(bot_seed(t.key, board, seat))
                                       : random_stream(t.seed, board, 65536 + seat);
        }
        start_game(&t, board);
        while (t.phase != NOBODY) {
            choose_simply(&t, seated, r, values, &choice);
            int answer = apply(&t, values, &choice);
            if (answer != FINE) return answer;
        }
        memcpy(points + (uint64_t)i * seats, t.totals, seats * sizeof *points);
        rounds[i] = t.round_no + 1;
    }
    return FINE;
}

static void put_number(uint8_t *at, int32_t number) {
    at[0] = (uint8_t)number;
    at[1] = (uint8_t)(number >> 8);
}

/* What one seat may see: by card where it lies (0 unseen), then the numbers of a view. */
void observe_seat(const Table *t, unsigned seat, uint8_t *o) {
    memset(o + PLACES, 0, OBSERVATION - PLACES);
    memcpy(o, t->where, PLACES);
    o[0] = t->phase;
    for (unsigned i = 0; i < t->hand_len[seat]; i++) o[t->hand[seat][i]] = OWN_HAND;
    if (t->rules == X) {
        for (unsigned i = 0; i < t->x_pile_len[seat]; i++) o[t->x_pile[seat][i]] = OWN_PILE;
        if (t->seat == seat)
            for (unsigned i = 0; i < t->taken_len; i++) o[t->taken[i]] = OWN_TAKEN;
    }
    o[O_SEAT] = (uint8_t)seat;
    o[O_PLAYERS] = t->players;
    o[O_ROUND] = t->round_no < 255 ? (uint8_t)t->round_no : 255;
    o[O_TURN] = t->turn < 255 ? (uint8_t)t->turn : 255;
    o[O_START] = t->start_seat;
    if (t->rules == ELEVEN) {
        o[O_POOL] = t->bull_pool;
        o[O_DRAW] = t->draw_len;
    }
    memcpy(o + O_HANDS, t->hand_len, t->players);
    if (t->rules == ELEVEN) memcpy(o + O_HELD, t->bull_cards, t->players);
    if (t->rules == X) memcpy(o + O_HELD, t->x_pile_len, t->players);
    for (unsigned other = 0; other < t->players; other++) {
        /* What a hand is worth is nobody else's business. */
        if (t->rules == SIX) put_number(o + O_POINTS + 2 * other, t->points[other]);
        put_number(o + O_TOTALS + 2 * other, t->totals[other]);
    }
    memcpy(o + O_REVEALED, t->revealed, t->players);
}

static void observe(const Table *t, uint8_t *observations, uint8_t *asked) {
    memset(asked, 0, t->players);
    if (t->phase == CARD) {
        for (unsigned seat = 0; seat < t->players; seat++) {
            asked[seat] = CARD;
            observe_seat(t, seat, observations + seat * OBSERVATION);
        }
    } else if (t->phase != NOBODY) {
        asked[t->seat] = t->phase;
        observe_seat(t, t->seat, observations + t->seat * OBSERVATION);
    }
}

/* Observations of all who are asked, and of what kind. All tables must have the same players. */
API int32_t nimmt_observe(const Table *tables, int64_t count, int32_t players,
                          uint8_t *observations, uint8_t *asked) {
    if (players < 2 || players > MOST_PLAYERS || count < 0) return BAD_NUMBER;
    if (count && (!tables || !observations || !asked)) return BAD_BUFFER;
    for (int64_t i = 0; i < count; i++) {
        if (tables[i].players != players || !check_game(&tables[i])) return BAD_TABLE;
        observe(&tables[i], observations + i * players * OBSERVATION, asked + i * players);
    }
    return FINE;
}

/* One decision in each of many games. `values` has one number for each seat of each game, `choices`
 * one choice for each game and is for 11 nimmt! alone. `answers` says what became of it; after an
 * illegal choice a game stands as before. The reward of a seat is what a finished round cost it,
 * below zero. A game that is done begins again on the board `count` further on. */
API int32_t nimmt_step(Table *tables, int64_t count, int32_t players, const uint8_t *values,
                       const Choice *choices, uint8_t *observations, uint8_t *asked,
                       int32_t *rewards, uint8_t *done, int32_t *answers) {
    if (players < 2 || players > MOST_PLAYERS || count < 0) return BAD_NUMBER;
    if (count && (!tables || !observations || !asked || !rewards || !done || !answers))
        return BAD_BUFFER;
    for (int64_t i = 0; i < count; i++) {
        Table *t = &tables[i];
        if (t->players != players || !check_game(t)) return BAD_TABLE;
        if (!has_answer(t, values, choices)) return BAD_CHOICE;
        int32_t before[MOST_PLAYERS];
        memcpy(before, t->totals, sizeof before);
        answers[i] = apply(t, values ? values + i * players : 0, choices ? &choices[i] : 0);
        for (int32_t seat = 0; seat < players; seat++)
            rewards[i * players + seat] = before[seat] - t->totals[seat];
        done[i] = t->phase == NOBODY;
        if (done[i]) start_game(t, t->board + (uint64_t)count);
        if (answers[i] == FINE)
            observe(t, observations + i * players * OBSERVATION, asked + i * players);
    }
    return FINE;
}
