/* The least that plays a round of 6 nimmt! with 4 players in C: a shuffle of its own, no choices, no
 * checks, no views. What the core's speed is compared with. */
#include <stdint.h>

static uint64_t state = 1;

static unsigned below(unsigned n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 32) * n >> 32);
}

static int heads(int card) {
    if (card == 55) return 7;
    if (card % 11 == 0) return 5;
    if (card % 10 == 0) return 3;
    return card % 5 == 0 ? 2 : 1;
}

long minimal_rounds(long rounds) {
    long total = 0;
    int worth[105], deck[104];
    for (int card = 1; card <= 104; card++) {
        worth[card] = heads(card);
        deck[card - 1] = card;
    }
    while (rounds--) {
        for (int i = 0; i < 44; i++) {
            int j = i + (int)below(104u - (unsigned)i), card = deck[i];
            deck[i] = deck[j];
            deck[j] = card;
        }
        int tail[4], size[4] = {1, 1, 1, 1}, cost[4], points[4] = {0};
        for (int i = 0; i < 4; i++) {
            int at = i;
            for (; at > 0 && tail[at - 1] > deck[40 + i]; at--) tail[at] = tail[at - 1];
            tail[at] = deck[40 + i];
        }
        for (int i = 0; i < 4; i++) cost[i] = worth[tail[i]];
        for (int turn = 0; turn < 40; turn += 4) {
            int laid[4];
            for (int seat = 0; seat < 4; seat++) {
                int at = seat, code = deck[turn + seat] << 2 | seat;
                for (; at > 0 && laid[at - 1] > code; at--) laid[at] = laid[at - 1];
                laid[at] = code;
            }
            for (int i = 0; i < 4; i++) {
                int card = laid[i] >> 2, seat = laid[i] & 3, at = -1;
                for (int row = 0; row < 4; row++) at += tail[row] < card;
                if (at < 0) {
                    at = 0;
                    for (int row = 1; row < 4; row++)
                        if (cost[row] < cost[at]) at = row;
                    points[seat] += cost[at];
                    for (; at > 0; at--) {
                        tail[at] = tail[at - 1];
                        size[at] = size[at - 1];
                        cost[at] = cost[at - 1];
                    }
                    tail[0] = card;
                    size[0] = 1;
                    cost[0] = worth[card];
                } else if (size[at] == 5) {
                    points[seat] += cost[at];
                    tail[at] = card;
                    size[at] = 1;
                    cost[at] = worth[card];
                } else {
                    tail[at] = card;
                    size[at]++;
                    cost[at] += worth[card];
                }
            }
        }
        total += points[0];
    }
    return total;
}
