/* Feeds the core with tables, choices and policies that are wrong in every way, under sanitizers.
 * Buffers are missing now and then.
 *
 * Usage: core_fuzz SEED ROUNDS. Real games are played; at every decision copies of the table are
 * damaged, a few bytes or whole fields, and given to every call. The buffers are of exactly the size
 * that a call may use, so that a sanitizer sees the first byte too many. At the end it says how many
 * damaged tables were accepted, since only those reach the rules behind the checks. */
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "random.h"
#include "simple.h"

int32_t nimmt_rollouts(const Table *, const uint8_t *, int32_t, const Choice *, int32_t,
                       const Policy *, const Policy *, const Hint *, int32_t, const Expected *, uint64_t,
                       int64_t, int32_t, Sums *);
int32_t nimmt_playouts(const Table *, const uint8_t *, int32_t, const Choice *, const Policy *,
                       const Policy *, uint64_t, int64_t, int32_t *);
int32_t nimmt_field(const Table *, int32_t, const uint8_t *, int32_t, const Evidence *, int32_t,
                    const Choice *, int32_t, const Policy *, const Policy *, uint64_t, int64_t,
                    int64_t, int64_t *, int64_t *);
int32_t nimmt_start(const Table *, Table *, int64_t, uint64_t);
int32_t nimmt_apply(Table *, const uint8_t *, const Choice *);
int32_t nimmt_legal(const Table *, int32_t, uint8_t *);
int32_t nimmt_games(const Table *, const uint8_t *, int64_t, uint64_t, int32_t *, int32_t *);
int32_t nimmt_observe(const Table *, int64_t, int32_t, uint8_t *, uint8_t *);
int32_t nimmt_step(Table *, int64_t, int32_t, const uint8_t *, const Choice *, uint8_t *,
                   uint8_t *, int32_t *, uint8_t *, int32_t *);
int32_t nimmt_train_look(const Table *, int64_t, int32_t, int32_t, uint8_t *, uint8_t *, uint8_t *);
int32_t nimmt_train_step(Table *, int64_t, int32_t, int32_t, const int32_t *, uint8_t *, uint8_t *,
                         uint8_t *, float *, int32_t *, uint8_t *, int32_t *);

static Random rng;
static long tried, accepted, searched;

static unsigned any(unsigned n) {
    return (unsigned)(next_bits(&rng) % n);
}

static void *exact(const void *from, size_t size) {
    void *made = malloc(size ? size : 1);
    if (!made) abort();
    if (from) memcpy(made, from, size);
    return made;
}

/* Now and then nothing where a call expects a buffer. */
static void *or_null(const void *given) {
    return any(60) ? (void *)(uintptr_t)given : 0;
}

static void damage(void *what, size_t size, unsigned most) {
    uint8_t *bytes = what;
    for (unsigned left = any(most + 1); left; left--) {
        size_t at = (size_t)(next_bits(&rng) % size);
        static const uint8_t likely[] = {0, 1, 2, 3, 4, 5, 10, 47, 48, 100, 104, 105, 127, 128, 255};
        bytes[at] = any(2) ? likely[any(sizeof likely)] : (uint8_t)any(256);
    }
}

/* Damage where it hurts: lengths, seats, phases and cards rather than padding. */
static void damage_table(Table *t) {
    if (any(3) == 0) damage(t, sizeof *t, 6);
    switch (any(10)) {
    case 0: t->hand_len[any(10)] = (uint8_t)any(256); break;
    case 1: t->row_len[any(4)] = (uint8_t)any(256); break;
    case 2: t->phase = (uint8_t)any(9); break;
    case 3: t->seat = (uint8_t)any(12); break;
    case 4: t->pile_count = (uint8_t)any(256); break;
    case 5: t->under[any(PLACES)] = (uint8_t)any(256); break;
    case 6: t->players = (uint8_t)any(12); break;
    case 7: t->hand[any(10)][any(10)] = (uint8_t)any(107); break;
    case 8: t->draw_len = (uint8_t)any(256); break;
    default: t->rules = (uint8_t)any(4); break;
    }
}

