/* Rollouts of the field policy for reviews: guess what is hidden by what the others have chosen so
 * far, play every candidate on from the same guesses, and add up. `field_rollouts.py` is the same in
 * Python, number for number. */
#include "field.h"
#include "rows.h"

#define MOST_CANDIDATES 1024
#define SWEEPS 2
#define BURN_IN 32
#define KNOWN_OPTIONS 128

/* A guess of what is hidden. Beyond the cards that are dealt to hands the rest is the draw deck of
 * 11 nimmt!, or not dealt at all. */
typedef struct {
    const Table *known;
    const Policy *model; /* how the others are thought to have chosen */
    const Evidence *evidence;
    unsigned first[MOST_PLAYERS + 1]; /* where each seat's evidence begins */
    unsigned count, in_hands, hidden;
    uint8_t cards[HIGHEST];
    uint8_t owner[HIGHEST]; /* of the cards in hands, by position */
    uint8_t from[MOST_PLAYERS + 1];
    double weight[MOST_PLAYERS];
    double likely[KNOWN_OPTIONS][2]; /* by options: when the policy would choose otherwise, or so */
    Random r;
} Guesses;

static double likelihood(const Policy *p, int matches, unsigned options, int inside) {
    double share = p->kind == UNIFORM ? 1.0 : p->epsilon * 0x1p-32;
    if (matches) return (1.0 - share) + share / options;
    return share / (inside ? options : options + 1);
}

static double full_likelihood(const Policy *p, const Evidence *e, const uint8_t *cards,
                              unsigned count) {
    Bits hand = {0, 0};
    Turns turns;
    Choice choice;
    uint8_t numbers[MOST_PILES];
    for (unsigned at = 0; at < e->pile_count; at++) numbers[at] = (uint8_t)at;
    for (unsigned card = 1; card < PLACES; card++)
        if (e->known[card]) add_bit(&hand, card);
    for (unsigned i = 0; i < count; i++) add_bit(&hand, cards[i]);
    read_turns(hand, e->tops, e->pile_count, e->held, &turns);
    field_turn(&turns, e->tops, numbers, &choice);
    int matches = !memcmp(&choice, &e->choice, sizeof choice);
    return likelihood(p, matches, turns.options, is_sensible(&turns, e->tops, &e->choice));
}

/* How likely a seat was to choose as it did, if these are its hidden cards. */
static double weigh(const Guesses *g, unsigned seat) {
    const uint8_t *cards = g->cards + g->from[seat];
    unsigned count = (unsigned)(g->from[seat + 1] - g->from[seat]);
    double weight = 1.0;
    for (unsigned at = g->first[seat]; at < g->first[seat + 1]; at++) {
        const Evidence *e = &g->evidence[at];
        if (e->full) {
            weight *= full_likelihood(g->model, e, cards, count);
            continue;
        }
        unsigned beaten = e->beaten, options = e->options;
        for (unsigned i = 0; i < count; i++) {
            beaten |= e->beats[cards[i]];
            options += e->counts[cards[i]];
        }
        weight *= options < KNOWN_OPTIONS ? g->likely[options][!beaten]
                                          : likelihood(g->model, !beaten, options, 1);
    }
    return weight;
}

/* Exchange a hidden card with any other; what makes the choices less likely is accepted by its
 * share, so that in the long run guesses come by how likely they are. */
static void propose(Guesses *g) {
    unsigned i = below(&g->r, g->in_hands), j = below(&g->r, g->count);
    unsigned one = g->owner[i], other = j < g->in_hands ? g->owner[j] : MOST_PLAYERS;
    if (one == other) return;
    uint8_t card = g->cards[i];
    g->cards[i] = g->cards[j];
    g->cards[j] = card;
    double ours = weigh(g, one), theirs = other < MOST_PLAYERS ? weigh(g, other) : 1.0;
    double old = g->weight[one] * (other < MOST_PLAYERS ? g->weight[other] : 1.0);
    double now = ours * theirs;
    if (now >= old || unit(&g->r) * old < now) {
        g->weight[one] = ours;
        if (other < MOST_PLAYERS) g->weight[other] = theirs;
    } else {
        g->cards[j] = g->cards[i];
        g->cards[i] = card;
    }
}

