/* How the field policy chooses, and a round that all seats play by it; `field.py` is the same in
 * Python, choice for choice. Rounds are played by the engine of the core itself. */
#include "field.h"
#include "ends.h"
#include "piles.h"
#include "rows.h"

#define TIE_STEPS 128

static unsigned any_of(Random *r, unsigned count) {
    return (unsigned)((next_bits(r) >> 32) * count >> 32);
}

/* Whether this choice is one of the share of uniform play. */
static int explores(const Policy *p, Random *r) {
    return p->kind == UNIFORM || next_bits(r) >> 32 < p->epsilon;
}

static void drop_all(Bits *b, const uint8_t *cards, unsigned count) {
    for (unsigned i = 0; i < count; i++) drop_bit(b, cards[i]);
}

static const int8_t NUMBER[112] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,  17,  18,  19,  20,  21,  22,
    23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,  40,  41,  42,  43,  44,  45,
    46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,  63,  64,  65,  66,  67,  68,
    69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85,  86,  87,  88,  89,  90,  91,
    92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
};

Lower count_lower(Bits hidden) {
    Lower lower;
    for (unsigned card = 0, count = 0; card < sizeof lower.count; card++) {
        lower.count[card] = (uint8_t)count;
        uint64_t word = card < 64 ? hidden.low >> card : hidden.high >> (card - 64);
        count += word & 1;
    }
    return lower;
}

/* Numbers of one byte keep this a few steps of whole vectors. */
static void drop_lower(Lower *lower, unsigned card) {
    for (unsigned other = 0; other < sizeof lower->count; other++)
        lower->count[other] = (uint8_t)(lower->count[other] - (NUMBER[other] > (int8_t)card));
}

/* What no view shows to lie on the table may still come; in X nimmt! cards do so again and again. */
static Lower lower_cards(const Run *run) {
    const Table *t = &run->t;
    Bits hidden = {UINT64_MAX - 1, (UINT64_C(1) << 37) - 1}; /* 1 to 100 */
    for (unsigned row = 0; row < 3; row++) drop_all(&hidden, t->row[row], t->row_len[row]);
    for (unsigned seat = 0; seat < t->players; seat++)
        drop_all(&hidden, t->x_row[seat], t->x_row_len[seat]);
    return count_lower(hidden);
}

static Ends read_ends(const Table *t) {
    Ends e = {.count = (uint8_t)row_count(t), .tail = {255, 255, 255, 255}};
    for (unsigned row = 0; row < e.count; row++) {
        unsigned end = t->row[row][t->row_len[row] - 1], at = row;
        for (; at > 0 && e.tail[at - 1] > end; at--) {
            e.tail[at] = e.tail[at - 1];
            e.room[at] = e.room[at - 1];
            e.cost[at] = e.cost[at - 1];
            e.row[at] = e.row[at - 1];
        }
        e.tail[at] = (uint8_t)end;
        e.room[at] = (uint8_t)(row_holds(t, row) - t->row_len[row]);
        e.cost[at] = (uint8_t)heads_of(t->row[row], t->row_len[row]);
        e.row[at] = (uint8_t)row;
    }
    return e;
}

/* How bad it is to lay this card now: heads at stake, then the distance to its row. */
static unsigned card_key(const Policy *p, const Ends *e, const uint8_t *lower, unsigned chance,
                         unsigned least, unsigned card) {
    int at = find_end(e, card);
    if (at < 0) return 255 * least * TIE_STEPS;
    /* The end of a row is not hidden, so that it is not counted itself. */
    unsigned expected = (unsigned)(lower[card] - lower[e->tail[at]]) * chance >> 16;
    unsigned risk = p->risk[e->room[at]][expected > 63 ? 63 : expected];
    return risk * e->cost[at] * TIE_STEPS + card - e->tail[at] - 1u;
}

static unsigned field_card(const Policy *p, const Ends *e, const Lower *lower, const Table *t,
                           unsigned seat) {
    unsigned count = t->hand_len[seat], all = lower->count[PLACES], best = 0, lowest = UINT32_MAX;
    unsigned chance = all > count ? ((t->players - 1u) * 8 << 16) / (all - count) : 0;
    unsigned least = e->cost[cheapest_end(e)];
    for (unsigned i = 0; i < count; i++) {
        unsigned key = card_key(p, e, lower->count, chance, least, t->hand[seat][i]);
        best = key < lowest ? i : best;
        lowest = key < lowest ? key : lowest;
    }
    return best;
}

