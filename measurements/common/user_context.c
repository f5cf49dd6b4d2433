/*
 * A user's communication contexts, and the cost of an empty quiet.
 */
#include "measurements/common/user_context.h"

#if SKAMPI_SHMEM

bool contexts_create(struct user_contexts *contexts, int count, long options)
{
    while (contexts->count < count &&
           shmem_ctx_create(options, &contexts->handles[contexts->count]) == 0)
        contexts->count++;
    return contexts->count == count;
}

void contexts_destroy(struct user_contexts *contexts)
{
    for (int i = 0; i < contexts->count; i++)
        shmem_ctx_destroy(contexts->handles[i]);
    contexts->count = 0;
}

bool contexts_open(struct run *run, struct user_contexts *contexts, int count, long options)
{
    contexts->handles = run_allocate(run, (size_t)count, sizeof *contexts->handles);
    bool good = contexts_create(contexts, count, options);
    if (!good)
        run_fail(run, "rank %d could create only %d of %d contexts", run->rank, contexts->count,
                 count);
    /* Nobody may leave while others wait for it in the rest of the set-up. */
    return run_max(run, !good) == 0;
}

static double puts_and_quiets(struct run *run, void *target, int pe, const shmem_ctx_t *context,
                              bool twice)
{
    const unsigned char byte = 0;
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++) {
        if (context) {
            shmem_ctx_putmem(*context, target, &byte, sizeof byte, pe);
            shmem_ctx_quiet(*context);
            if (twice)
                shmem_ctx_quiet(*context);
        } else {
            shmem_putmem(target, &byte, sizeof byte, pe);
            shmem_quiet();
            if (twice)
                shmem_quiet();
        }
    }
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

double empty_quiet(struct run *run, void *target, int pe, const shmem_ctx_t *context)
{
    /* The first call may find the place cold. */
    const unsigned char byte = 0;
    shmem_putmem(target, &byte, sizeof byte, pe);
    shmem_quiet();
    double once = puts_and_quiets(run, target, pe, context, false);
    return puts_and_quiets(run, target, pe, context, true) - once;
}

#else
typedef int user_context_absent; /* ISO C wants a declaration */
#endif
