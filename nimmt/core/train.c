/* Many games for learning: actions are numbers, and a mask says which are legal. `nimmt/actions.py`
 * has the same numbers and masks in Python, `nimmt/encoding.py` the observations. */
#include "simple.h"

enum {
    ROW_AT = 104,
    ROW_ACTIONS = 109,
    TAKE_AT = 1000,
    PILE_AT = 1100,
    WIDEST = 1200,
    STEAL_AT = 1201,
    TURN_ACTIONS = 1212,
    NO_CARD = 255
};
/* What a caller may ask for. */
enum { EVERYONE = 1, BY_PLACES = 2, ONE_GAME = 4 };

static unsigned action_count(const Table *t) {
    return t->rules == ELEVEN ? TURN_ACTIONS : ROW_ACTIONS;
}

static int is_asked(const Table *t, unsigned seat) {
    return t->phase == CARD || (t->phase != NOBODY && t->seat == seat);
}

/* The most cards that a turn can get rid of, pile by pile, largest first; how many piles. */
static unsigned widest_play(const Table *t, Choice *choice) {
    uint8_t cards[MOST_PILES][WINDOW], count[MOST_PILES], used[PLACES] = {0};
    unsigned piles = 0, held = t->bull_cards[t->seat];
    for (unsigned at = 0; at < t->pile_count; at++)
        count[at] = (uint8_t)fitting(t, t->seat, t->pile_top[at], cards[at]);
    choice->what = PLAY;
    for (; piles < held; piles++) {
        unsigned best = 0, most = 0;
        for (unsigned at = 0; at < t->pile_count; at++) {
            unsigned left = 0;
            for (unsigned i = 0; i < count[at]; i++) left += !used[cards[at][i]];
            /* Piles stand by ascending number, so the first of several is the lowest. */
            if (left > most) {
                most = left;
                best = at;
            }
        }
        if (!most) break;
        for (unsigned i = 0; i < count[best]; i++) {
            unsigned card = cards[best][i];
            if (used[card]) continue;
            used[card] = 1;
            choice->on[card] = (uint8_t)(t->pile_no[best] + 1);
        }
        count[best] = 0;
    }
    return piles;
}

static void mask_turn(const Table *t, uint8_t *mask) {
    unsigned held = t->bull_cards[t->seat], fitted = 0;
    for (unsigned at = 0; at < t->pile_count; at++) {
        unsigned top = t->pile_top[at];
        uint8_t cards[WINDOW];
        unsigned count = fitting(t, t->seat, top, cards);
        mask[TAKE_AT + top - 1] = 1;
        for (unsigned i = 0; i < count; i++)
            mask[(cards[i] - 1u) * WINDOW + (cards[i] + 100u - top) % 100u - 1u] = 1;
        mask[PILE_AT + top - 1] = held && count > 1;
        fitted += count > 0;
    }
    if (held > 1 && fitted > 1) {
        Choice choice = {0};
        mask[WIDEST] = widest_play(t, &choice) > 1;
    }
}

static void mask_seat(const Table *t, unsigned seat, uint8_t *mask) {
    unsigned actions = action_count(t);
    memset(mask, 0, actions);
    if (!is_asked(t, seat)) {
        mask[actions - 1] = 1;
        return;
    }
    if (t->phase == CARD) {
        for (unsigned i = 0; i < t->hand_len[seat]; i++) mask[t->hand[seat][i] - 1] = 1;
        return;
    }
    if (t->phase == TURN) {
        mask_turn(t, mask);
        return;
    }
    uint8_t numbers[HIGHEST];
    unsigned count = legal_numbers(t, seat, numbers);
    int first = t->phase == ROW ? ROW_AT : t->phase == STEAL ? STEAL_AT : -1;
    for (unsigned i = 0; i < count; i++) mask[first + numbers[i]] = 1;
}

static uint8_t value_of(const Table *t, int32_t action) {
    if (t->phase == ROW)
        return action >= ROW_AT && action < ROW_ACTIONS - 1 ? (uint8_t)(action - ROW_AT) : NO_CARD;
    return action >= 0 && action < ROW_AT ? (uint8_t)(action + 1) : NO_CARD;
}

/* Where the pile with this top stands, or -1. */
static int pile_with(const Table *t, unsigned top) {
    for (unsigned at = 0; at < t->pile_count; at++)
        if (t->pile_top[at] == top) return (int)at;
    return -1;
}

