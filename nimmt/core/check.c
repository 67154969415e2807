/* Whether what came from outside is a table of these rules. Every call asks here first; what passes
 * can be played on without another look. */
#include "core.h"
#include "rows.h"

typedef struct {
    uint8_t seen[PLACES];
    unsigned count;  /* cards met so far */
    unsigned hidden; /* those that lie face down */
    unsigned highest;
} Cards;

static int add_card(Cards *c, unsigned card) {
    if (card == 0 || card > c->highest || c->seen[card]) return 0;
    c->seen[card] = 1;
    c->count++;
    return 1;
}

static int add_all(Cards *c, const uint8_t *cards, unsigned length, unsigned room, int may_hide) {
    if (length > room) return 0;
    for (unsigned i = 0; i < length; i++) {
        if (may_hide && cards[i] == 0) {
            c->hidden++;
            c->count++;
        } else if (!add_card(c, cards[i])) {
            return 0;
        }
    }
    return 1;
}

static int ascends(const uint8_t *cards, unsigned length) {
    for (unsigned i = 1; i < length; i++)
        if (cards[i - 1] >= cards[i]) return 0;
    return 1;
}

int check_options(const Table *t) {
    if (!t || t->rules > ELEVEN || t->deals > KEYED || t->most_starts > 1 || t->advanced > 1) return 0;
    static const uint8_t most[] = {10, 4, 7};
    if (t->players < 2 || t->players > (t->advanced ? 6 : most[t->rules])) return 0;
    if (t->rules != SIX) return !t->advanced && !t->opening_picks;
    if (t->opening_picks > (t->advanced ? HAND_SIZE : 0)) return 0;
    return t->limit <= 1000 && t->rounds <= 1000 && !t->limit != !t->rounds;
}

static int check_hands(const Table *t, Cards *c, int may_hide) {
    for (unsigned seat = 0; seat < t->players; seat++) {
        if (!add_all(c, t->hand[seat], t->hand_len[seat], HIGHEST, may_hide)) return 0;
        if (!may_hide && !ascends(t->hand[seat], t->hand_len[seat])) return 0;
    }
    return 1;
}

static int check_rows(const Table *t, Cards *c) {
    for (unsigned row = 0; row < row_count(t); row++) {
        unsigned length = t->row_len[row];
        if (length < 1 || length > row_holds(t, row)) return 0;
        if (!add_all(c, t->row[row], length, ROW_ROOM, 0) || !ascends(t->row[row], length)) return 0;
    }
    for (unsigned seat = 0; seat < t->players; seat++)
        if (t->laid[seat] && !add_card(c, t->laid[seat])) return 0;
    return 1;
}

/* Laid cards as they must be: none, or all with the lowest one waiting for a row, or those that
 * are left while an X card is chosen. */
static int check_laid(const Table *t) {
    int next = next_laid(t);
    if (t->phase == CARD) return next < 0;
    if (t->phase == X_CARD) return next < 0 || target_row(t, t->laid[next]) >= 0;
    for (unsigned seat = 0; seat < t->players; seat++)
        if (!t->laid[seat]) return 0;
    return next == t->seat && target_row(t, t->laid[next]) < 0;
}

