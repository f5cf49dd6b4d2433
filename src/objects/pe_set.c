/* PE sets: groups with references and topologies. */
#include "objects/pe_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct pe_set {
    int references;
    struct pe_group group;
    int *members;              /* of the group, where it needs them */
    struct topology *topology; /* NULL mostly */
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
