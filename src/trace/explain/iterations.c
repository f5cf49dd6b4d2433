/*
 * A spot begins iterations if between its calls the program always calls the same: compared by a
 * sum over the spots of the calls, in which calls that repeat at once, as those of polling loops,
 * count once. Of the spots whose equal stretches cover most of the time, the one with the fewest
 * calls is that of the outermost loop.
 */
#include "trace/explain/explain.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

#define FEWEST 3    /* iterations; what repeats less often is no loop */
#define COVERED 0.9 /* of the time that the best one covers */

struct anchor {
    uint64_t calls, equal; /* equal: stretches that were as the one before them */
    uint64_t sum, stretch; /* the sum at its last call; of the stretch before that call */
    double last, first, covered;
};

void explain_iterations_see(struct iterations *all, uint32_t spot, double start)
{
    if (all->last == spot + 1)
        return;
    all->last = spot + 1;
    struct anchor *anchor = memory_element(all->anchors, spot, &all->anchor_room);
    uint64_t stretch = all->sum - anchor->sum;
    if (anchor->calls > 1 && stretch == anchor->stretch) {
        anchor->equal++;
        anchor->covered += start - anchor->last;
    }
    if (anchor->calls == 0)
        anchor->first = start;
    anchor->calls++;
    anchor->stretch = stretch;
    anchor->last = start;
    anchor->sum = all->sum;
    all->sum += hash_bytes(HASH_EMPTY, &spot, sizeof spot);
}

void explain_iterations_decide(struct iterations *all)
{
    double best = 0;
    uint64_t fewest = UINT64_MAX;
    all->begins = NOBODY;
    for (size_t i = 0; i < all->anchor_room; i++)
        if (all->anchors[i].equal + 1 >= FEWEST && all->anchors[i].covered > best)
            best = all->anchors[i].covered;
    for (size_t i = 0; i < all->anchor_room; i++) {
        const struct anchor *anchor = &all->anchors[i];
        bool good = anchor->equal + 1 >= FEWEST && 2 * anchor->equal > anchor->calls - 1;
        /* The first stretch has none before it to be compared with. */
        double covered = anchor->covered + anchor->covered / (double)(anchor->equal + 1);
        bool better = anchor->calls < fewest || (anchor->calls == fewest && all->begins != NOBODY &&
                                                 anchor->first < all->anchors[all->begins].first);
        if (good && covered >= COVERED * best && better) {
            fewest = anchor->calls;
            all->begins = (uint32_t)i;
        }
    }
    all->last = 0;
}

void explain_iterations_note(struct iterations *all, uint32_t spot, double start)
{
    bool begins = spot == all->begins && all->last != spot + 1;
    all->last = spot + 1;
    if (!begins)
        return;
    memory_push(all->starts, all->count, &all->room, start);
}

void explain_iterations_free(struct iterations *all)
{
    free(all->anchors);
    free(all->starts);
    free(all);
}
