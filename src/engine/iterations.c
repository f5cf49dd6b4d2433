/*
 * The number of operations in a repetition: as the script says, as many as the timer needs, and no
 * more than there is cold memory for.
 */
#include "engine/iterations.h"

#include <math.h>

#include "clock/timer.h"
#include "comm/comm.h"

/* Where the script leaves the iterations to the engine (0), what a repetition times takes at least
 * this many resolutions of the timer, this many of its costs, and this long. */
#define LONG_ENOUGH_RESOLUTIONS 1000
#define LONG_ENOUGH_COSTS 100
#define LONG_ENOUGH_SECONDS 20e-6
/* But no more than needed once the slowest PE takes so long: what the others take does not show in
 * the result then. */
#define LONG_ENOUGH_ANYWAY 10e-3
#define MOST_ITERATIONS 1000000
#define ATTEMPTS 8

int64_t iterations_wanted(const struct run *run)
{
    for (size_t i = 0; i < measurement_parameter_count(run->function); i++)
        if (run->function->parameters[i].type == PARAMETER_ITERATIONS)
            return run->arguments[i].integer;
    return 1;
}

/* No more than there is fresh memory for; at least one. */
static int64_t limited(const struct bench *bench, int64_t wanted)
{
    const struct run *run = &bench->run;
    if (!bench->buffers.cold)
        return wanted;
    size_t places = buffers_cold_places(&bench->buffers, &run->demand);
    size_t each = repetition_places(run, 1) - repetition_places(run, 0);
    size_t most = (places - repetition_places(run, 0)) / each;
    if ((uint64_t)wanted <= most)
        return wanted;
    return most > 0 ? (int64_t)most : 1;
}

void iterations_limit(struct bench *bench)
{
    struct run *run = &bench->run;
    int64_t wanted = run->iterations;
    run->iterations = limited(bench, wanted);
    if (run->iterations < wanted)
        run_note(run, "iterations reduced to %lld: there is no more fresh memory",
                 (long long)run->iterations);
    size_t places = buffers_cold_places(&bench->buffers, &run->demand);
    size_t operations = repetition_places(run, run->iterations);
    if (bench->buffers.cold && operations > places)
        run_note(run,
                 "not everything is cold: %zu operations of an iteration share fresh memory for "
                 "only %zu",
                 operations, places);
}

struct timed {
    double shortest, longest; /* seconds, of the PEs; NaN: none times anything */
};

/* What the next repetition times. */
static struct timed timed_by_a_repetition(struct bench *bench)
{
    struct timing *timing = &bench->hooks.timing;
    double before = timing->total;
    timing->shortest_part = NAN;
    repetition_make(bench);
    double longest = timing->total - before;
    double shortest = isnan(timing->shortest_part) ? longest : timing->shortest_part;
    if (timing->total == before)
        shortest = longest = NAN; /* this PE only watches */
    double least[] = {shortest, -longest};
    comm_allreduce(pe_set_group(bench->run.set), COMM_MIN, least, 2);
    return (struct timed){least[0], -least[1]};
}

/* The same on all members. */
static double long_enough(const struct run *run)
{
    double needed = fmax(fmax(LONG_ENOUGH_RESOLUTIONS * timer_in_use->resolution,
                              LONG_ENOUGH_COSTS * timer_in_use->cost),
                         LONG_ENOUGH_SECONDS);
    comm_allreduce(pe_set_group(run->set), COMM_MAX, &needed, 1);
    return needed;
}

/* factor times as many as now, at most 100 times. */
static int64_t more_iterations(const struct bench *bench, double factor)
{
    double more = ceil((double)bench->run.iterations * fmin(factor, 100));
    return limited(bench, more < MOST_ITERATIONS ? (int64_t)more : MOST_ITERATIONS);
}

/* Of a call of the reference. */
static struct timed timed_by_the_reference(struct bench *bench)
{
    struct timing *timing = &bench->hooks.timing;
    double before = timing->total;
    timing->shortest = INT64_MAX;
    repetition_refer(bench);
    double shortest = timing->shortest == INT64_MAX ? NAN : timer_seconds(timing->shortest);
    double least[] = {shortest, -(timing->total - before)};
    comm_allreduce(pe_set_group(bench->run.set), COMM_MIN, least, 2);
    return (struct timed){least[0], -least[1]};
}

int64_t iterations_of_reference(struct bench *bench)
{
    struct run *run = &bench->run;
    double needed = long_enough(run);
    int64_t asked = run->iterations, enough = asked;
    struct timed timed = timed_by_the_reference(bench);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!(timed.shortest < needed) || timed.longest >= LONG_ENOUGH_ANYWAY)
            break;
        double factor = timed.shortest > 0 ? needed / timed.shortest * 1.1 : 100;
        run->iterations = more_iterations(bench, fmax(factor, 2));
        if (run->iterations <= enough)
            break;
        struct timed more = timed_by_the_reference(bench);
        /* What is timed call by call or burst by burst takes as long as before. */
        double grown = (double)run->iterations / (double)enough;
        if (!(more.shortest > timed.shortest * sqrt(grown)))
            break;
        enough = run->iterations;
        timed = more;
    }
    run->iterations = asked;
    return enough;
}

void iterations_choose(struct bench *bench)
{
    struct run *run = &bench->run;
    double needed = long_enough(run);
    int64_t fewest = run->function->fewest_iterations;
    run->iterations = limited(bench, fewest > 1 ? fewest : 1);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (bench->buffers.cold)
            repetition_make(bench); /* first touches of the pages count for nothing */
        struct timed timed = timed_by_a_repetition(bench);
        if (isnan(timed.shortest) || timed.shortest >= needed ||
            timed.longest >= LONG_ENOUGH_ANYWAY)
            break;
        double factor = timed.shortest > 0 ? needed / timed.shortest * 1.1 : 100;
        if (timed.longest > 0)
            factor = fmin(factor, 1.1 * LONG_ENOUGH_ANYWAY / timed.longest);
        run->iterations = more_iterations(bench, factor);
    }
    run_note(run, "iterations chosen: %lld", (long long)run->iterations);
}
