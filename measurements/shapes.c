#include "measurements/shapes.h"

#include <string.h>

/* Ranks first, first + 1, ... of a set. */
struct ranks {
    int first, count;
};

static const struct ranks none = {-1, 0};

/* Whom the rank works on. */
static struct ranks targets_of(int rank, int n, enum shape shape, int therank)
{
    struct ranks next = {(rank + 1) % n, 1};
    switch (shape) {
    case SHAPE_RING:
        return next;
    case SHAPE_PAIR:
        return rank == 0 ? next : none;
    case SHAPE_SINGLE:
        return rank == therank ? next : none;
    case SHAPE_ALL_TO_ONE:
        return rank > 0 ? (struct ranks){0, 1} : none;
    case SHAPE_ONE_TO_ALL:
        return rank == 0 && n > 1 ? (struct ranks){1, n - 1} : none;
    }
    return none;
}

/* Who works on the rank. */
static struct ranks sources_of(int rank, int n, enum shape shape, int therank)
{
    struct ranks before = {(rank + n - 1) % n, 1};
    switch (shape) {
    case SHAPE_RING:
        return before;
    case SHAPE_PAIR:
        return before.first == 0 ? before : none;
    case SHAPE_SINGLE:
        return before.first == therank ? before : none;
    case SHAPE_ALL_TO_ONE:
        return rank == 0 && n > 1 ? (struct ranks){1, n - 1} : none;
    case SHAPE_ONE_TO_ALL:
        return rank > 0 ? (struct ranks){0, 1} : none;
    }
    return none;
}

struct partner shape_partner(const struct run *run, enum shape shape, int64_t therank)
{
    struct ranks targets = targets_of(run->rank, run->size, shape, (int)therank);
    struct ranks sources = sources_of(run->rank, run->size, shape, (int)therank);
    struct partner partner = {.acting = targets.count > 0,
                              .rank = targets.first,
                              .targets = targets.count,
                              .source = sources.first,
                              .sources = sources.count};
    if (partner.acting)
        partner.pe = pe_set_member(run->set, partner.rank);
    return partner;
}

int64_t argument_value(const struct measurement *function, const struct argument *arguments,
                       const char *name, int64_t otherwise)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (strcmp(function->parameters[i].name, name) == 0)
            return arguments[i].integer;
    return otherwise;
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
    return pattern_check_strided(memory, bytes, 1, 1, rank);
}

bool pattern_check_strided(const void *memory, size_t element, size_t stride, size_t count,
                           int rank)
{
    const unsigned char *byte = memory;
    for (size_t start = 0, i = 0; i < count; i++, start += element * stride)
        for (size_t at = start; at < start + element * stride; at++)
            if (byte[at] != (at < start + element ? pattern(at, rank) : 0))
                return false;
    return true;
}

double apart_or_together(struct run *run, double apart, double (*together)(struct run *))
{
    if (run->settings->cache_state == CACHE_COLD)
        return apart;
    double burst = together(run);
    return burst < apart && apart - burst <= timer_in_use->cost ? burst : apart;
}

bool warm_places(const struct run *run)
{
    return run->settings->cache_state == CACHE_WARM && run->settings->buffer_cycling;
}
