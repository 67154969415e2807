/* Determinised rollouts: guess what is hidden, play every candidate on from the same guess with the
 * same random numbers, and add up. `rollouts.py` is the same in Python, number for number. */
#include "rollouts.h"
#include "hints.h"

static unsigned count_hidden(const Table *t) {
    unsigned hidden = 0;
    for (unsigned seat = 0; seat < t->players; seat++)
        for (unsigned i = 0; i < t->hand_len[seat]; i++) hidden += !t->hand[seat][i];
    if (t->rules == ELEVEN)
        for (unsigned i = 0; i < t->draw_len; i++) hidden += !t->draw[i];
    return hidden;
}

/* What may be hidden: by what the chain knows, or without one, anything unseen anywhere. */
static void guess(const Search *s, Chain *chain, Random *r, Guess *g) {
    uint8_t dealt[HIGHEST];
    const Table *t = s->known;
    if (chain) {
        next_deal(chain, r, dealt);
    } else {
        memcpy(dealt, s->unseen, s->unseen_count);
        shuffle(r, dealt, s->unseen_count, count_hidden(t));
    }
    if (t->rules == SIX) six_guess(s, dealt, r, &g->six);
    else if (t->rules == X) x_guess(s, dealt, r, &g->x);
    else eleven_guess(s, dealt, r, &g->eleven);
}

static void run(const Search *s, const Guess *g, Random r, const Choice *first, int32_t *points) {
    if (s->known->rules == SIX) six_run(s, &g->six, r, first, points);
    else if (s->known->rules == X) x_run(s, &g->x, r, first, points);
    else eleven_run(s, &g->eleven, r, first, points);
}

/* Own points against the mean of the others', times the number of others: a whole number. */
static int32_t value_of(const Table *t, const int32_t *points) {
    int32_t sum = 0;
    for (unsigned seat = 0; seat < t->players; seat++) sum += points[seat];
    return points[t->seat] * t->players - sum;
}

static void add(Sums *sums, unsigned all, const uint8_t *left, unsigned count,
                const int32_t *values) {
    for (unsigned i = 0; i < count; i++) {
        unsigned a = left[i];
        int64_t value = values[i];
        sums->count[a]++;
        sums->sum[a] += value;
        sums->squares[a] += value * value;
        for (unsigned j = 0; j < i; j++) {
            int64_t more = value - values[j];
            sums->pair_sum[a * all + left[j]] += more;
            sums->pair_squares[a * all + left[j]] += more * more;
        }
    }
}

/* The better half, in the order of the candidates; of equals the earlier one stays. */
static unsigned halve(const Sums *sums, uint8_t *left, unsigned count) {
    uint8_t kept[MOST_CHOICES];
    unsigned keep = (count + 1) / 2, found = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned better = 0;
        for (unsigned j = 0; j < count; j++) {
            int64_t own = sums->sum[left[i]], other = sums->sum[left[j]];
            better += other < own || (other == own && j < i);
        }
        if (better < keep) kept[found++] = left[i];
    }
    memcpy(left, kept, found);
    return found;
}

static unsigned stages_for(unsigned count) {
    unsigned stages = 0;
    while (1u << stages < count) stages++;
    return stages ? stages : 1;
}

/* Both halves of the table of differences are filled, so that [i][j] = -[j][i]. */
static void mirror(Sums *sums, unsigned all) {
    for (unsigned i = 0; i < all; i++)
        for (unsigned j = 0; j < i; j++) {
            sums->pair_sum[j * all + i] = -sums->pair_sum[i * all + j];
            sums->pair_squares[j * all + i] = sums->pair_squares[i * all + j];
        }
}

/* About `budget` rollouts, the same number for each candidate; with `halving` the worse half of
 * the candidates leaves after each of log2 stages, so that most rollouts go to those that are hard
 * to tell apart. The sums are for `count` candidates and begin at nothing. */
