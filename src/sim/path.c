/* Keeps chains of PEs while they have users. */
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

/* Every PATH_KEPT stations, cuts off the stations of a chain that are twice as far back. */
static void cut(struct paths *paths, uint32_t hop)
{
    for (int i = 0; i < PATH_KEPT && hop; i++)
        hop = paths->hops[hop].parent;
    if (!hop)
        return;
    uint32_t parent = paths->hops[hop].parent;
    paths->hops[hop].parent = 0;
    path_drop(paths, parent);
}

uint32_t path_station(struct paths *paths, uint32_t pe, int64_t until, uint32_t parent)
{
    uint32_t hop = paths->unused;
    if (hop) {
        paths->unused = paths->hops[hop].parent;
    } else {
        if (paths->count + 1 >= paths->room) {
            paths->room = 2 * paths->room + 64;
            paths->hops = memory_resize_array(paths->hops, paths->room, sizeof *paths->hops);
        }
        hop = (uint32_t)++paths->count;
    }
    uint32_t depth = parent ? paths->hops[parent].depth + 1 : 1;
    paths->hops[hop] = (struct hop){parent, pe, 0, depth, until};
    path_keep(paths, parent);
    if (depth % PATH_KEPT == 0)
        cut(paths, hop);
    return hop;
}

void path_free(struct paths *paths)
{
    free(paths->hops);
}
