/* Locks: who held them while others waited. */
#include "trace/explain/locks.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/explain/past.h"

#define HOLDERS 64 /* of a lock that are kept */

struct holder {
    uint32_t line;
    struct call call; /* the one that clears the lock */
    double released, ideal;
};

struct lock {
    struct holder holders[HOLDERS]; /* a ring */
    size_t count;
};

struct locks {
    struct table places;
    struct lock **of;
    size_t room;
};

static struct lock *lock_of(struct step *step)
{
    int64_t place = event_value(step->event, TRACE_TARGET, 0);
    if (!step->explain->locks)
        step->explain->locks = memory_zeroed(1, sizeof(struct locks));
    struct locks *locks = step->explain->locks;
    size_t number = table_number(&locks->places, &place, sizeof place);
    memory_extend(locks->of, number, &locks->room);
    if (!locks->of[number])
        locks->of[number] = memory_zeroed(1, sizeof(struct lock));
    return locks->of[number];
}

void lock_start(struct step *step)
{
    if (step->kind->kind != OP_UNLOCK)
        return;
    struct lock *lock = lock_of(step);
    lock->holders[lock->count++ % HOLDERS] =
        (struct holder){step->number, step->line->call, step->start, step->line->ideal};
}

void lock_got(struct step *step, double since)
{
    const struct lock *lock = lock_of(step);
    size_t first = lock->count, oldest = lock->count > HOLDERS ? lock->count - HOLDERS : 0;
    while (first > oldest && lock->holders[(first - 1) % HOLDERS].released > since)
        first--;
    if (lock->count)
        step_ideal(shares_of(step->explain, step->line, step->event->phase), step->line,
                   lock->holders[(lock->count - 1) % HOLDERS].ideal);
    for (size_t i = first; i < lock->count; i++) {
        const struct holder *holder = &lock->holders[i % HOLDERS];
        if (holder->line == step->number)
            continue;
        struct wait wait = step_wait(step, CAUSE_LOCK);
        wait.by = holder->line;
        wait.by_call = holder->call;
        wait.from = since;
        wait.until = fmin(holder->released, step->end);
        step_add(step, wait, true);
        since = fmax(since, wait.until);
    }
}

void locks_free(struct locks *locks)
{
    for (size_t i = 0; locks && i < locks->places.count; i++)
        free(locks->of[i]);
    if (!locks)
        return;
    table_free(&locks->places);
    free(locks->of);
    free(locks);
}
