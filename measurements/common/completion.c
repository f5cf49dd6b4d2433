/*
 * Non-blocking puts that quiet has to complete, or fence to order.
 */
#include "measurements/common/completion.h"

#if SKAMPI_SHMEM

#include <shmem.h>

/* What the next rank has after a quiet; what this one has when it sees the flag. */
static bool check(struct run *run, const struct completing *completing,
                  const struct completion *completion, int to)
{
    unsigned char back[COMPLETION_BYTES];
    int before = (run->rank + run->size - 1) % run->size;
    if (completing->set)
        return data_verify(run,
                           "what was put before the fence, when what was put after it is there",
                           completion->target, COMPLETION_BYTES, before);
    shmem_getmem(back, completion->target, COMPLETION_BYTES, to);
    return data_verify(run, "what was put before the quiet", back, COMPLETION_BYTES, run->rank);
}

bool completion_verify(struct run *run, const struct completing *completing,
                       struct completion *completion)
{
    int to = pe_set_member(run->set, (run->rank + 1) % run->size);
    pattern_fill(completion->source, COMPLETION_BYTES, data_key(run, run->rank));
    data_poison(completion->target, COMPLETION_BYTES);
    completion->flag = 0;
    run_barrier(run);
    completing->put(run, completion->target, completion->source, COMPLETION_BYTES, to);
    completing->order(run);
    if (completing->set) {
        completing->set(run, &completion->flag, 1, to);
        shmem_long_wait_until(&completion->flag, SHMEM_CMP_NE, 0);
    }
    bool right = check(run, completing, completion, to);
    shmem_quiet();
    run_barrier(run); /* nobody may begin anew while others look */
    return right;
}

#else
typedef int completion_absent; /* ISO C wants a declaration */
#endif