API int32_t nimmt_rollouts(const Table *known, const uint8_t *unseen, int32_t unseen_count,
                           const Choice *choices, int32_t count, const Policy *own,
                           const Policy *others, const Hint *hints, int32_t hint_count,
                           const Expected *expected, uint64_t seed, int64_t budget,
                           int32_t halving, Sums *sums) {
    if (!sums || !sums->count || !sums->sum || !sums->squares || !sums->pair_sum ||
        !sums->pair_squares)
        return BAD_BUFFER;
    if (!known || !check_known(known, known->seat, unseen, unseen_count)) return BAD_TABLE;
    if (!check_candidates(known, choices, count)) return BAD_CHOICE;
    if (!check_policy(known, own) || !check_policy(known, others)) return BAD_POLICY;
    if (!check_hints(known, hints, hint_count)) return BAD_HINT;
    if (!check_expected(known, expected)) return BAD_EXPECTED;
    if (budget < count || budget > INT64_C(1) << 40) return BAD_NUMBER;
    Search s = {known, unseen, (unsigned)unseen_count, own, others, expected};
    uint8_t left[MOST_CHOICES];
    unsigned alive = (unsigned)count, stages = halving ? stages_for(alive) : 1;
    for (unsigned i = 0; i < alive; i++) left[i] = (uint8_t)i;
    Chain chain;
    if (hint_count)
        start_chain(&chain, known, unseen, (unsigned)unseen_count, hints, (unsigned)hint_count, seed);
    uint64_t number = 0;
    for (unsigned stage = 0; stage < stages; stage++) {
        int64_t guesses = budget / stages / alive;
        for (int64_t done = 0; done < (guesses ? guesses : 1); done++) {
            Random r = random_stream(seed, number++, 0);
            Guess g;
            int32_t values[MOST_CHOICES], points[MOST_PLAYERS];
            guess(&s, hint_count ? &chain : 0, &r, &g);
            for (unsigned i = 0; i < alive; i++) {
                run(&s, &g, r, &choices[left[i]], points);
                values[i] = value_of(known, points);
            }
            add(sums, (unsigned)count, left, alive, values);
        }
        if (stage + 1 < stages) alive = halve(sums, left, alive);
    }
    mirror(sums, (unsigned)count);
    return FINE;
}

/* Single playouts with the first candidate: the points of each, `count` times one row by seat. */
API int32_t nimmt_playouts(const Table *known, const uint8_t *unseen, int32_t unseen_count,
                           const Choice *choice, const Policy *own, const Policy *others,
                           uint64_t seed, int64_t count, int32_t *points) {
    if (count && !points) return BAD_BUFFER;
    if (!known || !check_known(known, known->seat, unseen, unseen_count)) return BAD_TABLE;
    if (!check_candidates(known, choice, 1)) return BAD_CHOICE;
    if (!check_policy(known, own) || !check_policy(known, others)) return BAD_POLICY;
    if (count < 0 || count > INT64_C(1) << 32) return BAD_NUMBER;
    Search s = {known, unseen, (unsigned)unseen_count, own, others, 0};
    for (int64_t number = 0; number < count; number++) {
        Random r = random_stream(seed, (uint64_t)number, 0);
        Guess g;
        int32_t scored[MOST_PLAYERS];
        guess(&s, 0, &r, &g);
        run(&s, &g, r, choice, scored);
        memcpy(points + number * known->players, scored, known->players * sizeof *points);
    }
    return FINE;
}

API uint64_t nimmt_random(uint64_t seed, uint64_t first, uint64_t second, const uint8_t *bounds,
                          int32_t count, uint8_t *numbers) {
    Random r = random_stream(seed, first, second);
    for (int32_t i = 0; i < count && bounds && numbers; i++)
        numbers[i] = (uint8_t)below(&r, bounds[i] > 128 ? 128 : bounds[i]);
    return next_bits(&r);
}

API int32_t nimmt_sizes(int32_t what) {
    static const int32_t sizes[] = {sizeof(Table), sizeof(Choice), sizeof(Policy), sizeof(Sums),
                                    sizeof(Evidence), sizeof(Hint), sizeof(Expected)};
    return what >= 0 && what < 7 ? sizes[what] : BAD_NUMBER;
}

#ifndef NIMMT_FINGERPRINT
#define NIMMT_FINGERPRINT "unknown"
#endif

/* What this library was built from; the loader compares it with the sources beside it. */
API const char *nimmt_fingerprint(void) {
    return NIMMT_FINGERPRINT;
}
