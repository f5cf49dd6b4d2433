#include "objects/pe_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct pe_set {
    int references;
    int size;
    /* Regular sets have no members: most sets are regular, and a set of 10^5 PEs costs nothing. */
    int first, stride;
    int *members;
    struct topology *topology; /* NULL mostly */
};

static void *allocate(size_t bytes)
{
    return memory_allocate(bytes);
}

struct pe_set *pe_set_strided(int first, int stride, int size)
{
    struct pe_set *set = allocate(sizeof *set);

    /* One form for each set, so that equal sets have equal fields. */
    *set = (struct pe_set){.references = 1,
                           .size = size > 0 ? size : 0,
                           .first = size > 0 ? first : 0,
                           .stride = size > 1 ? stride : 1};
    return set;
}

static bool is_regular(const int *members, int size)
{
    for (int i = 2; i < size; i++)
        if ((long)members[i] - members[i - 1] != (long)members[1] - members[0])
            return false;
    return true;
}

struct pe_set *pe_set_create(const int *members, int size)
{
    struct pe_set *set;

    if (size <= 0)
        return pe_set_strided(0, 1, 0);
    if (is_regular(members, size))
        return pe_set_strided(members[0], size > 1 ? members[1] - members[0] : 1, size);
    set = pe_set_strided(members[0], 1, size);
    set->members = allocate((size_t)size * sizeof *members);
    memcpy(set->members, members, (size_t)size * sizeof *members);
    return set;
}

struct pe_set *pe_set_reference(struct pe_set *set)
{
    set->references++;
    return set;
}

void pe_set_release(struct pe_set *set)
{
    if (!set || --set->references > 0)
        return;
    topology_release(set->topology);
    free(set->members);
    free(set);
}

int pe_set_size(const struct pe_set *set)
{
    return set->size;
}

int pe_set_member(const struct pe_set *set, int rank)
{
    return set->members ? set->members[rank] : set->first + rank * set->stride;
}

int pe_set_rank_of(const struct pe_set *set, int pe)
{
    long distance, rank;

    if (set->members) {
        for (int i = 0; i < set->size; i++)
            if (set->members[i] == pe)
                return i;
        return -1;
    }
    distance = (long)pe - set->first;
    rank = distance / set->stride;
    return distance % set->stride == 0 && rank >= 0 && rank < set->size ? (int)rank : -1;
}

bool pe_set_equal(const struct pe_set *a, const struct pe_set *b)
{
    if (a->size != b->size || (!a->members) != (!b->members))
        return false;
    if (!a->members)
        return a->first == b->first && a->stride == b->stride;
    return memcmp(a->members, b->members, (size_t)a->size * sizeof *a->members) == 0;
}

struct pe_set *pe_set_arranged(const struct pe_set *set, int size, struct topology *topology)
{
    struct pe_set *arranged = set->members ? pe_set_create(set->members, size)
                                           : pe_set_strided(set->first, set->stride, size);

    arranged->topology = topology;
    return arranged;
}

struct topology *pe_set_topology(const struct pe_set *set)
{
    return set->topology;
}

bool pe_set_regular(const struct pe_set *set, int *first, int *stride)
{
    if (set->size == 0 || set->members)
        return false;
    *first = set->first;
    *stride = set->stride;
    return true;
}

bool pe_set_active(const struct pe_set *set, int *start, int *log_stride)
{
    int stride;

    if (!pe_set_regular(set, start, &stride) || stride < 1 || (stride & (stride - 1)) != 0)
        return false;
    *log_stride = __builtin_ctz((unsigned int)stride);
    return true;
}