static int check_six(const Table *t, Cards *c, int known) {
    if (t->phase != CARD && t->phase != ROW && t->phase != DRAFT) return 0;
    if (!check_hands(t, c, known)) return 0;
    for (unsigned seat = 0; seat < t->players && !known; seat++)
        if (!add_all(c, t->bull[seat], t->bull_len[seat], HIGHEST, 0)) return 0;
    if (t->phase == DRAFT) {
        if (!t->advanced || c->hidden || t->pool_len <= ROWS) return 0;
        unsigned drafted = 0;
        for (unsigned seat = 0; seat < t->players; seat++) drafted += t->hand_len[seat];
        for (unsigned step = 0; step < t->players; step++) {
            unsigned seat = (t->start_seat + step) % t->players;
            if (t->hand_len[seat] != (drafted + t->players - 1 - step) / t->players) return 0;
        }
        if (t->seat != (t->start_seat + drafted) % t->players) return 0;
        return add_all(c, t->pool, t->pool_len, HIGHEST, 0) && ascends(t->pool, t->pool_len) &&
               drafted + t->pool_len == c->highest;
    }
    for (unsigned seat = 0; seat < t->players; seat++)
        if (t->hand_len[seat] != t->hand_len[0]) return 0;
    unsigned least = t->phase == CARD, most = t->phase == CARD ? HAND_SIZE : HAND_SIZE - 1;
    if (t->hand_len[0] < least || t->hand_len[0] > most || t->pool_len) return 0;
    return check_rows(t, c) && check_laid(t);
}

static int check_x(const Table *t, Cards *c, int known) {
    if (t->phase != CARD && t->phase != ROW && t->phase != X_CARD) return 0;
    if (!check_hands(t, c, known) || !check_rows(t, c)) return 0;
    for (unsigned seat = 0; seat < t->players; seat++) {
        if (t->phase == CARD && !t->hand_len[seat]) return 0;
        if (!add_all(c, t->x_row[seat], t->x_row_len[seat], X_ROOM, 0)) return 0;
        if (!ascends(t->x_row[seat], t->x_row_len[seat])) return 0;
        if (!add_all(c, t->x_pile[seat], t->x_pile_len[seat], X_ROOM, 0)) return 0;
    }
    if ((t->phase == X_CARD) != (t->taken_len > 0) || t->taken_len > 4) return 0;
    if (!add_all(c, t->taken, t->taken_len, ROW_ROOM, 0) || !ascends(t->taken, t->taken_len))
        return 0;
    return c->count <= X_HAND_SIZE * t->players + 3u && check_laid(t);
}

static int check_piles(const Table *t, Cards *c) {
    /* Each take opens two piles for the one that goes. */
    if (t->pile_count + (t->draw_len + 1u) / 2 >= MOST_PILES) return 0;
    if (t->next_pile + t->draw_len > 127) return 0;
    uint8_t numbers[128] = {0};
    for (unsigned at = 0; at < t->pile_count; at++) {
        if (t->pile_no[at] >= t->next_pile || numbers[t->pile_no[at]]++) return 0;
        unsigned card = t->pile_top[at], length = t->pile_len[at];
        if (length < 1 || length > 100) return 0;
        /* A card met twice ends the walk, so no chain goes in circles. */
        for (unsigned i = 0; i < length; i++) {
            if (!add_card(c, card)) return 0;
            card = t->under[card];
        }
        if (card) return 0;
    }
    return 1;
}

static int check_eleven(const Table *t, Cards *c, int known) {
    if (t->phase != TURN && t->phase != STEAL) return 0;
    if (!check_hands(t, c, known) || !check_piles(t, c)) return 0;
    if (!t->draw_len || !add_all(c, t->draw, t->draw_len, 100, known)) return 0;
    unsigned bulls = t->bull_pool;
    for (unsigned seat = 0; seat < t->players; seat++) {
        /* A hand is empty only when the round is over. */
        if (!t->hand_len[seat]) return 0;
        bulls += t->bull_cards[seat];
    }
    if (bulls != BULL_CARDS || c->count > 100) return 0;
    uint8_t rich[MOST_PLAYERS];
    if (t->phase == STEAL) return !t->bull_pool && richest_others(t, t->seat, rich) > 0;
    return t->pile_count > 0;
}

static int check_table(const Table *t, Cards *c, int known) {
    if (!check_options(t) || t->seat >= t->players || t->start_seat >= t->players) return 0;
    for (unsigned seat = 0; seat < t->players; seat++) {
        if (t->points[seat] < -1000 || t->points[seat] > 1000) return 0;
        if (t->totals[seat] < -1000000 || t->totals[seat] > 1000000) return 0;
    }
    c->highest = t->rules == SIX ? six_highest(t) : 100;
    if (t->rules == SIX) return check_six(t, c, known);
    if (t->rules == X) return check_x(t, c, known);
    return check_eleven(t, c, known);
}

