/* 11 nimmt!: turns one after another, piles with a window of ten, bull cards. */
#include "core.h"
#include "rows.h"

static void open_pile(Table *t, unsigned card) {
    unsigned at = t->pile_count++;
    t->pile_no[at] = t->next_pile;
    t->pile_len[at] = 1;
    t->pile_top[at] = (uint8_t)card;
    t->under[card] = 0;
    t->where[card] = (uint8_t)(128 + t->next_pile++);
}

void eleven_deal(Table *t) {
    uint8_t deck[HIGHEST];
    unsigned dealt = HAND_SIZE * t->players;
    shuffle_deal(t, deck, 100, 100);
    for (unsigned seat = 0; seat < t->players; seat++) {
        t->hand_len[seat] = HAND_SIZE;
        memcpy(t->hand[seat], deck + seat * HAND_SIZE, HAND_SIZE);
        sort_cards(t->hand[seat], HAND_SIZE);
        t->points[seat] = heads_of(t->hand[seat], HAND_SIZE);
    }
    t->pile_count = t->next_pile = 0;
    open_pile(t, deck[dealt]);
    t->draw_len = (uint8_t)(99 - dealt);
    memcpy(t->draw, deck + dealt + 1, t->draw_len);
    /* 11-21: bull cards come back to the pool for every round. */
    memset(t->bull_cards, 0, sizeof t->bull_cards);
    t->bull_pool = BULL_CARDS;
    t->phase = TURN;
    t->seat = t->start_seat;
}

/* The cards of a hand that fit on this top, by ascending gap. */
unsigned fitting(const Table *t, unsigned seat, unsigned top, uint8_t cards[WINDOW]) {
    const uint8_t *hand = t->hand[seat];
    unsigned held = t->hand_len[seat], count = 0;
    for (unsigned i = 0; i < held; i++)
        if (hand[i] > top && hand[i] <= top + WINDOW) cards[count++] = hand[i];
    /* 11-14: 1 follows 100. */
    if (top + WINDOW > 100)
        for (unsigned i = 0; i < held && hand[i] <= top + WINDOW - 100; i++) cards[count++] = hand[i];
    return count;
}

/* 11-17: the others who hold the most bull cards; nobody if no other has any. */
unsigned richest_others(const Table *t, unsigned seat, uint8_t seats[MOST_PLAYERS]) {
    unsigned most = 0, count = 0;
    for (unsigned other = 0; other < t->players; other++)
        if (other != seat && t->bull_cards[other] > most) most = t->bull_cards[other];
    for (unsigned other = 0; most && other < t->players; other++)
        if (other != seat && t->bull_cards[other] == most) seats[count++] = (uint8_t)other;
    return count;
}

static int find_pile(const Table *t, unsigned number) {
    return find_card(t->pile_no, t->pile_count, number);
}

static void next_turn(Table *t) {
    t->turn++;
    t->phase = TURN;
    t->seat = (uint8_t)((t->seat + 1) % t->players);
}

static void reveal(Table *t) {
    unsigned count = t->draw_len < 2 ? t->draw_len : 2;
    for (unsigned i = 0; i < count; i++) open_pile(t, t->draw[i]);
    t->draw_len = (uint8_t)(t->draw_len - count);
    memmove(t->draw, t->draw + count, t->draw_len);
    /* 11-5, 11-6: when the deck has run out, everyone counts. */
    if (t->draw_len) next_turn(t);
    else end_round(t);
}

static int take(Table *t, unsigned number) {
    int at = find_pile(t, number);
    if (at < 0) return ILLEGAL - t->seat;
    unsigned seat = t->seat, length = t->pile_len[at];
    t->where[t->pile_top[at]] = 0;
    for (unsigned card = t->pile_top[at]; card; card = t->under[card]) {
        add_sorted(t->hand[seat], &t->hand_len[seat], card);
        t->points[seat] += HEADS[card];
    }
    unsigned after = t->pile_count - (unsigned)at - 1;
    memmove(t->pile_no + at, t->pile_no + at + 1, after);
    memmove(t->pile_len + at, t->pile_len + at + 1, after);
    memmove(t->pile_top + at, t->pile_top + at + 1, after);
    t->pile_count--;
    uint8_t rich[MOST_PLAYERS];
    if (length >= BULL_FROM) {
        if (t->bull_pool) {
            t->bull_pool--;
            t->bull_cards[seat]++;
        } else if (richest_others(t, seat, rich)) {
            /* 11-18, 11-19: stealing is a duty, from whom is a choice. */
            t->phase = STEAL;
            return FINE;
        }
    }
    reveal(t);
    return FINE;
}

static int steal(Table *t, unsigned victim) {
    uint8_t rich[MOST_PLAYERS];
    unsigned count = richest_others(t, t->seat, rich);
    if (find_card(rich, count, victim) < 0) return ILLEGAL - t->seat;
    t->bull_cards[victim]--;
    t->bull_cards[t->seat]++;
    reveal(t);
    return FINE;
}

typedef struct {
    uint8_t card, pile, gap;
} Laid;

/* The cards that a play lays, by ascending gap; 0 when it is not legal.
 * 11-11, 11-12, 11-13: on up to as many different piles as bull cards, each card within the window
 * of the old top; without a bull card a single card. */
static unsigned laid_cards(const Table *t, const Choice *choice, Laid laid[PLACES]) {
    unsigned count = 0, piles = 0;
    uint8_t used[MOST_PILES] = {0};
    if (choice->on[0]) return 0;
    for (unsigned card = 1; card < PLACES; card++) {
        if (!choice->on[card]) continue;
        int at = find_pile(t, choice->on[card] - 1u);
        if (at < 0 || find_card(t->hand[t->seat], t->hand_len[t->seat], card) < 0) return 0;
        unsigned gap = (card + 100u - t->pile_top[at]) % 100u;
        if (gap < 1 || gap > WINDOW) return 0;
        unsigned i = count++;
        for (; i > 0 && laid[i - 1].gap > gap; i--) laid[i] = laid[i - 1];
        laid[i] = (Laid){(uint8_t)card, (uint8_t)at, (uint8_t)gap};
        piles += !used[at];
        used[at] = 1;
    }
    unsigned held = t->bull_cards[t->seat];
    return (held ? piles <= held : count == 1) ? count : 0;
}

static int play(Table *t, const Choice *choice) {
    Laid laid[PLACES];
    unsigned seat = t->seat, count = laid_cards(t, choice, laid);
    if (!count) return ILLEGAL - (int)seat;
    /* 11-14: by ascending gap from the old top, so the largest gap ends on top. */
    for (unsigned i = 0; i < count; i++) {
        unsigned card = laid[i].card, at = laid[i].pile;
        t->under[card] = t->pile_top[at];
        t->where[t->pile_top[at]] = 0;
        t->where[card] = (uint8_t)(128 + t->pile_no[at]);
        t->pile_top[at] = (uint8_t)card;
        t->pile_len[at]++;
        t->points[seat] -= HEADS[card];
        int held = find_card(t->hand[seat], t->hand_len[seat], card);
        drop_card(t->hand[seat], &t->hand_len[seat], (unsigned)held);
    }
    /* 11-24: at once, in the middle of a lap. */
    if (t->hand_len[seat]) next_turn(t);
    else end_round(t);
    return FINE;
}

int eleven_apply(Table *t, const Choice *choice) {
    if (t->phase == STEAL) return steal(t, choice->value);
    if (choice->what == TAKE) return take(t, choice->value);
    if (choice->what == PLAY) return play(t, choice);
    return ILLEGAL - t->seat;
}
