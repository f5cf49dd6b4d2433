/* Finds what calls took in a trace beyond what a description of its machine says. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/repeat.h"
#include "sim/surplus.h"

#define FEWEST 2 /* calls of a class that are compared */
#define PASSES 6
#define SETTLED 1e-4 /* of the run time: changes of all calls together */

#define MEDIAN_ERROR 0.93 /* standard error of a median, over IQR / sqrt(n), of normal deviates */

enum part { TOOK, TAKES, DIFFERENCE };

static double value_of(const struct sample *sample, enum part part)
{
    return part == TOOK    ? sample->took
           : part == TAKES ? sample->takes
                           : sample->took - sample->takes;
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static struct quartiles quartiles_of(const struct samples *samples, enum part part)
{
    if (!samples->count)
        return (struct quartiles){0};
    double *values = memory_zeroed(samples->count, sizeof *values);
    for (size_t i = 0; i < samples->count; i++)
        values[i] = value_of(&samples->of[i], part);
    qsort(values, samples->count, sizeof *values, compare_numbers);
    struct quartiles found = {quantile(values, samples->count, 0.25),
                              quantile(values, samples->count, 0.5),
                              quantile(values, samples->count, 0.75)};
    free(values);
    return found;
}

/* The rows of all classes, from the replay without any surplus. */
static void make_rows(struct surplus *surplus, struct comparison *comparison)
{
    surplus->count = surplus->classes.count;
    surplus->rows = memory_zeroed(surplus->count, sizeof *surplus->rows);
    for (size_t i = 0; i < surplus->count; i++) {
        const struct samples *samples = samples_of(comparison, i);
        struct surplus_row *row = &surplus->rows[i];
        memcpy(&row->class, table_key(&surplus->classes, i), sizeof row->class);
        row->calls = samples->calls;
        row->compared = samples->compared;
        row->took = quartiles_of(samples, TOOK);
        row->described = quartiles_of(samples, TAKES).median;
        row->state = samples->compared == 0       ? SURPLUS_WAITS
                     : samples->compared < FEWEST ? SURPLUS_FEW
                                                  : SURPLUS_UNCLEAR;
    }
}

/* What calls took beyond what they take: the mean, so that sums are right, but the median where
 * some have waited. 0 if that is less than its standard error: then 0 is the better guess (ps). */
static double difference(const struct samples *samples)
{
    double count = (double)samples->count, mean = 0, squares = 0;
    if (samples->waits) {
        const struct quartiles of = quartiles_of(samples, DIFFERENCE);
        return fabs(of.median) > MEDIAN_ERROR * (of.high - of.low) / sqrt(count) ? of.median : 0;
    }
    for (size_t i = 0; i < samples->count; i++)
        mean += value_of(&samples->of[i], DIFFERENCE) / count;
    for (size_t i = 0; i < samples->count; i++)
        squares += pow(value_of(&samples->of[i], DIFFERENCE) - mean, 2);
    return fabs(mean) > sqrt(squares / (count - 1) / count) ? mean : 0;
}

/* Corrects each surplus by what is left of the differences. Returns by how much all calls change
 * (ps). */
static double correct(struct surplus *surplus, struct comparison *comparison)
{
    double change = 0;
    for (size_t i = 0; i < surplus->count; i++) {
        struct surplus_row *row = &surplus->rows[i];
        const struct samples *samples = samples_of(comparison, i);
        double left = samples->compared < FEWEST ? 0 : difference(samples);
        if (left == 0)
            continue;
        row->state = SURPLUS_APPLIES;
        row->surplus = fmax(row->surplus + left, -row->described);
        change += fabs(left) * (double)row->calls;
    }
    return change;
}

/* Replays the trace on its machine. False after an error. */
static bool pass(struct surplus *surplus, struct replay *replay, struct run *run,
                 const struct machine *machine, const struct replay_options *options)
{
    struct comparison *comparison = options->comparison;
    for (size_t i = 0; i < comparison->room; i++)
        comparison->samples[i] = (struct samples){.of = comparison->samples[i].of};
    if (!replay_run(replay, run, machine, options))
        return false;
    surplus->recorded = 0;
    for (int i = 0; i < run->pes; i++)
        surplus->recorded = later(surplus->recorded, replay->streams.recorded[i]);
    surplus->adjusted = replay->threads[repeat_last(replay)].time;
    return true;
}

struct surplus *traced_on(struct run *run, const char *path, struct machine *machine,
                          const struct replay_options *given, char **error, bool *damaged)
{
    struct surplus *surplus = memory_zeroed(1, sizeof *surplus);
    struct comparison comparison = {0};
    struct replay_options options = *given;
    double change = INFINITY;
    options.surplus = surplus;
    options.comparison = &comparison;
    surplus->machine = path;
    for (size_t i = 0; i < machine->kind_count; i++)
        machine->kinds[i].ratio = 1;
    *error = NULL;
    /* What one call takes longer, another one waits less. */
    for (int i = 0; i < PASSES && change > SETTLED * (double)surplus->adjusted && !*error; i++) {
        struct replay replay;
        if (!pass(surplus, &replay, run, machine, &options)) {
            *error = memory_text(replay.error);
            *damaged = replay.found;
        } else if (i == 0) {
            make_rows(surplus, &comparison);
            surplus->described = surplus->adjusted;
        }
        change = *error || i + 1 == PASSES ? 0 : correct(surplus, &comparison);
        replay_close(&replay);
    }
    for (size_t i = 0; i < comparison.room; i++)
        free(comparison.samples[i].of);
    free(comparison.samples);
    if (!*error)
        return surplus;
    surplus_free(surplus);
    return NULL;
}

void surplus_free(struct surplus *surplus)
{
    if (!surplus)
        return;
    table_free(&surplus->classes);
    free(surplus->rows);
    free(surplus);
}
