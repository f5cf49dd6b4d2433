/* Groups: ranks and members of those that communicate. */
#include "comm/pe_group.h"

#include <stddef.h>
#include <string.h>

struct pe_group pe_group_strided(int first, int stride, int size)
{
    return (struct pe_group){.size = size > 0 ? size : 0,
                             .first = size > 0 ? first : 0,
                             .stride = size > 1 ? stride : 1};
}

static bool is_regular(const int *members, int size)
{
    for (int i = 2; i < size; i++)
        if ((long)members[i] - members[i - 1] != (long)members[1] - members[0])
            return false;
    return true;
}

struct pe_group pe_group_listed(const int *members, int size)
{
    struct pe_group group;

    if (size <= 0)
        return pe_group_strided(0, 1, 0);
    if (is_regular(members, size))
        return pe_group_strided(members[0], size > 1 ? members[1] - members[0] : 1, size);
    group = pe_group_strided(members[0], 1, size);
    group.members = members;
    return group;
}

int pe_group_member(const struct pe_group *group, int rank)
{
    return group->members ? group->members[rank] : group->first + rank * group->stride;
}

int pe_group_rank_of(const struct pe_group *group, int pe)
{
    long distance, rank;

    if (group->members) {
        for (int i = 0; i < group->size; i++)
            if (group->members[i] == pe)
                return i;
        return -1;
    }
    distance = (long)pe - group->first;
    rank = distance / group->stride;
    return distance % group->stride == 0 && rank >= 0 && rank < group->size ? (int)rank : -1;
}

bool pe_group_equal(const struct pe_group *a, const struct pe_group *b)
{
    if (a->size != b->size || (!a->members) != (!b->members))
        return false;
    if (!a->members)
        return a->first == b->first && a->stride == b->stride;
    return memcmp(a->members, b->members, (size_t)a->size * sizeof *a->members) == 0;
}

bool pe_group_regular(const struct pe_group *group, int *first, int *stride)
{
    if (group->size == 0 || group->members)
        return false;
    *first = group->first;
    *stride = group->stride;
    return true;
}
