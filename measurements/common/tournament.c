/*
 * Rounds of a tournament in which each rank meets each other one once, by the circle method.
 */
#include "measurements/common/tournament.h"

/* Rounds in which each of `count` players meets each other one. This number is odd: it is also how
 * many players turn in the circle. */
static int64_t rounds_of(int64_t count)
{
    return count < 2 ? 0 : count % 2 ? count : count - 1;
}

int64_t tournament_rounds(int size, int64_t group)
{
    if (group > size || size % group)
        return 0;
    return rounds_of(group) + group * rounds_of(size / group);
}

int tournament_pairs(int size, int64_t group, int64_t round)
{
    int64_t groups = size / group;
    return (int)(round <= rounds_of(group) ? groups * (group / 2) : groups / 2 * group);
}

/* The opponent of one of `count` in a round from 0, by the circle method (Kirkman 1847): the last
 * of an even count stays, the others turn; a and b meet in the round that is a + b modulo those.
 * -1: none, with an odd count. */
static int64_t opponent(int64_t place, int64_t count, int64_t round)
{
    int64_t turning = rounds_of(count), last = turning, other;
    if (place == last) /* twice the other is the round, modulo an odd number */
        return (round % 2 ? round + turning : round) / 2;
    other = (round - place + turning) % turning;
    if (other == place)
        other = last;
    return other < count ? other : -1;
}

/* First rounds inside of groups, then those between them, in which each rank of a group meets each
 * of the other before groups change. */
int tournament_met(int rank, int size, int64_t group, int64_t round)
{
    int64_t inside = rounds_of(group), mine = rank / group, own = rank % group;
    if (round <= inside) {
        int64_t other = opponent(own, group, round - 1);
        return other < 0 ? -1 : (int)(mine * group + other);
    }
    int64_t turn = (round - 1 - inside) % group;
    int64_t theirs = opponent(mine, size / group, (round - 1 - inside) / group);
    if (theirs < 0)
        return -1;
    int64_t step = mine < theirs ? turn : group - turn;
    return (int)(theirs * group + (own + step) % group);
}
