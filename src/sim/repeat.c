/*
 * Predicts a run more than once: to find where its critical path is, what errors of the description
 * mean, how much slower the machine may communicate, and what calls took beyond their description.
 */
#include "sim/repeat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "sim/surplus.h"
#include "sim/sweep.h"
#include "stats/stats.h"

#define WORK_OF_PE 1000 /* opening a PE's file takes as long as replaying this many events */

uint32_t repeat_last(const struct replay *replay)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < (uint32_t)replay->run->thread_count; i++)
        last = replay->threads[i].time > replay->threads[last].time ? i : last;
    return last;
}

struct repeat repeat_of(const struct replay *done, const struct replay_options *options,
                        const char *description)
{
    struct repeat repeat = {
        .run = done->run,
        .machine = done->machine,
        .description = description,
        .several = done->several,
        .options = *options,
        .run_time = (double)done->threads[repeat_last(done)].time,
        .work = (double)done->streams.events + WORK_OF_PE * (double)done->run->pes,
    };
    repeat.options.simulated = NULL;
    repeat.options.per_pe = false;
    return repeat;
}

/* The run time on a machine (ps); NaN: the run cannot be predicted for it. */
static double time_on(const struct repeat *repeat, const struct machine *machine)
{
    struct replay replay;
    bool good = replay_run(&replay, repeat->run, machine, &repeat->options);
    double time = good ? (double)replay.threads[repeat_last(&replay)].time : NAN;
    replay_close(&replay);
    return time;
}

/* On a machine that is read again, with a variation or the first setting of a sweep (or NULL). */
static double changed_time(const struct repeat *repeat, const struct variation *variation,
                           const struct sweep *sweep)
{
    char *problem;
    struct machine *machine = sim_machine_read(repeat->description, variation, &problem);
    if (machine && sweep)
        problem = sweep_apply(machine, sweep, 0);
    double time = problem ? NAN : time_on(repeat, machine);
    free(problem);
    sim_machine_free(machine);
    return time;
}

struct profile repeat_profile(const struct repeat *repeat, const struct replay *done)
{
    struct repeat again = *repeat;
    struct profile profile;
    uint32_t last = repeat_last(done);
    const struct thread *ends = &done->threads[last];
    sim_profile_begin(&profile, done->run, &done->paths,
                      &(struct interval){.thread = last, .to = ends->time}, ends->hop);
    again.options.profile = &profile;
    time_on(&again, again.machine);
    sim_profile_end(&profile);
    return profile;
}

/* ---- Errors of the description: its numbers at the ends of their intervals ---- */

#define MOST_TOGETHER 5e7 /* most work for all errors at once */
#define WELL_KNOWN 0.01   /* numbers with smaller relative errors vary together */
#define POOR 0.1          /* numbers with at least this relative error are named */
#define MEDIAN 1.2533     /* error of a median over that of a mean: sqrt(pi / 2) */

/* Predicts both ends of a variation, and adds the squares of their effects to squares. An end with
 * which the run cannot be predicted has none. */
static struct cause vary(const struct repeat *repeat, struct variation variation, double squares[2])
{
    struct cause cause = {0};
    for (int longer = 0; longer < 2; longer++) {
        variation.longer = longer;
        double time = changed_time(repeat, &variation, NULL),
               added = isnan(time) ? 0 : time - repeat->run_time;
        squares[added > 0] += added * added;
        cause.low = added < cause.low ? added : cause.low;
        cause.high = added > cause.high ? added : cause.high;
    }
    return cause;
}

static int compare_causes(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    return ORDER(fmax(y->high, -y->low), fmax(x->high, -x->low));
}

static void find_each(struct errors *errors, const struct repeat *repeat, double squares[2])
{
    const struct machine *machine = repeat->machine;
    errors->causes = memory_zeroed(machine->uncertain_count, sizeof *errors->causes);
    vary(repeat, (struct variation){.below = WELL_KNOWN, .only = SIZE_MAX}, squares);
    for (size_t i = 0; i < machine->uncertain_count; i++) {
        const struct uncertainty *number = &machine->uncertain[i];
        if (number->relative < WELL_KNOWN)
            continue;
        struct cause cause = vary(repeat, (struct variation){.only = i}, squares);
        cause.text = number->text;
        if (number->relative >= POOR)
            errors->causes[errors->count++] = cause;
    }
    SORT(errors->causes, errors->count, compare_causes);
}

