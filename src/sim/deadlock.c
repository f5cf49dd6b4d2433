/* Explains a deadlock: who waits for whom. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/state.h"

#define SHOWN 16 /* PEs of a cycle */

/* The thread for which a blocked thread waits; -1 if the trace does not tell. */
static int64_t waits_on(const struct replay *replay, uint32_t thread)
{
    switch ((enum thread_state)replay->threads[thread].state) {
    case THREAD_TOGETHER:
    case THREAD_TURN:
        return replay_missing(replay, thread);
    case THREAD_WAITS:
        return replay->waits.slots[replay->threads[thread].blocked_on].writer;
    case THREAD_LOCK:
        return replay_holder(replay, thread);
    case THREAD_BEGIN:
        return replay_pe(replay, thread);
    case THREAD_JOIN:
        return replay_other(replay, replay_pe(replay, thread), thread);
    default:
        return -1;
    }
}

/* "PE 3", or "PE 3 thread 1" where PEs have several. */
static void add_thread(struct text *text, const struct replay *replay, uint32_t thread)
{
    text_append(text, "PE %" PRIu32, replay_pe(replay, thread));
    if (replay->threads[thread].threaded)
        text_append(text, " thread %d", run_index(replay->run, (int)thread));
}

static const char *call_of(const struct replay *replay, uint32_t thread)
{
    return run_routine(replay->run, replay_blocked(replay, thread).op->routine);
}

char *replay_deadlock(const struct replay *replay)
{
    uint32_t thread = 0, threads = (uint32_t)replay->run->thread_count;
    bool *seen = memory_zeroed(threads, sizeof *seen);
    struct text text = {0};
    uint64_t blocked = 0;
    for (uint32_t i = threads; i-- > 0;)
        if (replay->threads[i].state != THREAD_ENDED) {
            blocked++;
            thread = i;
        }
    /* Follow the chain of waiting threads until it is inside the cycle, or at a thread that has
     * ended.
     */
    int64_t next = thread;
    for (; next >= 0 && replay->threads[next].state != THREAD_ENDED && !seen[next];
         next = waits_on(replay, thread)) {
        thread = (uint32_t)next;
        seen[thread] = true;
    }
    uint32_t first =
        next >= 0 && replay->threads[next].state != THREAD_ENDED ? (uint32_t)next : thread;
    text_append(&text, "deadlock: %" PRIu64 " of %" PRIu32 " %s wait for ever", blocked, threads,
                replay->run->thread_count > replay->run->pes ? "threads" : "PEs");
    thread = first;
    for (int i = 0; i < SHOWN; i++) {
        next = waits_on(replay, thread);
        text_append(&text, "%s ", i ? ";" : ":");
        add_thread(&text, replay, thread);
        if (replay->threads[thread].state == THREAD_BEGIN ||
            replay->threads[thread].state == THREAD_JOIN)
            text_append(&text, " between calls");
        else
            text_append(&text, " in %s", call_of(replay, thread));
        text_append(&text, " at %.9f s waits for ",
                    (double)replay->threads[thread].time / PS_PER_SECOND);
        if (next < 0) {
            text_append(&text, "nobody that the trace tells");
            break;
        }
        add_thread(&text, replay, (uint32_t)next);
        if (replay->threads[next].state == THREAD_ENDED) {
            text_append(&text, ", which has ended");
            break;
        }
        thread = (uint32_t)next;
        if (thread == first)
            break;
        if (i == SHOWN - 1)
            text_append(&text, "; ...");
    }
    free(seen);
    return text_take(&text);
}
