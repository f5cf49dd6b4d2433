/*
 * A sum of longs over the victims of a load: its data.
 */
#include "measurements/common/victims_sum.h"

bool victims_sum_possible(struct run *run, const unsigned char *source, const unsigned char *target)
{
    if (((uintptr_t)source | (uintptr_t)target) % sizeof(long))
        return run_fail(run, ALIGNMENT_TEXT, sizeof(long));
    return run->settings->cache_state != CACHE_COLD ||
           run_fail(run,
                    "cannot be measured with cold caches: the operation before the one that is "
                    "timed, which lets the victims begin together, warms them; measure it "
                    "with set_cache_state(\"warm\")");
}

/* Element i of what a rank contributes. */
static long summand(const struct run *run, int rank, size_t i)
{
    return (long)(run->seed % 1009) + (long)(i % 101) + rank;
}

void victims_sum_fill(const struct run *run, unsigned char *source, unsigned char *target)
{
    long *elements = (long *)(void *)source;
    data_poison(target, run->demand.reported);
    for (size_t i = 0; i < run->demand.reported / sizeof(long); i++)
        elements[i] = summand(run, run->rank, i);
}

bool victims_sum_verify(struct run *run, const unsigned char *target, int victims)
{
    const long *elements = (const long *)(const void *)target;
    long n = victims;
    if (run->rank >= victims)
        return data_verify_untouched(run, "the target of a PE that takes no part", target,
                                     run->demand.reported);
    for (size_t i = 0; i < run->demand.reported / sizeof(long); i++) {
        long wanted = n * summand(run, 0, i) + n * (n - 1) / 2;
        if (elements[i] != wanted)
            return run_fail(
                run, "wrong data: element %zu of the sum on rank %d is %ld and should be %ld", i,
                run->rank, elements[i], wanted);
    }
    return true;
}
