/*
 * Events of the hardware: which are counted, and the repetitions that count them.
 */
#include "engine/counting.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "comm/comm.h"
#include "engine/batches.h"
#include "stats/stats.h"

char *counting_choose(const char *const *names, size_t n)
{
    char *error = counters_choose(names, n);
    int64_t good = !error;
    comm_allreduce_int(comm_world(), COMM_AND, &good, 1);
    if (!good && !error) {
        counters_choose(NULL, 0);
        error = memory_text("another PE cannot count this; papi_avail shows what its node has");
    }
    return error;
}

bool counting_applies(const struct measurement *function)
{
    return counters_count() > 0 && function->timing != TIMING_ONCE &&
           function->quantity == QUANTITY_TIME;
}

void counting_run(const struct batches *timed, struct outcome *outcome)
{
    struct bench *bench = timed->bench;
    const struct run *run = &bench->run;
    int64_t longest = bench->hooks.timing.longest;
    struct samples samples = {0};
    struct batches counted = *timed;
    counted.samples = &samples;
    counted.judge = NULL;
    counted.reference = 0;
    samples_reserve(&samples, batches_most(bench) + 1, true);
    batches_run(&counted);
    for (size_t event = 0; event < counters_count(); event++) {
        for (size_t i = 0; i < samples.valid; i++)
            samples.own[i] = samples.counts[i * COUNTERS_MAX + event];
        double own = stats_trim(samples.own, samples.valid, NULL).mean / (double)run->iterations;
        double sums[] = {isnan(own) ? 0 : own, !isnan(own)};
        comm_allreduce(pe_set_group(run->set), COMM_SUM, sums, 2);
        comm_allreduce(pe_set_group(run->set), COMM_MAX, &own, 1);
        outcome->counted[event].most = own;
        outcome->counted[event].mean = sums[0] / sums[1];
    }
    bench->hooks.timing.longest = longest;
    samples_release(&samples);
}