int check_game(const Table *t) {
    Cards c = {0};
    if (!t || t->round_no > 2000 || t->turn > 20000) return 0;
    return check_table(t, &c, 0);
}

/* What a seat knows: cards it has not seen are 0, and what they may be is `unseen`. */
int check_known(const Table *t, unsigned viewer, const uint8_t *unseen, int32_t count) {
    Cards c = {0};
    if (!t || !unseen || count < 0 || count > HIGHEST) return 0;
    if (!check_table(t, &c, 1) || viewer >= t->players) return 0;
    for (unsigned at = 0; t->rules == ELEVEN && at < t->pile_count; at++)
        if (t->pile_no[at] != at) return 0;
    for (int32_t i = 0; i < count; i++)
        if (!add_card(&c, unseen[i])) return 0;
    for (unsigned i = 0; i < t->hand_len[viewer]; i++)
        if (!t->hand[viewer][i]) return 0;
    return c.hidden <= (unsigned)count;
}

static int check_candidate(const Table *t, const Choice *choice) {
    if (t->rules == ELEVEN) {
        /* Applying it to a copy is the shortest way to ask; a round that ends deals nothing. */
        Table copy = *t;
        copy.round_no = (uint16_t)(t->players - 1);
        memset(copy.draw, 1, sizeof copy.draw);
        return eleven_apply(&copy, choice) == FINE;
    }
    if (t->phase == ROW) return choice->value < row_count(t);
    if (t->phase == DRAFT) return find_card(t->pool, t->pool_len, choice->value) >= 0;
    if (t->phase == X_CARD) return find_card(t->taken, t->taken_len, choice->value) >= 0;
    return choice->value && find_card(t->hand[t->seat], t->hand_len[t->seat], choice->value) >= 0;
}

int check_candidates(const Table *t, const Choice *choices, int32_t count) {
    if (!choices || count < 1 || count > MOST_CHOICES) return 0;
    for (int32_t i = 0; i < count; i++)
        if (!check_candidate(t, &choices[i])) return 0;
    return 1;
}

int check_hints(const Table *t, const Hint *hints, int32_t count) {
    if (count < 0 || count > MOST_PLAYERS * MOST_HINTS || (count && !hints)) return 0;
    int32_t of_seat = 0;
    for (int32_t i = 0; i < count; i++) {
        if (hints[i].seat >= t->players || hints[i].seat == t->seat) return 0;
        if (i && hints[i].seat < hints[i - 1].seat) return 0;
        of_seat = i && hints[i].seat == hints[i - 1].seat ? of_seat + 1 : 1;
        if (of_seat > MOST_HINTS || hints[i].base < 1 || hints[i].base > 64 * MOST_HINT) return 0;
        for (unsigned card = 0; card < PLACES; card++)
            if (hints[i].weight[card] > MOST_HINT) return 0;
    }
    return 1;
}

/* Nothing, or one for each seat, of which only those of others count. */
int check_expected(const Table *t, const Expected *expected) {
    for (unsigned seat = 0; expected && seat < t->players; seat++)
        for (unsigned card = 0; card < PLACES; card++)
            if (expected[seat].weight[card] < 1 || expected[seat].weight[card] > MOST_HINT) return 0;
    return 1;
}

int check_policy(const Table *t, const Policy *policy) {
    if (!policy || policy->kind > SOFTMAX || policy->feature > COST) return 0;
    if (t->rules == ELEVEN && policy->feature == SLOT_RISK && policy->kind != UNIFORM) return 0;
    for (unsigned level = 0; level < MOST_LEVELS; level++)
        if (policy->weight[level] < 1 || policy->weight[level] > 1u << 24) return 0;
    return 1;
}