static void choose_cards(Run *run, const Policy *p, unsigned viewer, const Choice *first,
                         uint8_t *values) {
    const Table *t = &run->t;
    Ends e;
    Lower lower;
    int looked = 0;
    for (unsigned seat = 0; seat < t->players; seat++) {
        unsigned count = t->hand_len[seat], at = 0;
        if (first && seat == viewer) {
            values[seat] = first->value;
            continue;
        }
        if (count > 1 && explores(p, &run->r)) {
            at = any_of(&run->r, count);
        } else if (count > 1) {
            if (!looked) {
                e = read_ends(t);
                lower = lower_cards(run);
                looked = 1;
            }
            at = field_card(p, &e, &lower, t, seat);
        }
        values[seat] = t->hand[seat][at];
    }
}

static unsigned choose_number(Run *run, const Policy *p) {
    const Table *t = &run->t;
    if (t->phase == ROW)
        return explores(p, &run->r) ? any_of(&run->r, row_count(t)) : (unsigned)cheapest_row(t);
    if (t->phase == DRAFT)
        return t->pool[explores(p, &run->r) ? any_of(&run->r, t->pool_len) : t->pool_len / 2u];
    unsigned count = t->taken_len, length = t->x_row_len[t->seat], best = 0;
    if (count == 1) return t->taken[0];
    if (explores(p, &run->r)) return t->taken[any_of(&run->r, count)];
    unsigned last = length ? t->x_row[t->seat][length - 1] : 0;
    /* The lowest card that keeps the X row; if none does, the lowest begins a new one. */
    while (best < count && t->taken[best] < last) best++;
    return t->taken[best < count ? best : 0];
}

static unsigned count_fits(unsigned fits) {
    return count_bits((Bits){fits, 0});
}

void read_turns(Bits hand, const uint8_t *tops, unsigned piles, unsigned held, Turns *turns) {
    *turns = (Turns){.piles = piles};
    for (unsigned at = 0; at < piles; at++) {
        unsigned count = count_fits(turns->fits[at] = (uint16_t)window(hand, tops[at]));
        turns->singles += count;
        turns->several += held && count > 1;
    }
    /* The most cards this turn can get rid of, pile by pile, largest first. */
    for (unsigned left = held; left; left--) {
        unsigned most = 0, best = 0;
        for (unsigned at = 0; at < piles; at++) {
            unsigned count = turns->wide[at] ? 0 : count_fits(window(hand, tops[at]));
            if (count > most) {
                most = count;
                best = at;
            }
        }
        if (!most) break;
        unsigned fits = turns->wide[best] = (uint16_t)window(hand, tops[best]);
        for (unsigned gap = 1; fits; gap++, fits >>= 1)
            if (fits & 1) drop_bit(&hand, card_at(tops[best], gap));
        turns->wide_piles++;
        turns->wide_cards += most;
    }
    turns->options = turns->singles + turns->several + (turns->wide_piles > 1) + piles;
}

static void lay(const uint8_t *tops, const uint8_t *numbers, unsigned at, unsigned fits,
                Choice *choice) {
    choice->what = PLAY;
    for (unsigned gap = 1; fits; gap++, fits >>= 1)
        if (fits & 1) choice->on[card_at(tops[at], gap)] = (uint8_t)(numbers[at] + 1);
}

static void lay_widest(const Turns *turns, const uint8_t *tops, const uint8_t *numbers,
                       Choice *choice) {
    for (unsigned at = 0; at < turns->piles; at++) lay(tops, numbers, at, turns->wide[at], choice);
}

