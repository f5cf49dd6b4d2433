/* Locks. The PE of a lock grants it in the order in which requests arrive there. A clear_lock needs
 * no event there: the first request in the queue gets the lock when it is clear, and else the next
 * one that arrives, which is an event. */
#include "base/memory.h"
#include "sim/state.h"

struct lock_state {
    uint32_t holder;      /* 1 + thread; 0: free */
    uint32_t before;      /* 1 + the thread that held it before the holder, or 0 */
    uint32_t first, last; /* 1 + the first and the last thread that waits; first 0: none does */
    int64_t cleared;      /* when the clear_lock that freed it began (ps) */
    int64_t free_at;      /* when the lock became free (ps) */
    int64_t compute;      /* computing on the path of the thread that cleared it (ps) */
    uint32_t hop;
};

static uint32_t lock_number(struct replay *replay, uint64_t place)
{
    size_t number = table_number(&replay->lock_numbers, &place, sizeof place);
    memory_extend(replay->locks, number, &replay->lock_room);
    return (uint32_t)number;
}

/* What a call of a lock takes, as an atomic at the lock's PE, by a way. Unless its cost is
 * described, clear_lock does not wait for an answer, like an atomic that fetches nothing. */
static struct phases phases_on(const struct replay *replay, const struct step *step,
                               const struct way *way, enum cost_class class, int64_t busy)
{
    bool described = way_has(way, class);
    return replay->options.model->takes(&(struct message){
        .bus = way,
        .way = way_of(way, described ? class : COST_ATOMIC, step->op->bytes),
        .bytes = step->op->bytes,
        .kind = MESSAGE_ATOMIC,
        .busy = busy,
        .fetching = described || class == COST_LOCK,
        .blocking = true,
    });
}

static struct phases phases_of(const struct replay *replay, const struct step *step,
                               enum cost_class class)
{
    uint32_t home = replay_lock_home(replay, step);
    return phases_on(replay, step, replay_bus(replay, step->thread, home), class,
                     replay_busy(replay, step->thread, home));
}

/* Time from the call until the caller knows the answer, if nothing delays it. */
static int64_t whole(const struct phases *takes)
{
    return takes->issue + takes->request + takes->receive + takes->flight + takes->answer;
}

/* Least time of a set_lock that finds its lock held, since PEs queue by further messages. before is
 * 1 + the thread that held it. 0 if it is not described. */
static int64_t held_time(const struct replay *replay, const struct step *step, uint32_t before)
{
    const uint32_t threads[] = {replay_lock_home(replay, step), before - 1};
    int64_t longest = 0;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        const struct way *way = replay_bus(replay, step->thread, threads[i]);
        const struct phases takes = phases_on(replay, step, way, COST_LOCK_HELD, 0);
        longest = way_has(way, COST_LOCK_HELD) ? later(longest, whole(&takes)) : longest;
    }
    return longest;
}

/* A thread takes a lock that is free again, and goes on. */
static void take(struct replay *replay, struct lock_state *lock, const struct step *step)
{
    const struct phases takes = phases_of(replay, step, COST_LOCK);
    int64_t there = step->start + takes.issue + takes.request;
    int64_t begin = later(lock->free_at, there);
    int64_t leaves = begin + takes.receive + takes.flight + takes.answer;
    lock->holder = step->thread + 1;
    if (begin > there) {
        replay_follow(replay, step->thread, lock->compute, lock->hop);
        int64_t handed =
            way_latency(replay_bus(replay, lock->before - 1, step->thread), COST_HAND_OVER);
        leaves = handed >= 0 ? later(step->start + whole(&takes), lock->cleared + handed)
                             : later(leaves, step->start + held_time(replay, step, lock->before));
    }
    replay_release(replay, step, leaves, begin - there);
}

void replay_lock(struct replay *replay, const struct step *step)
{
    const struct phases takes = phases_of(replay, step, COST_LOCK);
    struct thread *self = &replay->threads[step->thread];
    self->state = THREAD_ASKS;
    self->blocked_on = lock_number(replay, step->op->place);
    queue_set(&replay->queue, step->thread, step->start + takes.issue + takes.request);
}

void replay_lock_arrives(struct replay *replay, uint32_t thread)
{
    const struct step step = replay_blocked(replay, thread);
    struct thread *self = &replay->threads[thread];
    struct lock_state *lock = &replay->locks[self->blocked_on];
    if (!lock->holder) {
        take(replay, lock, &step);
        return;
    }
    self->state = THREAD_LOCK;
    self->next = 0;
    if (lock->first)
        replay->threads[lock->last - 1].next = thread + 1;
    else
        lock->first = thread + 1;
    lock->last = thread + 1;
}

/* A failed test_lock asks as set_lock does, and changes nothing. */
void replay_try_lock(struct replay *replay, const struct step *step)
{
    const struct phases takes = phases_of(replay, step, COST_LOCK);
    replay_finish(replay, step, step->start + whole(&takes), 0);
}

void replay_unlock(struct replay *replay, const struct step *step)
{
    struct lock_state *lock = &replay->locks[lock_number(replay, step->op->place)];
    struct thread *self = &replay->threads[step->thread];
    const struct phases takes = phases_of(replay, step, COST_UNLOCK);
    /* A lock is cleared when all that was done under it is complete, if the library waits for that.
     */
    int64_t begin = step->start;
    if (!replay->machine->unlock_overtakes)
        begin = later(begin, replay_home(replay, step->thread)->context.known);
    int64_t done = begin + takes.issue + takes.request + takes.receive;
    if (done > LAST_TIME)
        replay_too_late(replay, step->thread);
    path_drop(&replay->paths, lock->hop);
    lock->cleared = begin;
    lock->free_at = done;
    lock->before = lock->holder;
    lock->holder = 0;
    lock->compute = self->path_compute;
    lock->hop = path_station(&replay->paths, step->thread, done, self->hop);
    path_keep(&replay->paths, lock->hop);
    replay_finish(replay, step,
                  takes.returns == RETURNS_ISSUED ? begin + takes.issue
                                                  : done + takes.flight + takes.answer,
                  begin - step->start);
    if (!lock->first)
        return;
    const struct step next = replay_blocked(replay, lock->first - 1);
    lock->first = replay->threads[next.thread].next;
    take(replay, lock, &next);
}

int64_t replay_holder(const struct replay *replay, uint32_t pe)
{
    return (int64_t)replay->locks[replay->threads[pe].blocked_on].holder - 1;
}