static void make_policy(Policy *p) {
    memset(p, 0, sizeof *p);
    p->kind = any(3);
    p->feature = any(3);
    p->epsilon = (uint32_t)next_bits(&rng);
    for (unsigned i = 0; i < MOST_LEVELS; i++) p->weight[i] = 1 + any(1u << 24);
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 64; j++) p->risk[i][j] = (uint8_t)any(256);
    for (unsigned i = 0; i < MOST_LEVELS; i++) p->shape[i] = (uint8_t)any(256);
    for (unsigned i = 0; i < PLACES; i++) p->prior[i] = (uint8_t)any(256);
    if (any(20) == 0) damage(p, sizeof *p, 8);
}

/* Mostly legal; piles are meant by position, as in rollouts, or by number. */
static void make_choice(const Table *t, Choice *c, int by_number) {
    uint8_t numbers[MOST_PILES * WINDOW];
    memset(c, 0, sizeof *c);
    int count = nimmt_legal(t, t->seat % 10, numbers);
    if (count <= 0 || any(20) == 0) {
        c->what = (uint8_t)any(4);
        c->value = (uint8_t)any(107);
        if (any(2)) c->on[any(PLACES)] = (uint8_t)any(50);
    } else if (t->phase == TURN) {
        unsigned at = any((unsigned)count), card = numbers[at * WINDOW];
        unsigned name = by_number ? t->pile_no[at] : at;
        c->what = card ? PLAY : TAKE;
        c->value = (uint8_t)name;
        if (card) c->on[card] = (uint8_t)(name + 1);
    } else {
        c->value = numbers[any((unsigned)count)];
    }
}

/* Choices that other seats might have made, by seat. */
static unsigned make_evidence(const Table *t, unsigned own, Evidence *evidence) {
    unsigned count = 0;
    memset(evidence, 0, 16 * sizeof *evidence);
    for (unsigned seat = 0; seat < t->players && seat < MOST_PLAYERS; seat++)
        for (unsigned left = seat == own ? 0 : any(3); left && count < 16; left--) {
            Evidence *e = &evidence[count++];
            e->seat = (uint8_t)seat;
            e->options = (uint16_t)(1 + any(300));
            for (unsigned card = 0; card < PLACES; card++) {
                e->beats[card] = any(4) == 0;
                e->counts[card] = (uint8_t)any(5);
            }
            if (t->rules != ELEVEN || any(2)) continue;
            e->full = 1;
            e->held = (uint8_t)any(11);
            e->pile_count = (uint8_t)(1 + any(MOST_PILES - 1));
            for (unsigned at = 0; at < e->pile_count; at++) e->tops[at] = (uint8_t)(1 + any(100));
            for (unsigned card = 1; card <= 100; card++) e->known[card] = any(8) == 0;
            make_choice(t, &e->choice, 0);
        }
    if (any(10) == 0) damage(evidence, 16 * sizeof *evidence, 10);
    return count;
}

/* What the choices of other seats might say, by seat. */
static unsigned make_hints(const Table *t, unsigned own, Hint *hints) {
    unsigned count = 0;
    memset(hints, 0, 24 * sizeof *hints);
    for (unsigned seat = 0; seat < t->players && seat < MOST_PLAYERS; seat++)
        for (unsigned left = seat == own ? 0 : any(6); left && count < 24; left--) {
            Hint *h = &hints[count++];
            h->seat = seat;
            h->base = 1 + any(any(2) ? 64 : 64 * MOST_HINT);
            for (unsigned card = 0; card < PLACES; card++)
                h->weight[card] = any(3) ? any(MOST_HINT + 1) : 0;
        }
    if (any(10) == 0) damage(hints, 24 * sizeof *hints, 10);
    return count;
}

/* What a review asks of the same table. */
static void review(const Table *t, unsigned own, const uint8_t *unseen, int32_t count,
                   const Choice *choices, unsigned candidates) {
    Evidence made[16];
    Policy model, policy;
    make_policy(&model);
    make_policy(&policy);
    unsigned known = make_evidence(t, own, made), batches = 1 + any(2);
    Evidence *evidence = exact(made, known * sizeof *made);
    if (any(8) == 0) candidates = 0;
    size_t columns = candidates ? candidates : 1;
    int64_t *sums = exact(0, batches * columns * sizeof *sums);
    int64_t *squares = exact(0, columns * sizeof *squares);
    memset(sums, 0, batches * columns * sizeof *sums);
    memset(squares, 0, columns * sizeof *squares);
    searched += nimmt_field(or_null(t), any(20) ? (int32_t)own : (int32_t)any(12) - 1, or_null(unseen),
                            count, or_null(evidence), (int32_t)known, or_null(choices),
                            (int32_t)candidates, or_null(&model), or_null(&policy), next_bits(&rng),
                            batches, 1 + any(2), or_null(sums), or_null(squares)) == FINE;
    free(evidence);
    free(sums);
    free(squares);
}

