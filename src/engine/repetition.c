/*
 * One repetition: the place in the buffers, cold caches, the call of the measurement function.
 */
#include "engine/repetition.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "clock/counters.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/watchdog.h"

/* Repetitions that a reference is measured by at least. */
#define FEWEST_OF_REFERENCE 4

size_t repetition_places(const struct run *run, int64_t iterations)
{
    const struct measurement *function = run->function;
    size_t each = function->operations ? (size_t)function->operations(run) : 1;
    return (size_t)iterations * each + (function->operations ? 1 : 0);
}

static void next_buffers(struct bench *bench)
{
    struct run *run = &bench->run;
    buffers_next(&bench->buffers, run);
    bool filled = verify_fill(&bench->verification);
    if (!bench->buffers.cold && filled)
        comm_barrier(pe_set_group(run->set));
    if (!bench->buffers.cold)
        return;
    buffers_flush(&bench->buffers, &run->demand, run->settings,
                  repetition_places(run, run->iterations));
    comm_barrier(
        pe_set_group(run->set)); /* nobody may begin while others flush what it will touch */
}

double repetition_make(struct bench *bench)
{
    struct window *window = &bench->hooks.window;
    watchdog_progress();
    next_buffers(bench);
    window->started_late = window->took_too_long = false;
    bench->run.repeated++;
    return bench->run.function->run(&bench->run);
}

double repetition_count(struct bench *bench, double *counts)
{
    counters_begin();
    double value = repetition_make(bench);
    counters_end(counts);
    for (size_t i = 0; isnan(value) && i < COUNTERS_MAX; i++)
        counts[i] = NAN;
    return value;
}

struct untimed repetition_untimed(struct bench *bench)
{
    struct untimed untimed = {bench->run.iterations, bench->hooks.timing.shortest, timer_now()};
    bench->hooks.window.synchronization = SYNCHRONIZE_NONE;
    bench->run.iterations = 1;
    bench->run.untimed = true;
    return untimed;
}

void repetition_timed(struct bench *bench, const struct untimed *untimed)
{
    bench->run.untimed = false;
    bench->run.iterations = untimed->iterations;
    bench->hooks.timing.shortest = untimed->shortest;
    bench->verification.seconds += timer_seconds(timer_now() - untimed->start);
}

void repetition_prove(struct bench *bench)
{
    if (!verify_has(bench->run.function) || bench->run.function->timing == TIMING_ONCE)
        return;
    struct untimed untimed = repetition_untimed(bench);
    verify_begin(&bench->verification);
    repetition_make(bench);
    verify_end(&bench->verification);
    repetition_timed(bench, &untimed);
}

double repetition_refer(struct bench *bench)
{
    watchdog_progress();
    next_buffers(bench);
    comm_barrier(pe_set_group(bench->run.set));
    comm_quiet();
    return bench->run.function->reference(&bench->run);
}

/* What a step of the timer is of the reference, in its shortest timed region. */
static double step_of(const struct bench *bench, double mean)
{
    int64_t ticks = bench->hooks.timing.shortest;
    double step = timer_in_use->resolution;
    if (ticks == INT64_MAX)
        return 0;
    if (timer_seconds(ticks) < step)
        return fmax(fabs(mean), step / (double)bench->run.iterations);
    return fabs(mean) * step / timer_seconds(ticks);
}

struct reference repetition_reference(struct bench *bench, int64_t iterations)
{
    struct run *run = &bench->run;
    size_t count = (size_t)run->settings->min_repetitions;
    if (count < FEWEST_OF_REFERENCE)
        count = FEWEST_OF_REFERENCE;
    double *values = memory_zeroed(count, sizeof *values);
    int64_t shortest = bench->hooks.timing.shortest;
    bench->hooks.timing.shortest = INT64_MAX;
    run->measured = run->iterations;
    run->iterations = iterations;
    for (size_t i = 0; i < count; i++)
        values[i] = repetition_refer(bench);
    struct reference reference = reference_of(values, count);
    reference.step = step_of(bench, reference.mean);
    free(values);
    run->iterations = run->measured;
    bench->hooks.timing.shortest = shortest; /* of the operation alone */
    return reference;
}

double repetition_global_time(const struct bench *bench)
{
    const struct window *window = &bench->hooks.window;
    double seconds = timer_seconds(window->stop - sync_to_local(window->scheduled));
    return (seconds - timer_in_use->cost) / (double)bench->run.iterations;
}

bool repetition_failed(struct bench *bench)
{
    double failed = bench->hooks.failure ? 1 : 0;
    comm_allreduce(pe_set_group(bench->run.set), COMM_MAX, &failed, 1);
    return failed != 0;
}