static void next_guess(Guesses *g) {
    if (!g->first[g->known->players]) {
        shuffle(&g->r, g->cards, g->count, g->hidden);
        return;
    }
    for (unsigned left = g->in_hands * SWEEPS; left; left--) propose(g);
    /* The order of the draw deck is as likely as any other. */
    if (g->known->rules == ELEVEN)
        shuffle(&g->r, g->cards + g->in_hands, g->count - g->in_hands, g->count - g->in_hands);
}

static void start_guesses(Guesses *g, const Table *known, const uint8_t *unseen, unsigned count,
                          const Evidence *evidence, unsigned choices, const Policy *model) {
    g->known = known;
    g->model = model;
    g->evidence = evidence;
    g->count = count;
    g->in_hands = 0;
    memcpy(g->cards, unseen, count);
    for (unsigned options = 1; options < KNOWN_OPTIONS; options++)
        for (int matches = 0; matches < 2; matches++)
            g->likely[options][matches] = likelihood(model, matches, options, 1);
    unsigned at = 0;
    for (unsigned seat = 0; seat < known->players; seat++) {
        g->first[seat] = at;
        while (at < choices && evidence[at].seat == seat) at++;
        g->from[seat] = (uint8_t)g->in_hands;
        for (unsigned i = 0; i < known->hand_len[seat]; i++)
            if (!known->hand[seat][i]) g->owner[g->in_hands++] = (uint8_t)seat;
    }
    g->first[known->players] = at;
    g->from[known->players] = (uint8_t)g->in_hands;
    g->hidden = g->in_hands;
    if (known->rules == ELEVEN)
        for (unsigned i = 0; i < known->draw_len; i++) g->hidden += !known->draw[i];
}

/* A chain of guesses of its own, so that the means of batches are independent. */
static void start_batch(Guesses *g, const uint8_t *unseen, uint64_t seed, uint64_t batch) {
    g->r = random_stream(seed, batch, 0);
    memcpy(g->cards, unseen, g->count);
    shuffle(&g->r, g->cards, g->count, g->count);
    if (!g->first[g->known->players]) return;
    for (unsigned seat = 0; seat < g->known->players; seat++) g->weight[seat] = weigh(g, seat);
    for (unsigned left = BURN_IN; left; left--) next_guess(g);
}

/* The table with a guess in place of what is hidden. */
static void fill(const Guesses *g, Run *run) {
    Table *t = &run->t;
    *t = *g->known;
    const uint8_t *cards = g->cards;
    for (unsigned seat = 0; seat < t->players; seat++) {
        fill_hidden(g->known->hand[seat], t->hand_len[seat], &cards, t->hand[seat]);
        sort_cards(t->hand[seat], t->hand_len[seat]);
        if (t->rules != SIX) t->points[seat] = heads_of(t->hand[seat], t->hand_len[seat]);
        if (t->rules == X) t->points[seat] += 2 * heads_of(t->x_pile[seat], t->x_pile_len[seat]);
    }
    if (t->rules == X) t->points[t->seat] += heads_of(t->taken, t->taken_len);
    if (t->rules == ELEVEN) fill_hidden(g->known->draw, t->draw_len, &cards, t->draw);
}

/* The game ends with its round, and what was scored before does not count. */
static void make_last_round(Table *t) {
    memset(t->totals, 0, sizeof t->totals);
    t->limit = 0;
    t->rounds = t->rules == SIX;
    t->round_no = (uint16_t)(t->rules == SIX ? 0 : t->rules == X ? 1 : t->players - 1);
}

