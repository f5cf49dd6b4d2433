/* Random numbers. */
#include "stats/random.h"

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t random_up_to(uint64_t *state, uint64_t bound)
{
    uint64_t mask = bound, drawn;

    for (int shift = 1; shift < 64; shift *= 2)
        mask |= mask >> shift;
    /* Drawing again rather than taking a remainder makes all numbers equally likely. */
    do
        drawn = random_next(state) & mask;
    while (drawn > bound);
    return drawn;
}

double random_share(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

void random_order(uint64_t *state, size_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)random_up_to(state, i);
        order[i] = order[j];
        order[j] = i;
    }
}

void random_shuffle(uint64_t *state, size_t *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        size_t j = (size_t)random_up_to(state, i), item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}