void field_turn(const Turns *turns, const uint8_t *tops, const uint8_t *numbers, Choice *choice) {
    unsigned best = 0, least = UINT32_MAX;
    *choice = (Choice){0};
    if (!turns->singles) {
        /* The cheapest top; of several the newest pile, the likeliest to be a single card. */
        for (unsigned at = 0; at < turns->piles; at++)
            if (HEADS[tops[at]] <= least) {
                least = HEADS[tops[at]];
                best = at;
            }
        choice->what = TAKE;
        choice->value = numbers[best];
        return;
    }
    if (turns->wide_cards > 1) {
        lay_widest(turns, tops, numbers, choice);
        return;
    }
    for (unsigned at = 0; at < turns->piles; at++) {
        unsigned lowest = turns->fits[at] & (0u - turns->fits[at]);
        if (lowest && lowest < least) {
            least = lowest;
            best = at;
        }
    }
    lay(tops, numbers, best, least, choice);
}

/* One of the sensible turns, by its number in the list of `TurnOptions.sensible`. */
static void sensible_turn(const Turns *turns, const uint8_t *tops, const uint8_t *numbers,
                          unsigned index, Choice *choice) {
    *choice = (Choice){0};
    for (unsigned at = 0; at < turns->piles; at++)
        for (unsigned gap = 0; gap < WINDOW; gap++)
            if (turns->fits[at] >> gap & 1 && !index--) {
                lay(tops, numbers, at, 1u << gap, choice);
                return;
            }
    for (unsigned at = 0; turns->several && at < turns->piles; at++)
        if (count_fits(turns->fits[at]) > 1 && !index--) {
            lay(tops, numbers, at, turns->fits[at], choice);
            return;
        }
    if (turns->wide_piles > 1 && !index--) {
        lay_widest(turns, tops, numbers, choice);
        return;
    }
    choice->what = TAKE;
    choice->value = numbers[index];
}

int is_sensible(const Turns *turns, const uint8_t *tops, const Choice *choice) {
    Choice same = {0};
    unsigned cards = 0, on = 0;
    if (choice->what == TAKE) return 1;
    for (unsigned card = 1; card < PLACES; card++)
        if (choice->on[card]) {
            cards++;
            on = choice->on[card] - 1u;
        }
    if (cards == 1) return 1;
    uint8_t numbers[MOST_PILES];
    for (unsigned at = 0; at < turns->piles; at++) numbers[at] = (uint8_t)at;
    if (on < turns->piles && turns->several) {
        lay(tops, numbers, on, turns->fits[on], &same);
        if (!memcmp(&same, choice, sizeof same)) return 1;
        memset(&same, 0, sizeof same);
    }
    if (turns->wide_piles < 2) return 0;
    lay_widest(turns, tops, numbers, &same);
    return !memcmp(&same, choice, sizeof same);
}

static void choose_turn(Run *run, const Policy *p, Choice *choice) {
    const Table *t = &run->t;
    if (t->phase == STEAL) {
        uint8_t rich[MOST_PLAYERS];
        unsigned count = richest_others(t, t->seat, rich);
        *choice = (Choice){0};
        choice->value = rich[count > 1 && explores(p, &run->r) ? any_of(&run->r, count) : 0];
        return;
    }
    Turns turns;
    Bits hand = {0, 0};
    for (unsigned i = 0; i < t->hand_len[t->seat]; i++) add_bit(&hand, t->hand[t->seat][i]);
    read_turns(hand, t->pile_top, t->pile_count, t->bull_cards[t->seat], &turns);
    if (turns.options > 1 && explores(p, &run->r))
        sensible_turn(&turns, t->pile_top, t->pile_no, any_of(&run->r, turns.options), choice);
    else
        field_turn(&turns, t->pile_top, t->pile_no, choice);
}

/* A round of 6 nimmt! from a choice of cards on. All hands are equally long then, and rows are known
 * by their ends: the same game in a fraction of the time. */
typedef struct {
    const Policy *p;
    Random r;
    Ends e;
    Lower lower;
    unsigned players, left;
    uint8_t hand[MOST_PLAYERS][HAND_SIZE + 1];
    int32_t points[MOST_PLAYERS];
} Six;

static void start_six(Six *s, const Run *run, const Policy *p) {
    const Table *t = &run->t;
    s->p = p;
    s->r = run->r;
    s->e = read_ends(t);
    s->lower = run->lower;
    s->players = t->players;
    s->left = t->hand_len[0];
    for (unsigned seat = 0; seat < t->players; seat++) {
        memcpy(s->hand[seat], t->hand[seat], HAND_SIZE);
        s->points[seat] = t->points[seat];
    }
}