/* What one seat might know of this table: others' cards hidden, some of it damaged. */
static void search(const Table *real, int wrong) {
    Table *t = exact(real, sizeof *t);
    uint8_t unseen[256];
    int count = 0;
    unsigned own = t->seat < 10 ? t->seat : 0;
    for (unsigned seat = 0; seat < 10; seat++)
        for (unsigned i = 0; i < t->hand_len[seat] && i < HIGHEST && seat != own; i++) {
            if (count < 200) unseen[count++] = t->hand[seat][i];
            t->hand[seat][i] = 0;
        }
    for (unsigned i = 0; i < t->draw_len && i < HIGHEST && t->rules == ELEVEN; i++) {
        if (count < 200) unseen[count++] = t->draw[i];
        t->draw[i] = 0;
    }
    for (unsigned at = 0; at < MOST_PILES; at++) t->pile_no[at] = (uint8_t)at;
    if (wrong) damage_table(t);
    if (wrong && any(3) == 0) damage(unseen, 200, 3);
    uint8_t *given = exact(unseen, (size_t)count);
    unsigned choices = 1 + any(8);
    Choice *c = exact(0, choices * sizeof *c);
    for (unsigned i = 0; i < choices; i++) make_choice(real, &c[i], 0);
    Policy own_policy, others;
    make_policy(&own_policy);
    make_policy(&others);
    Hint made[24];
    unsigned known = any(2) ? make_hints(t, own, made) : 0;
    Hint *hints = exact(made, known * sizeof *made);
    Expected *expected = 0;
    if (any(3) == 0) {
        expected = exact(0, (t->players < MOST_PLAYERS ? t->players : MOST_PLAYERS) * sizeof *expected);
        for (unsigned seat = 0; seat < t->players && seat < MOST_PLAYERS; seat++) {
            expected[seat].known = any(2);
            for (unsigned card = 0; card < PLACES; card++)
                expected[seat].weight[card] = 1 + any(any(500) ? MOST_HINT : 2 * MOST_HINT);
        }
    }
    int64_t *numbers[5];
    for (unsigned i = 0; i < 5; i++) {
        size_t size = (i < 3 ? choices : choices * choices) * sizeof(int64_t);
        numbers[i] = exact(0, size);
        memset(numbers[i], 0, size);
    }
    Sums sums = {or_null(numbers[0]), or_null(numbers[1]), or_null(numbers[2]), or_null(numbers[3]),
                 or_null(numbers[4])};
    int64_t budget = any(30) == 0 ? -1 : (int64_t)choices * (1 + any(3));
    int answer = nimmt_rollouts(or_null(t), or_null(given),
                                any(40) ? count : (int32_t)any((unsigned)count + 50) - 50, or_null(c),
                                (int32_t)choices, or_null(&own_policy), or_null(&others),
                                or_null(hints), (int32_t)known, expected, next_bits(&rng), budget,
                                (int32_t)any(2), or_null(&sums));
    searched += answer == FINE;
    unsigned players = t->players;
    int32_t *points = exact(0, 3 * (players < 200 ? players : 200) * sizeof *points + 4);
    nimmt_playouts(or_null(t), or_null(given), count, or_null(c), or_null(&own_policy),
                   or_null(&others), 1, 3, or_null(points));
    if (any(3) == 0) review(t, own, given, count, c, choices);
    for (unsigned i = 0; i < 5; i++) free(numbers[i]);
    free(points);
    free(hints);
    free(expected);
    free(c);
    free(given);
    free(t);
}

