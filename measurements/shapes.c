#include "measurements/shapes.h"

struct partner shape_partner(const struct run *run, enum shape shape, int64_t therank)
{
    int n = run->size, next = (run->rank + 1) % n, before = (run->rank + n - 1) % n;
    int only = shape == SHAPE_PAIR ? 0 : (int)therank;
    struct partner partner = {.acting = shape == SHAPE_RING || run->rank == only,
                              .rank = next,
                              .pe = pe_set_member(run->set, next),
                              .source = shape == SHAPE_RING || before == only ? before : -1};
    return partner;
}

static unsigned char pattern(size_t position, int rank)
{
    return (unsigned char)(position * 7 + (size_t)rank * 31 + position / 251 + 1);
}

void pattern_fill(void *memory, size_t bytes, int rank)
{
    unsigned char *byte = memory;
    for (size_t i = 0; i < bytes; i++)
        byte[i] = pattern(i, rank);
}

bool pattern_check(const void *memory, size_t bytes, int rank)
{
    const unsigned char *byte = memory;
    for (size_t i = 0; i < bytes; i++)
        if (byte[i] != pattern(i, rank))
            return false;
    return true;
}

bool warm_places(const struct run *run)
{
    return run->settings->cache_state == CACHE_WARM && run->settings->buffer_cycling;
}
