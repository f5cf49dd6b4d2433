/*
 * Quiet and fence: with nothing outstanding, and alone after a put.
 */
#include "measurements/common/completion.h"

#if SKAMPI_SHMEM

#include <shmem.h>

static int next_pe(const struct run *run)
{
    return pe_set_member(run->set, (run->rank + 1) % run->size);
}

static double run_empty(struct run *run, void (*order)(void))
{
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        order();
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

static double run_quiet(struct run *run)
{
    return run_empty(run, shmem_quiet);
}

static double run_fence(struct run *run)
{
    return run_empty(run, shmem_fence);
}

/* Bursts of puts, each followed by order (NULL: by nothing), drained untimed after each burst:
 * puts that only a fence follows would pile up. */
static double put_loop(struct run *run, void (*order)(void))
{
    double seconds = 0;
    size_t bytes = run->demand.local;
    int pe = next_pe(run);
    int64_t burst = run->settings->max_outstanding;
    for (int64_t done = 0; done < run->iterations; done += burst) {
        int64_t count = run->iterations - done < burst ? run->iterations - done : burst;
        int64_t start = timer_now();
        for (int64_t i = 0; i < count; i++) {
            shmem_putmem(run->remote + (size_t)(done + i) * run->remote_step,
                         run->local + (size_t)(done + i) * run->local_step, bytes, pe);
            if (order)
                order();
        }
        seconds += run_elapsed(run, start, timer_now());
        shmem_quiet();
    }
    return seconds / (double)run->iterations;
}

static void warm(struct run *run)
{
    if (!warm_places(run))
        return;
    shmem_putmem(run->remote, run->local, run->demand.local, next_pe(run));
    shmem_quiet();
}

static double run_after_put(struct run *run, void (*order)(void))
{
    warm(run);
    run_start(run);
    double seconds = put_loop(run, order);
    run_stop(run);
    return seconds;
}

static double run_quiet_put(struct run *run)
{
    return run_after_put(run, shmem_quiet);
}

static double run_fence_put(struct run *run)
{
    return run_after_put(run, shmem_fence);
}

static double put_alone(struct run *run)
{
    warm(run);
    return put_loop(run, NULL);
}

/* As it is in front of its quiet, with nothing outstanding. */
static double put_before_quiet(struct run *run)
{
    size_t bytes = run->demand.local;
    int pe = next_pe(run);
    struct apart apart = {0};
    warm(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        apart_begin(&apart);
        shmem_putmem(run->remote + (size_t)i * run->remote_step,
                     run->local + (size_t)i * run->local_step, bytes, pe);
        apart_end(&apart);
        shmem_quiet();
    }
    return apart_or_together(run, apart_seconds(&apart, run->iterations), put_alone);
}

static void fill(struct run *run)
{
    pattern_fill(run->local, run->demand.local, data_key(run, run->rank));
    data_poison(run->remote, run->demand.remote);
}

static void put(struct run *run, void *target, const void *source, size_t bytes, int pe)
{
    (void)run;
    shmem_putmem_nbi(target, source, bytes, pe);
}

static void set(struct run *run, long *flag, long value, int pe)
{
    (void)run;
    shmem_long_p(flag, value, pe);
}

static void quiet(struct run *run)
{
    (void)run;
    shmem_quiet();
}

static void fence(struct run *run)
{
    (void)run;
    shmem_fence();
}

static const struct completing by_quiet = {put, NULL, quiet}, by_fence = {put, set, fence};

static bool verify(struct run *run)
{
    size_t bytes = run->demand.local;
    bool right =
        completion_verify(run, run->function->variant, (struct completion *)(void *)run->scratch);
    return data_verify(run, "the data that the rank before put", run->remote, bytes,
                       (run->rank + run->size - 1) % run->size) &&
           data_verify(run, "the source of a put", run->local, bytes, run->rank) && right;
}

#endif

static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    (void)pes;
    demand->local = demand->remote = demand->reported =
        (size_t)argument_value(function, arguments, "nb", 0);
    demand->scratch = sizeof(struct completion);
}

#define COMMON                                                                                     \
    .api = API_OPENSHMEM, .who = "all", .demand = demand, .fill = WITH_SHMEM(fill),                \
    .verify = WITH_SHMEM(verify), .moves = MOVES_NOTHING
#define QUIET .variant = WITH_SHMEM(&by_quiet)
#define FENCE .variant = WITH_SHMEM(&by_fence)
/* clang-format off */
#define BYTES_PUT {"nb", PARAMETER_INT, "bytes", "data put to the next rank before each call", .size = true, .example = "1024"}
/* clang-format on */
#define AFTER_PUT .timing = TIMING_PARTS, .parameters = {ITERATIONS, BYTES_PUT}

const struct measurement measurements_ordering[] = {
    {"Shmem_Quiet", "quiet with nothing outstanding", .routine = "shmem_quiet", COMMON, QUIET,
     .parameters = {ITERATIONS}, .run = WITH_SHMEM(run_quiet), .timing = TIMING_WHOLE,
     .timed = "quiet", .cost = "quiet"},
    {"Shmem_Fence", "fence with nothing outstanding", .routine = "shmem_fence", COMMON, FENCE,
     .parameters = {ITERATIONS}, .run = WITH_SHMEM(run_fence), .timing = TIMING_WHOLE,
     .timed = "fence", .cost = "fence"},
    {"Shmem_Quiet_Put", "quiet alone after a put to the next rank", .routine = "shmem_quiet",
     .calls = "shmem_put", COMMON, QUIET, AFTER_PUT, .run = WITH_SHMEM(run_quiet_put),
     .timed = "put + quiet", .reference = WITH_SHMEM(put_before_quiet),
     .subtracted = "the put, with nothing outstanding before it", .cost = "wire + quiet"},
    {"Shmem_Fence_Put", "fence alone after a put to the next rank", .routine = "shmem_fence",
     .calls = "shmem_put", COMMON, FENCE, AFTER_PUT, .run = WITH_SHMEM(run_fence_put),
     .timed = "put + fence", .reference = WITH_SHMEM(put_alone),
     .subtracted = "the put, measured alone", .cost = "fence"},
    {.name = NULL},
};
