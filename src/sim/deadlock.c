/* Explains a deadlock: who waits for whom. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/state.h"

#define SHOWN 16 /* PEs of a cycle */

/* Another line of the PE that has not ended. */
static int64_t other_thread(const struct replay *replay, uint32_t line)
{
    uint32_t home = replay_pe(replay, line);
    for (int i = 0; i < run_threads(replay->run, (int)home); i++) {
        int other = run_line(replay->run, (int)home, i);
        if ((uint32_t)other != line && replay->pes[other].state != PE_ENDED)
            return other;
    }
    return -1;
}

/* The line for which a blocked line waits; -1 if the trace does not tell. */
static int64_t waits_on(const struct replay *replay, uint32_t pe)
{
    switch ((enum pe_state)replay->pes[pe].state) {
    case PE_TOGETHER:
    case PE_TURN:
        return replay_missing(replay, pe);
    case PE_WAITS:
        return replay->waits.slots[replay->pes[pe].blocked_on].writer;
    case PE_LOCK:
        return replay_holder(replay, pe);
    case PE_BEGIN:
        return replay_pe(replay, pe);
    case PE_JOIN:
        return other_thread(replay, pe);
    default:
        return -1;
    }
}

/* "PE 3", or "PE 3 thread 1" where PEs have several. */
static void add_line(struct text *text, const struct replay *replay, uint32_t line)
{
    text_append(text, "PE %" PRIu32, replay_pe(replay, line));
    if (replay->pes[line].threaded)
        text_append(text, " thread %d", run_thread(replay->run, (int)line));
}

static const char *call_of(const struct replay *replay, uint32_t pe)
{
    return run_routine(replay->run, replay_blocked(replay, pe).op->routine);
}

char *replay_deadlock(const struct replay *replay)
{
    uint32_t pe = 0, lines = (uint32_t)replay->run->lines;
    bool *seen = memory_zeroed(lines, sizeof *seen);
    struct text text = {0};
    uint64_t blocked = 0;
    for (uint32_t i = lines; i-- > 0;)
        if (replay->pes[i].state != PE_ENDED) {
            blocked++;
            pe = i;
        }
    /* Follow the chain of waiting lines until it is inside the cycle, or at a line that has ended.
     */
    int64_t next = pe;
    for (; next >= 0 && replay->pes[next].state != PE_ENDED && !seen[next];
         next = waits_on(replay, pe)) {
        pe = (uint32_t)next;
        seen[pe] = true;
    }
    uint32_t first = next >= 0 && replay->pes[next].state != PE_ENDED ? (uint32_t)next : pe;
    text_append(&text, "deadlock: %" PRIu64 " of %" PRIu32 " %s wait for ever", blocked, lines,
                replay->run->lines > replay->run->pes ? "threads" : "PEs");
    pe = first;
    for (int i = 0; i < SHOWN; i++) {
        next = waits_on(replay, pe);
        text_append(&text, "%s ", i ? ";" : ":");
        add_line(&text, replay, pe);
        if (replay->pes[pe].state == PE_BEGIN || replay->pes[pe].state == PE_JOIN)
            text_append(&text, " between calls");
        else
            text_append(&text, " in %s", call_of(replay, pe));
        text_append(&text, " at %.9f s waits for ", (double)replay->pes[pe].time / PS_PER_SECOND);
        if (next < 0) {
            text_append(&text, "nobody that the trace tells");
            break;
        }
        add_line(&text, replay, (uint32_t)next);
        if (replay->pes[next].state == PE_ENDED) {
            text_append(&text, ", which has ended");
            break;
        }
        pe = (uint32_t)next;
        if (pe == first)
            break;
        if (i == SHOWN - 1)
            text_append(&text, "; ...");
    }
    free(seen);
    return text_take(&text);
}