static Bits never_open(const Table *t, const uint8_t *unseen, unsigned count) {
    Bits hidden = {0, 0};
    for (unsigned i = 0; i < count; i++) add_bit(&hidden, unseen[i]);
    for (unsigned i = 0; i < t->pool_len; i++) add_bit(&hidden, t->pool[i]);
    for (unsigned seat = 0; seat < t->players; seat++)
        for (unsigned i = 0; i < t->hand_len[seat]; i++)
            if (t->hand[seat][i]) add_bit(&hidden, t->hand[seat][i]);
    return hidden;
}

int check_evidence(const Table *t, unsigned viewer, const Evidence *evidence, int32_t count) {
    if (count < 0 || count > 4096 || (count && !evidence)) return 0;
    for (int32_t i = 0; i < count; i++) {
        const Evidence *e = &evidence[i];
        if (e->seat >= t->players || e->seat == viewer || !e->options) return 0;
        if (i && e->seat < evidence[i - 1].seat) return 0;
        if (!e->full) continue;
        if (e->pile_count < 1 || e->pile_count >= MOST_PILES || e->held > BULL_CARDS) return 0;
        for (unsigned at = 0; at < e->pile_count; at++)
            if (e->tops[at] < 1 || e->tops[at] > 100) return 0;
        for (unsigned card = 101; card < PLACES; card++)
            if (e->known[card]) return 0;
    }
    return 1;
}

/* Rollouts from what `viewer` knows, `worlds` guesses in each batch. With candidates it is asked now
 * and each of them is played from every guess; without, all play the policy from here on. Sums are
 * by batch and candidate, squares by candidate, both of the viewer's points. */
API int32_t nimmt_field(const Table *known, int32_t viewer, const uint8_t *unseen,
                        int32_t unseen_count, const Evidence *evidence, int32_t evidence_count,
                        const Choice *choices, int32_t count, const Policy *model,
                        const Policy *policy, uint64_t seed, int64_t batches, int64_t worlds,
                        int64_t *sums, int64_t *squares) {
    if (!sums || !squares) return BAD_BUFFER;
    if (viewer < 0 || viewer >= MOST_PLAYERS) return BAD_NUMBER;
    unsigned own = (unsigned)viewer;
    if (!check_known(known, own, unseen, unseen_count)) return BAD_TABLE;
    if (!check_evidence(known, own, evidence, evidence_count)) return BAD_EVIDENCE;
    if (count < 0 || count > MOST_CANDIDATES || (count && (!choices || known->seat != own)))
        return BAD_CHOICE;
    for (int32_t i = 0; i < count; i++)
        if (!check_candidates(known, choices + i, 1)) return BAD_CHOICE;
    if (!policy || !model) return BAD_POLICY;
    if (!check_policy(known, policy) && known->rules != ELEVEN) return BAD_POLICY;
    if (policy->kind > GREEDY || model->kind > GREEDY) return BAD_POLICY;
    if (batches < 1 || batches > 65536 || worlds < 1 || worlds > 1 << 24) return BAD_NUMBER;
    Table last = *known;
    make_last_round(&last);
    Guesses g;
    Run start;
    unsigned columns = count ? (unsigned)count : 1;
    start_guesses(&g, &last, unseen, (unsigned)unseen_count, evidence, (unsigned)evidence_count,
                  model);
    start.lower = count_lower(never_open(known, unseen, (unsigned)unseen_count));
    for (int64_t batch = 0; batch < batches; batch++) {
        start_batch(&g, unseen, seed, (uint64_t)batch);
        for (int64_t world = 0; world < worlds; world++) {
            next_guess(&g);
            fill(&g, &start);
            start.r = random_stream(seed, (uint64_t)batch, 1 + (uint64_t)world);
            for (unsigned i = 0; i < columns; i++) {
                int64_t points = play_field(&start, policy, own, count ? &choices[i] : 0);
                if (points == INT32_MIN) return BAD_CHOICE;
                sums[batch * columns + i] += points;
                squares[i] += points * points;
            }
        }
    }
    return FINE;
}
