/* Keeps chains of threads while they have users. */
#include "sim/path.h"

#include <stdlib.h>

#include "base/memory.h"

void path_keep(struct paths *paths, uint32_t hop)
{
    if (hop)
        paths->hops[hop].users++;
}

void path_drop(struct paths *paths, uint32_t hop)
{
    while (hop && --paths->hops[hop].users == 0) {
        uint32_t parent = paths->hops[hop].parent;
        paths->hops[hop].parent = paths->unused;
        paths->unused = hop;
        hop = parent;
    }
}

uint32_t path_station(struct paths *paths, uint32_t thread, int64_t until, uint32_t parent)
{
    uint32_t hop = paths->unused;
    if (hop) {
        paths->unused = paths->hops[hop].parent;
    } else {
        hop = (uint32_t)++paths->count;
        memory_extend(paths->hops, hop, &paths->room);
    }
    paths->hops[hop] = (struct hop){parent, thread, 0, until};
    path_keep(paths, parent);
    if (__builtin_expect(paths->profile != NULL, 0))
        profile_station(paths->profile, thread, until);
    return hop;
}

struct interval *path_intervals(const struct paths *paths, uint32_t thread, int64_t end,
                                uint32_t hop, size_t *count)
{
    *count = 1;
    for (uint32_t at = hop; at; at = paths->hops[at].parent)
        ++*count;
    struct interval *intervals = memory_zeroed(*count, sizeof *intervals), *next = intervals;
    for (; hop; hop = paths->hops[hop].parent) {
        const struct hop *before = &paths->hops[hop];
        *next++ = (struct interval){thread, before->thread, before->until, end};
        thread = before->thread;
        end = before->until;
    }
    *next = (struct interval){thread, PROFILE_NOBODY, 0, end};
    return intervals;
}

void path_free(struct paths *paths)
{
    free(paths->hops);
}