static unsigned six_card(const Six *s, unsigned chance, unsigned least, const uint8_t *hand) {
    unsigned best = 0, lowest = UINT32_MAX;
    for (unsigned i = 0; i < s->left; i++) {
        unsigned key = card_key(s->p, &s->e, s->lower.count, chance, least, hand[i]);
        best = key < lowest ? i : best;
        lowest = key < lowest ? key : lowest;
    }
    return best;
}

/* Every seat's card leaves its hand. */
static void six_choices(Six *s, unsigned viewer, const Choice *first, uint16_t *turn) {
    unsigned all = s->lower.count[PLACES], left = s->left;
    unsigned chance = all > left ? ((s->players - 1u) * 8 << 16) / (all - left) : 0;
    unsigned least = s->e.cost[cheapest_end(&s->e)];
    for (unsigned seat = 0; seat < s->players; seat++) {
        uint8_t *hand = s->hand[seat];
        unsigned at = 0;
        if (first && seat == viewer) at = (unsigned)find_card(hand, left, first->value);
        else if (left > 1 && explores(s->p, &s->r)) at = any_of(&s->r, left);
        else if (left > 1) at = six_card(s, chance, least, hand);
        turn[seat] = (uint16_t)(hand[at] << 4 | seat);
        for (; at + 1 < left; at++) hand[at] = hand[at + 1];
    }
}

/* Of the cheapest rows the first on the table, or any row. */
static unsigned six_row(Six *s) {
    const Ends *e = &s->e;
    unsigned found = 0;
    if (explores(s->p, &s->r)) {
        unsigned row = any_of(&s->r, ROWS);
        while (e->row[found] != row) found++;
        return found;
    }
    for (unsigned at = 1; at < ROWS; at++)
        if (e->cost[at] < e->cost[found] ||
            (e->cost[at] == e->cost[found] && e->row[at] < e->row[found]))
            found = at;
    return found;
}

static int32_t play_six(const Run *run, const Policy *p, unsigned viewer, const Choice *first) {
    Six s;
    uint16_t turn[MOST_PLAYERS];
    start_six(&s, run, p);
    for (; s.left; s.left--, first = 0) {
        six_choices(&s, viewer, first, turn);
        if (p->kind != UNIFORM)
            for (unsigned i = 0; i < s.players; i++) drop_lower(&s.lower, turn[i] >> 4);
        sort_turn(turn, s.players);
        for (unsigned i = 0; i < s.players; i++) {
            unsigned card = turn[i] >> 4, seat = turn[i] & 15;
            int at = find_end(&s.e, card);
            if (at < 0) take_low(&s.e, six_row(&s), card, seat, s.points);
            else place_at(&s.e, (unsigned)at, card, seat, s.points);
        }
    }
    return s.points[viewer];
}

int32_t play_field(const Run *start, const Policy *p, unsigned viewer, const Choice *first) {
    Run run;
    Table *t = &run.t;
    uint8_t values[MOST_PLAYERS] = {0};
    Choice choice;
    if (start->t.rules == SIX && start->t.phase == CARD) return play_six(start, p, viewer, first);
    run = *start;
    while (t->phase != NOBODY) {
        const Choice *made = first;
        if (t->phase == CARD) {
            choose_cards(&run, p, viewer, first, values);
        } else if (t->rules == ELEVEN) {
            if (!first) choose_turn(&run, p, &choice);
            made = first ? first : &choice;
        } else {
            values[t->seat] = (uint8_t)(first ? first->value : choose_number(&run, p));
        }
        int drafting = t->phase == DRAFT;
        /* What the policy chooses is legal, and so is a candidate that was checked. */
        if (apply(t, values, made) != FINE) return INT32_MIN;
        if (drafting && t->phase == CARD)
            for (unsigned row = 0; row < ROWS; row++) drop_lower(&run.lower, t->row[row][0]);
        if (t->rules == SIX && t->phase == CARD) return play_six(&run, p, viewer, 0);
        first = 0;
    }
    return t->totals[viewer];
}