/* A damaged table, and if it is taken for a table all the same, many choices on it. */
static void attack(const Table *real) {
    Table *t = exact(real, sizeof *t);
    damage_table(t);
    tried++;
    for (unsigned i = 0; i < 4; i++) {
        uint8_t *values = exact(0, MOST_PLAYERS), numbers[MOST_PILES * WINDOW];
        Choice c;
        make_choice(t, &c, 1);
        for (unsigned seat = 0; seat < MOST_PLAYERS; seat++) {
            int count = nimmt_legal(or_null(t), (int32_t)seat, or_null(numbers));
            values[seat] = count > 0 && any(8) ? numbers[any((unsigned)count)] : (uint8_t)any(256);
        }
        accepted += nimmt_apply(or_null(t), or_null(values), or_null(&c)) != BAD_TABLE;
        unsigned players = t->players;
        if (players >= 2 && players <= MOST_PLAYERS) {
            uint8_t *seen = exact(0, players * 184), *asked = exact(0, players), done;
            int32_t *rewards = exact(0, players * sizeof *rewards), answers;
            nimmt_observe(or_null(t), 1, (int32_t)players, or_null(seen), or_null(asked));
            nimmt_step(or_null(t), 1, (int32_t)players, or_null(values), or_null(&c), or_null(seen),
                       or_null(asked), or_null(rewards), or_null(&done), or_null(&answers));
            int32_t *actions = exact(0, players * sizeof *actions), *scores = exact(0, players * 4);
            uint8_t *masks = exact(0, players * (t->rules == ELEVEN ? 1212u : 109u));
            float *gains = exact(0, players * sizeof *gains);
            for (unsigned seat = 0; seat < players; seat++) actions[seat] = (int32_t)any(1300) - 40;
            int32_t flags = (int32_t)any(8);
            nimmt_train_look(or_null(t), 1, (int32_t)players, flags, or_null(seen), or_null(masks),
                             or_null(asked));
            nimmt_train_step(or_null(t), 1, (int32_t)players, flags, or_null(actions), or_null(seen),
                             or_null(masks), or_null(asked), or_null(gains), or_null(scores),
                             or_null(&done), or_null(&answers));
            free(actions);
            free(scores);
            free(masks);
            free(gains);
            free(seen);
            free(asked);
            free(rewards);
        }
        free(values);
    }
    if (any(4) == 0) search(t, 1);
    uint8_t bots[MOST_PLAYERS];
    for (unsigned i = 0; i < MOST_PLAYERS; i++) bots[i] = (uint8_t)any(8);
    int32_t points[MOST_PLAYERS], rounds;
    t->limit = t->limit > 20 ? 20 : t->limit;
    t->rounds = t->rounds > 3 ? 3 : t->rounds;
    if (any(50) == 0)
        nimmt_games(or_null(t), or_null(bots), 1, next_bits(&rng), or_null(points), or_null(&rounds));
    free(t);
}

static void play(void) {
    Table options, t;
    memset(&options, 0, sizeof options);
    options.rules = (uint8_t)any(3);
    options.players = (uint8_t)(2 + any(9));
    options.seed = next_bits(&rng);
    options.deals = (uint8_t)any(2);
    if (options.rules == SIX) options.rounds = 1;
    if (options.rules == SIX && any(3) == 0) {
        options.advanced = 1;
        options.opening_picks = (uint8_t)any(11);
    }
    if (nimmt_start(&options, &t, 1, next_bits(&rng) >> any(60)) != FINE) return;
    uint8_t bots[MOST_PLAYERS], values[MOST_PLAYERS] = {0};
    Random own[MOST_PLAYERS];
    for (unsigned i = 0; i < MOST_PLAYERS; i++) {
        bots[i] = (uint8_t)any(SIMPLE_PLAYERS);
        own[i] = random_from(next_bits(&rng));
    }
    Choice c = {0};
    while (t.phase != NOBODY) {
        for (unsigned i = 0; i < 3; i++) attack(&t);
        search(&t, 0);
        choose_simply(&t, bots, own, values, &c);
        if (nimmt_apply(&t, values, &c) != FINE) {
            fprintf(stderr, "a simple player was refused\n");
            exit(2);
        }
    }
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    rng = random_from(strtoull(arguments[1], 0, 10));
    for (long left = atol(arguments[2]); left; left--) play();
    printf("%ld %ld %ld\n", tried, accepted, searched);
    return 0;
}
