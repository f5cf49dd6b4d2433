/* PE sets: groups with references and topologies. */
#include "objects/pe_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* Sets with more text than this are not listed in results. */
#define LONGEST_MEMBERS 4096

struct pe_set {
    int references;
    struct pe_group group;
    int *members;              /* of the group, or NULL if the group is strided */
    struct topology *topology; /* or NULL */
};

static struct pe_set *create(struct pe_group group)
{
    struct pe_set *set = memory_zeroed(1, sizeof *set);

    set->references = 1;
    set->group = group;
    if (group.members) {
        set->members = memory_allocate((size_t)group.size * sizeof *set->members);
        memcpy(set->members, group.members, (size_t)group.size * sizeof *set->members);
        set->group.members = set->members;
    }
    return set;
}

struct pe_set *pe_set_strided(int first, int stride, int size)
{
    return create(pe_group_strided(first, stride, size));
}

struct pe_set *pe_set_create(const int *members, int size)
{
    return create(pe_group_listed(members, size));
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
    if (set->topology)
        topology_release(set->topology);
    free(set->members);
    free(set);
}

const struct pe_group *pe_set_group(const struct pe_set *set)
{
    return &set->group;
}

int pe_set_size(const struct pe_set *set)
{
    return set->group.size;
}

int pe_set_member(const struct pe_set *set, int rank)
{
    return pe_group_member(&set->group, rank);
}

int pe_set_rank_of(const struct pe_set *set, int pe)
{
    return pe_group_rank_of(&set->group, pe);
}

bool pe_set_equal(const struct pe_set *a, const struct pe_set *b)
{
    return pe_group_equal(&a->group, &b->group);
}

struct pe_set *pe_set_arranged(const struct pe_set *set, int size, struct topology *topology)
{
    struct pe_set *arranged = set->members
                                  ? pe_set_create(set->members, size)
                                  : pe_set_strided(set->group.first, set->group.stride, size);

    arranged->topology = topology;
    return arranged;
}

struct topology *pe_set_topology(const struct pe_set *set)
{
    return set->topology;
}

bool pe_set_regular(const struct pe_set *set, int *first, int *stride)
{
    return pe_group_regular(&set->group, first, stride);
}

bool pe_set_active(const struct pe_set *set, int *start, int *log_stride)
{
    int stride;

    if (!pe_set_regular(set, start, &stride) || stride < 1 || (stride & (stride - 1)) != 0)
        return false;
    *log_stride = __builtin_ctz((unsigned int)stride);
    return true;
}

/* What tells a long set from others of the same size. */
static char *short_text(const struct pe_set *set)
{
    int size = pe_set_size(set);
    uint64_t hash = HASH_EMPTY;
    for (int rank = 0; rank < size; rank++) {
        int pe = pe_set_member(set, rank);
        hash = hash_bytes(hash, &pe, sizeof pe);
    }
    return text_format("%d,...,%d #%016llx", pe_set_member(set, 0), pe_set_member(set, size - 1),
                       (unsigned long long)hash);
}

char *pe_set_text(const struct pe_set *set)
{
    char *text;
    size_t length;
    FILE *stream = memory_stream(&text, &length);
    int size = pe_set_size(set);
    for (int rank = 0, last; rank < size && ftell(stream) <= LONGEST_MEMBERS; rank = last + 1) {
        int first = pe_set_member(set, rank);
        last = rank;
        while (last + 1 < size && pe_set_member(set, last + 1) == first + last + 1 - rank)
            last++;
        fprintf(stream, last > rank ? "%s%d-%d" : "%s%d", rank > 0 ? "," : "", first,
                first + last - rank);
    }
    if (fclose(stream) != 0)
        memory_missing();
    if (length <= LONGEST_MEMBERS)
        return text;
    free(text);
    return short_text(set);
}