/* What an action of 11 nimmt! means; one that means nothing stays a choice that is refused. */
static void turn_of(const Table *t, int32_t action, Choice *choice) {
    memset(choice, 0, sizeof *choice);
    if (t->phase == STEAL) {
        choice->value = action >= STEAL_AT && action < TURN_ACTIONS - 1
                            ? (uint8_t)(action - STEAL_AT) : NO_CARD;
        return;
    }
    if (action < 0 || action > WIDEST) return;
    if (action == WIDEST) {
        /* A single pile has numbers of its own. */
        if (widest_play(t, choice) < 2) choice->what = 0;
        return;
    }
    unsigned card = (unsigned)action / WINDOW + 1, gap = (unsigned)action % WINDOW + 1;
    unsigned top = (card + 99u - gap) % 100u + 1u;
    if (action >= TAKE_AT) top = (unsigned)(action - TAKE_AT) % 100u + 1u;
    int at = pile_with(t, top);
    if (at < 0) return;
    if (action >= TAKE_AT && action < PILE_AT) {
        choice->what = TAKE;
        choice->value = t->pile_no[at];
        return;
    }
    choice->what = PLAY;
    uint8_t cards[WINDOW] = {(uint8_t)card};
    unsigned count = 1;
    if (action >= PILE_AT) {
        count = fitting(t, t->seat, top, cards);
        if (count < 2) choice->what = 0;
    }
    for (unsigned i = 0; i < count; i++) choice->on[cards[i]] = (uint8_t)(t->pile_no[at] + 1);
}

static int act(Table *t, const int32_t *actions) {
    uint8_t values[MOST_PLAYERS] = {0};
    Choice choice;
    if (t->rules == ELEVEN) {
        turn_of(t, actions[t->seat], &choice);
        return apply(t, values, &choice);
    }
    for (unsigned seat = 0; seat < t->players; seat++)
        if (is_asked(t, seat)) values[seat] = value_of(t, actions[seat]);
    return apply(t, values, 0);
}

/* Where the observations, masks and kinds of many games lie, seat by seat. */
typedef struct {
    uint8_t *seen, *masks, *asked;
} Looks;

static void look_at(const Table *t, int64_t game, int32_t flags, const Looks *to) {
    unsigned actions = action_count(t);
    for (unsigned seat = 0; seat < t->players; seat++) {
        uint64_t at = (uint64_t)game * t->players + seat;
        int asked = is_asked(t, seat);
        to->asked[at] = asked ? t->phase : 0;
        if (!asked && !(flags & EVERYONE)) continue;
        observe_seat(t, seat, to->seen + at * OBSERVATION);
        if (!asked) to->seen[at * OBSERVATION] = 0;
        mask_seat(t, seat, to->masks + at * actions);
    }
}

static int same_tables(const Table *tables, int64_t count, int32_t players) {
    for (int64_t i = 0; i < count; i++)
        if (tables[i].players != players || tables[i].rules != tables[0].rules) return 0;
    return 1;
}

/* Observations and masks of all who are asked; with EVERYONE, of all seats. */
API int32_t nimmt_train_look(const Table *tables, int64_t count, int32_t players, int32_t flags,
                             uint8_t *seen, uint8_t *masks, uint8_t *asked) {
    if (players < 2 || players > MOST_PLAYERS || count < 0) return BAD_NUMBER;
    if (count && (!tables || !seen || !masks || !asked)) return BAD_BUFFER;
    if (!same_tables(tables, count, players)) return BAD_TABLE;
    Looks to = {seen, masks, asked};
    for (int64_t i = 0; i < count; i++) {
        if (!check_game(&tables[i])) return BAD_TABLE;
        look_at(&tables[i], i, flags, &to);
    }
    return FINE;
}

static void reward(const Table *t, const int32_t *before, int32_t flags, float *rewards) {
    for (unsigned seat = 0; seat < t->players; seat++) {
        if (!(flags & BY_PLACES)) {
            rewards[seat] = (float)(before[seat] - t->totals[seat]);
            continue;
        }
        int better = 0;
        if (t->phase == NOBODY)
            for (unsigned other = 0; other < t->players; other++)
                better += (t->totals[seat] < t->totals[other]) - (t->totals[seat] > t->totals[other]);
        rewards[seat] = (float)better / (float)(t->players - 1);
    }
}

/* One decision in each of many games, an action for each seat. As `nimmt_step`; but with ONE_GAME a
 * game that is done stays as it is, and must not be stepped again. `scores` are the totals. */
API int32_t nimmt_train_step(Table *tables, int64_t count, int32_t players, int32_t flags,
                             const int32_t *actions, uint8_t *seen, uint8_t *masks, uint8_t *asked,
                             float *rewards, int32_t *scores, uint8_t *done, int32_t *answers) {
    if (players < 2 || players > MOST_PLAYERS || count < 0) return BAD_NUMBER;
    if (count && (!tables || !actions || !seen || !masks || !asked || !rewards || !scores || !done ||
                  !answers))
        return BAD_BUFFER;
    if (!same_tables(tables, count, players)) return BAD_TABLE;
    Looks to = {seen, masks, asked};
    for (int64_t i = 0; i < count; i++) {
        Table *t = &tables[i];
        if (!check_game(t)) return BAD_TABLE;
        int32_t before[MOST_PLAYERS];
        memcpy(before, t->totals, sizeof before);
        answers[i] = act(t, actions + i * players);
        reward(t, before, flags, rewards + i * players);
        memcpy(scores + i * players, t->totals, (size_t)players * sizeof *scores);
        done[i] = t->phase == NOBODY;
        if (done[i] && !(flags & ONE_GAME)) start_game(t, t->board + (uint64_t)count);
        if (answers[i] == FINE) look_at(t, i, flags, &to);
    }
    return FINE;
}