static void find_numbers(struct errors *errors, const struct repeat *repeat, bool always)
{
    const struct machine *machine = repeat->machine;
    double squares[2] = {0, 0};
    size_t each = 1;
    errors->numbers = machine->uncertain_count;
    for (size_t i = 0; i < errors->numbers; i++)
        each += machine->uncertain[i].relative >= WELL_KNOWN;
    errors->how = errors->numbers == 0                                       ? ERRORS_NONE
                  : always || 2 * (double)each * repeat->work <= REPEAT_WORK ? ERRORS_EACH
                  : 2 * repeat->work <= MOST_TOGETHER                        ? ERRORS_TOGETHER
                                                                             : ERRORS_LEFT_OUT;
    if (errors->how == ERRORS_EACH)
        find_each(errors, repeat, squares);
    else if (errors->how == ERRORS_TOGETHER)
        vary(repeat, (struct variation){.below = INFINITY, .only = SIZE_MAX}, squares);
    errors->shorter = sqrt(squares[0]);
    errors->longer = sqrt(squares[1]);
}

/* The error that the description states for the model; of threads, unless it states none of these.
 */
static double model_error(const struct repeat *repeat)
{
    const struct machine *machine = repeat->machine;
    const bool threads = repeat->run->thread_count > repeat->run->pes;
    double share = 0;
    for (size_t i = 0; i < machine->model_error_count; i++) {
        const struct model_error *error = &machine->model_errors[i];
        if (strcmp(error->model, repeat->options.model->name) == 0 &&
            (error->threads ? threads : share == 0 || !threads))
            share = error->share;
    }
    return share;
}

struct errors errors_find(const struct repeat *repeat, const struct prediction_spread *traces,
                          bool always)
{
    struct errors errors = {.traces = *traces, .model = model_error(repeat)};
    double now = repeat->run_time, model = errors.model * now;
    find_numbers(&errors, repeat, always);
    errors.low =
        fmax(now - hypot(hypot(errors.shorter, traces->half), model / (1 + errors.model)), 0);
    errors.high = now + hypot(hypot(errors.longer, traces->half), model);
    return errors;
}

struct prediction_spread errors_sample(const double *times, size_t count)
{
    struct prediction_spread sample = {.count = count};
    if (count > 1)
        sample.half = stats_student_quantile(0.975, (double)count - 1) * MEDIAN *
                      stats_standard_error(times, count);
    return sample;
}

/* ---- Tolerance: the cost at which a run is so much slower, by Newton's method ---- */

#define EXACT 0.002      /* of what the run may take longer */
#define NEAR 0.004       /* of the result: between slow and fast enough, where the run time jumps */
#define MOST_REPLAYS 60  /* for one quantity */
#define USUAL_REPLAYS 20 /* for all of them */
#define STEP_PS 1000.0   /* to find out the slope */
#define STEP_SHARE 1e-4
#define MOST_SLOWER 1e6 /* times the time per byte */

/* The run time as a function of what is added: ps to a time, or a multiple of the time per byte. */
struct curve {
    const struct repeat *repeat;
    struct sweep sweep;
    bool bytes;
    size_t replays;
};

/* ps; infinite where there can be no such machine, or the run takes too long to be predicted. */
static double run_time(struct curve *curve, double added)
{
    struct setting *setting = curve->sweep.settings;
    if (curve->bytes)
        setting->number = 1 / (1 + added);
    else
        setting->value = floor(added + 0.5);
    curve->replays++;
    double time = changed_time(curve->repeat, NULL, &curve->sweep);
    return isnan(time) ? INFINITY : time;
}

/* What is added where the run time reaches the goal; NaN: nowhere. The run time is convex where
 * nobody queues for links or locks: it is the longest of many paths, each of which grows in
 * proportion. There, a step by the slope never goes too far down, and the one that finds the path
 * unchanged is exact. Elsewhere halves are taken. */
static double solve(struct curve *curve, double goal)
{
    const double now = curve->repeat->run_time, longer = goal - now,
                 step = curve->bytes ? STEP_SHARE : STEP_PS,
                 most = curve->bytes ? MOST_SLOWER : goal,
                 slope = (run_time(curve, step) - now) / step;
    double low = 0, high = slope > 0 ? longer / slope : curve->bytes ? 1 : longer, time;
    while (high = fmin(high, most), (time = run_time(curve, high)) < goal * (1 - 1e-12)) {
        if (fabs(time - goal) <= EXACT * longer)
            return high;
        if (high >= most)
            return NAN;
        low = high;
        high *= 8;
    }
    while (fabs(time - goal) > EXACT * longer && high - low > NEAR * high &&
           curve->replays < MOST_REPLAYS) {
        double next = high - (time - goal) * step / (time - run_time(curve, high - step));
        if (!(next > low && next < high))
            next = (low + high) / 2;
        double there = run_time(curve, next);
        if (there < goal && fabs(there - goal) > EXACT * longer) {
            low = next;
        } else {
            high = next;
            time = there;
        }
    }
    return high;
}

