/*
 * A spot begins iterations if between its calls the program always calls the same: compared by a
 * sum over the spots of the calls, in which calls that repeat at once, as those of polling loops,
 * count once. Of the spots whose equal stretches cover most of the time, the one with the fewest
 * calls is that of the outermost loop.
 */
#include "trace/explain/explain.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"

#define FEWEST 3    /* iterations */
#define COVERED 0.9 /* of the time that the best one covers */

struct anchor {
    uint64_t calls, equal; /* equal: stretches that were as the one before them */
    uint64_t sum, stretch; /* the sum at its last call; of the stretch before that call */
    double last, first, covered;
};

static uint64_t mixed(uint32_t spot)
{
    uint64_t x = (spot + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 29;
}

void iterations_see(struct iterations *all, uint32_t spot, double start)
{
    if (all->last == spot + 1)
        return;
    all->last = spot + 1;
    memory_extend(all->anchors, spot, &all->anchor_room);
    struct anchor *anchor = &all->anchors[spot];
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
    all->sum += mixed(spot);
}

void iterations_decide(struct iterations *all)
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

void iterations_note(struct iterations *all, uint32_t spot, double start)
{
    bool begins = spot == all->begins && all->last != spot + 1;
    all->last = spot + 1;
    if (!begins)
        return;
    memory_extend(all->starts, all->count, &all->room);
    all->starts[all->count++] = start;
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return ORDER(*x, *y);
}

struct iterations_summary iterations_summary(const struct iterations *all)
{
    struct iterations_summary summary = {.count = all->count > 1 ? all->count - 1 : 0};
    if (summary.count == 0)
        return summary;
    double *seconds = memory_zeroed(summary.count, sizeof *seconds);
    for (size_t i = 0; i < summary.count; i++) {
        seconds[i] = iteration_seconds(all, i);
        size_t place = i < ITERATIONS_SLOWEST ? i : ITERATIONS_SLOWEST;
        while (place > 0 && seconds[i] > seconds[summary.slowest[place - 1]])
            place--;
        for (size_t later = ITERATIONS_SLOWEST - 1; later > place; later--)
            summary.slowest[later] = summary.slowest[later - 1];
        if (place < ITERATIONS_SLOWEST)
            summary.slowest[place] = i;
    }
    qsort(seconds, summary.count, sizeof *seconds, compare_doubles);
    summary.least = seconds[0];
    summary.most = seconds[summary.count - 1];
    summary.median = (seconds[(summary.count - 1) / 2] + seconds[summary.count / 2]) / 2;
    free(seconds);
    return summary;
}

void iterations_free(struct iterations *all)
{
    free(all->anchors);
    free(all->starts);
    free(all);
}
