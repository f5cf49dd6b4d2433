/* Says who waits for whom when nobody can go on. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/state.h"

#define SHOWN 16 /* PEs of a cycle */

/* The PE that a blocked one waits for; -1: none that the trace tells. */
static int64_t waits_on(const struct replay *replay, uint32_t pe)
{
    switch ((enum pe_state)replay->pes[pe].state) {
    case PE_TOGETHER:
        return replay_missing(replay, pe);
    case PE_WAITS:
        return replay->waits.slots[replay->pes[pe].blocked_on].writer;
    case PE_LOCK:
        return replay_holder(replay, pe);
    default:
        return -1;
    }
}

static const char *call_of(const struct replay *replay, uint32_t pe)
{
    return run_routine(replay->run, replay_blocked(replay, pe).op->routine);
}

char *replay_deadlock(const struct replay *replay)
{
    uint32_t pe = 0, pes = (uint32_t)replay->run->pes;
    bool *seen = memory_zeroed(pes, sizeof *seen);
    struct text text = {0};
    uint64_t blocked = 0;
    for (uint32_t i = pes; i-- > 0;)
        if (replay->pes[i].state != PE_ENDED) {
            blocked++;
            pe = i;
        }
    /* Somewhere along the chain the cycle begins, or somebody who has ended. */
    int64_t next = pe;
    for (; next >= 0 && replay->pes[next].state != PE_ENDED && !seen[next];
         next = waits_on(replay, pe)) {
        pe = (uint32_t)next;
        seen[pe] = true;
    }
    uint32_t first = next >= 0 && replay->pes[next].state != PE_ENDED ? (uint32_t)next : pe;
    text_append(&text, "deadlock: %" PRIu64 " of %" PRIu32 " PEs wait for ever", blocked, pes);
    pe = first;
    for (int i = 0; i < SHOWN; i++) {
        next = waits_on(replay, pe);
        text_append(&text, "%s PE %" PRIu32 " in %s at %.9f s waits for ", i ? ";" : ":", pe,
                    call_of(replay, pe), (double)replay->pes[pe].time / PS_PER_SECOND);
        if (next < 0) {
            text_append(&text, "nobody that the trace tells");
            break;
        }
        text_append(&text, "PE %" PRId64, next);
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