static double find(struct tolerance *tolerance, const struct repeat *repeat, const char *option,
                   const char *value)
{
    struct curve curve = {.repeat = repeat, .bytes = value[0] == 'x'};
    char given[32];
    snprintf(given, sizeof given, "%s=%s", tolerance->between ? "buses" : "nodes", value);
    char *error = sweep_read(&curve.sweep, option, given, repeat->machine);
    double found = error ? NAN : solve(&curve, repeat->run_time * (1 + tolerance->slower));
    free(error);
    sweep_free(&curve.sweep);
    tolerance->replays += curve.replays;
    return found;
}

struct tolerance tolerance_find(const struct repeat *repeat, double slower, bool always)
{
    struct tolerance tolerance = {.between = repeat->several};
    if (!always && USUAL_REPLAYS * repeat->work > REPEAT_WORK)
        return tolerance;
    tolerance.slower = slower;
    tolerance.latency = find(&tolerance, repeat, "latency", "+1 ns") / PS_PER_SECOND;
    tolerance.overhead = find(&tolerance, repeat, "overhead", "+1 ns") / PS_PER_SECOND;
    double longer = find(&tolerance, repeat, "bandwidth", "x0.5");
    tolerance.bandwidth = longer / (1 + longer);
    return tolerance;
}

/* ---- What calls took in the trace beyond what the description of its machine says ---- */

static struct quartiles quartiles_of(const struct samples *samples, bool took)
{
    double *values = memory_zeroed(samples->count, sizeof *values);
    for (size_t i = 0; i < samples->count; i++)
        values[i] = took ? samples->of[i].took : samples->of[i].takes;
    stats_sort(values, samples->count);
    struct quartiles found = {stats_quantile_sorted(values, samples->count, 0.25),
                              stats_quantile_sorted(values, samples->count, 0.5),
                              stats_quantile_sorted(values, samples->count, 0.75)};
    free(values);
    return found;
}

/* What matters most comes first. */
static void make_rows(struct surplus *surplus, const struct comparison *comparison)
{
    const size_t count = surplus->classes.count;
    size_t *order = memory_zeroed(count, sizeof *order);
    double *sums = memory_zeroed(count, sizeof *sums);
    for (size_t i = 0; i < count; i++)
        sums[i] = -fabs(comparison->samples[i].more);
    stats_sort_order(sums, count, order);
    surplus->rows = memory_zeroed(count, sizeof *surplus->rows);
    for (size_t i = 0; i < count; i++) {
        const struct samples *samples = &comparison->samples[order[i]];
        struct surplus_row *row = &surplus->rows[i];
        memcpy(&row->class, table_key(&surplus->classes, order[i]), sizeof row->class);
        row->calls = samples->calls;
        row->took = quartiles_of(samples, true);
        row->described = quartiles_of(samples, false).median;
        row->surplus = samples->more / (double)samples->calls;
    }
    free(order);
    free(sums);
}

/* What the trace took from when the last PE had begun (ps). */
static int64_t recorded_time(const struct streams *streams)
{
    int64_t begin = 0, end = 0;
    for (int i = 0; i < streams->run->thread_count; i++) {
        begin = later(begin, streams->recorded[i].begin_time);
        end = later(end, streams->recorded[i].end);
    }
    return end - begin;
}

/* Replays the trace on its machine. Returns the run time (ps), or 0 with *error. */
static int64_t pass(struct surplus *surplus, struct run *run, const struct machine *machine,
                    const struct replay_options *options, char **error, bool *damaged)
{
    struct replay replay;
    int64_t time = 0;
    if (*error)
        return 0;
    if (replay_run(&replay, run, machine, options)) {
        time = replay.threads[repeat_last(&replay)].time;
        if (options->comparison)
            surplus->recorded = recorded_time(&replay.streams);
    } else {
        *error = memory_text(replay.error);
        *damaged = replay.found;
    }
    replay_close(&replay);
    return time;
}

struct surplus *traced_on(struct run *run, const char *path, struct machine *machine,
                          const struct replay_options *given, char **error, bool *damaged)
{
    struct surplus *surplus = memory_zeroed(1, sizeof *surplus);
    struct comparison comparison = {0};
    struct replay_options options = *given;
    surplus->machine = path;
    surplus->threads = run->thread_count;
    surplus->extras = memory_zeroed((size_t)run->thread_count, sizeof *surplus->extras);
    for (size_t i = 0; i < machine->kind_count; i++)
        machine->kinds[i].ratio = 1;
    *error = NULL;
    surplus->described = pass(surplus, run, machine, &options, error, damaged);
    options.surplus = surplus;
    options.comparison = &comparison;
    pass(surplus, run, machine, &options, error, damaged);
    options.comparison = NULL;
    surplus->adjusted = pass(surplus, run, machine, &options, error, damaged);
    if (!*error)
        make_rows(surplus, &comparison);
    for (size_t i = 0; i < surplus->classes.count; i++)
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
    for (int i = 0; i < surplus->threads; i++)
        free(surplus->extras[i].of);
    free(surplus->extras);
    table_free(&surplus->classes);
    free(surplus->rows);
    free(surplus);
}
