/*
 * From the valid repetitions to the numbers of a result, and their way to PE 0.
 */
#include "engine/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/samples.h"
#include "stats/series.h"
#include "stats/stats.h"

/* ---- Memory ---- */

void outcome_begin(struct outcome *outcome, const struct pe_set *set)
{
    int size = pe_set_size(set);
    outcome_free(outcome);
    if (comm_pe() != 0 && comm_pe() != pe_set_member(set, 0))
        return;
    outcome->per_pe = memory_zeroed((size_t)size, sizeof *outcome->per_pe);
    for (int i = 0; i < size; i++)
        outcome->per_pe[i] = NAN;
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->per_pe);
    free(outcome->samples);
    free(outcome->controls);
    *outcome = (struct outcome){0};
}

/* ---- Statistics ---- */

/* The level of which the result is the mean. */
struct main_level {
    size_t first, size; /* among the sorted values */
};

/* The levels that the sorted times lie on, each with its share of their sum. Returns the one that
 * has the largest share, and keep[] marks its repetitions. One level: nothing is found. */
static struct main_level find_levels(const struct samples *samples, const double *sorted,
                                     struct statistics *statistics, bool *keep)
{
    size_t n = samples->valid, first = 0, most = 0, begin = 0;
    struct series_level levels[RESULT_LEVELS_MAX];
    size_t count = series_levels(sorted, n, CHANGE_LEAST, levels, RESULT_LEVELS_MAX);
    double all = stats_mean(sorted, n) * (double)n;
    if (count <= 1)
        return (struct main_level){0, n};
    for (size_t i = 0; i < count; i++) {
        double sum = stats_mean(sorted + first, levels[i].count) * (double)levels[i].count;
        statistics->levels[i] = (struct result_level){levels[i].value, sum / all};
        if (i == 0 || statistics->levels[i].share > statistics->levels[most].share) {
            most = i;
            begin = first;
        }
        first += levels[i].count;
    }
    statistics->level_count = count;
    double lowest = sorted[begin], highest = sorted[begin + levels[most].count - 1];
    for (size_t i = 0; i < n; i++)
        keep[i] = samples->max[i] >= lowest && samples->max[i] <= highest;
    return (struct main_level){begin, levels[most].count};
}

/* The mean of the middle of n values, which is what a line shows, and its error; keep (may be NULL)
 * marks the middle. */
static void conclude_time(const struct bench *bench, const double *values, size_t n, bool *keep,
                          struct statistics *statistics)
{
    const struct window_rules *rules = &bench->run.settings->window;
    bool mpiperf = bench->services.window.rule == WINDOW_MPIPERF;
    struct stats_trimmed trimmed =
        mpiperf ? stats_trim_share(values, n, rules->trim, keep) : stats_trim(values, n, keep);
    statistics->kept = trimmed.kept;
    statistics->time = trimmed.mean;
    statistics->standard_error = hypot(trimmed.standard_error, statistics->subtracted_error);
    statistics->error = statistics->time_low = statistics->time_high = NAN;
    statistics->time_confidence = NAN;
    if (!mpiperf)
        return;
    struct stats_interval found = stats_trimmed_interval(values, n, rules->trim, rules->confidence);
    statistics->standard_error = hypot(found.standard_error, statistics->subtracted_error);
    statistics->error = statistics->standard_error * found.quantile;
    statistics->time_low = statistics->time - statistics->error;
    if (!bench->run.function->any_sign)
        statistics->time_low = stats_not_below_0(statistics->time, statistics->time_low);
    statistics->time_high = statistics->time + statistics->error;
    statistics->time_confidence = isnan(statistics->error) ? NAN : rules->confidence;
}

/* This PE's mean over the kept repetitions, to the set's rank 0. */
static void gather_own(const struct run *run, const struct samples *samples, const bool *keep,
                       double *per_pe)
{
    double own = 0, kept = 0;
    for (size_t i = 0; i < samples->valid; i++) {
        own += keep[i] ? samples->own[i] : 0;
        kept += keep[i];
    }
    own = samples->valid == 0 ? NAN : own / kept;
    if (run->settings->max_nr_node_times > 0)
        comm_gather(pe_set_group(run->set), &own, sizeof own, per_pe);
}

static void describe_distribution(const struct run *run, const struct samples *samples,
                                  const double *sorted, struct statistics *statistics)
{
    size_t n = samples->valid;
    statistics->autocorrelation = series_autocorrelation(samples->max, n);
    statistics->effective = series_effective_size(n, series_correlation(samples->max, n));
    statistics->mean = stats_mean(samples->max, n);
    statistics->deviation = stats_deviation(samples->max, n);
    statistics->median = stats_median_sorted(sorted, n);
    samples_interval(&samples->aim, sorted, n, statistics->effective, statistics->subtracted_error,
                     MEDIAN_CONFIDENCE, &statistics->median_low, &statistics->median_high);
    if (!run->function->any_sign)
        statistics->median_low = stats_not_below_0(statistics->median, statistics->median_low);
    statistics->confidence = MEDIAN_CONFIDENCE;
    statistics->minimum = n ? sorted[0] : NAN;
    statistics->maximum = n ? sorted[n - 1] : NAN;
    statistics->p5 = stats_quantile_sorted(sorted, n, 0.05);
    statistics->p25 = stats_quantile_sorted(sorted, n, 0.25);
    statistics->p75 = stats_quantile_sorted(sorted, n, 0.75);
    statistics->p95 = stats_quantile_sorted(sorted, n, 0.95);
    statistics->p99 = stats_quantile_sorted(sorted, n, 0.99);
    statistics->p999 = stats_quantile_sorted(sorted, n, 0.999);
}

void outcome_conclude(struct bench *bench, struct samples *samples,
                      const struct references *references, struct outcome *outcome)
{
    const struct run *run = &bench->run;
    struct statistics *statistics = &outcome->statistics;
    if (references) {
        struct reference mean = references_mean(references);
        double most[] = {mean.mean, mean.step};
        comm_allreduce(pe_set_group(run->set), COMM_MAX, most, 2);
        statistics->subtracted = most[0];
        statistics->subtracted_step = most[1];
    }
    statistics->subtracted_error = samples->subtracted_error;
    size_t n = samples->valid;
    double *sorted = memory_zeroed(n ? n : 1, sizeof *sorted);
    memcpy(sorted, samples->max, n * sizeof *sorted);
    stats_sort(sorted, n);
    bool *keep = memory_zeroed(n ? n : 1, sizeof *keep);
    struct main_level level = {0, n};
    if (run->settings->levels)
        level = find_levels(samples, sorted, statistics, keep);
    if (statistics->level_count > 0)
        conclude_time(bench, sorted + level.first, level.size, NULL, statistics);
    else
        conclude_time(bench, samples->max, n, keep, statistics);
    gather_own(run, samples, keep, outcome->per_pe);
    free(keep);
    describe_distribution(run, samples, sorted, statistics);
    free(sorted);
    statistics->warm_up = samples->warm_up;
    statistics->iterations = run->iterations;
    statistics->skewed = bench->services.skewed;
    statistics->not_cold = bench->services.not_cold;
    statistics->valid = n;
    statistics->invalid = samples->invalid;
    statistics->late = samples->late;
    statistics->overruns = samples->overruns;
    statistics->window = window_applies(run) ? sync_seconds(bench->services.window.width) : 0;
    outcome->window_changes = samples->changes;
}

/* ---- To PE 0 ---- */

static char *pack(const struct notes *notes, size_t *bytes)
{
    char *text = memory_zeroed(1, 1);
    for (size_t i = 0; i < notes->count; i++) {
        size_t more = strlen(notes->text[i]) + 1;
        text = memory_resize(text, *bytes + more);
        memcpy(text + *bytes, notes->text[i], more);
        *bytes += more;
    }
    return text;
}

/* From the set's rank 0, which is `root`, to PE 0; both call it. */
static void pass(int root, void *data, size_t bytes)
{
    if (comm_pe() == root)
        comm_send(0, data, bytes);
    else
        comm_receive(root, data, bytes);
}

/* Of an array that PE 0 does not have yet; an empty one is NULL there. */
static void *pass_array(int root, void *array, size_t count, size_t size)
{
    if (comm_pe() == 0)
        array = count > 0 ? memory_zeroed(count, size) : NULL;
    if (count > 0)
        pass(root, array, count * size);
    return array;
}

static void pass_outcome(int root, struct outcome *outcome, struct notes *notes, int size)
{
    double *per_pe = outcome->per_pe;
    size_t bytes = 0; /* of all notes */
    char *text = comm_pe() == root ? pack(notes, &bytes) : NULL;
    pass(root, outcome, sizeof *outcome);
    pass(root, &bytes, sizeof bytes);
    pass(root, per_pe, (size_t)size * sizeof *per_pe);
    outcome->per_pe = per_pe;
    outcome->samples =
        pass_array(root, outcome->samples, outcome->sample_count, sizeof *outcome->samples);
    outcome->controls =
        pass_array(root, outcome->controls, outcome->control_count, sizeof *outcome->controls);
    text = pass_array(root, text, bytes, 1);
    if (comm_pe() == 0)
        notes_clear(notes);
    for (size_t at = 0; comm_pe() == 0 && at < bytes; at += strlen(text + at) + 1)
        notes_add(notes, memory_text(text + at));
    free(text);
}

void outcome_bring(struct outcome *outcome, struct notes *notes, const struct pe_set *set)
{
    int root = pe_set_member(set, 0), size = pe_set_size(set);
    if (root != 0 && (comm_pe() == root || comm_pe() == 0))
        pass_outcome(root, outcome, notes, size);
    for (size_t i = 0; i < counters_count(); i++)
        outcome->counted[i].name = counters_name(i);
}

/* ---- Flags and notes ---- */

/* A result is marked when its timed regions are shorter than this many resolutions of the timer. */
#define WELL_ABOVE 10
/* ... unless they are no more than this share of what the slowest PE takes. */
#define SMALL_SHARE 0.01
/* Neighbouring repetitions are alike, above what chance makes of independent ones. */
#define ALIKE 0.5
#define FEWEST_ALIKE 12
/* Noted when this many repetitions for each valid one were longer than their window. */
#define LEFT_OUT_SHARE 0.1
#define LEFT_OUT_FEWEST 3
/* A result this many standard errors below zero is an error of the method. */
#define WITHIN_ERROR 2.0

static void flag(struct statistics *statistics, enum result_flag flag)
{
    statistics->flags |= 1u << flag;
}

/* Whether the times of this PE are too small to show in the result. */
static bool share_is_small(const struct samples *samples)
{
    double own = 0, all = 0;
    for (size_t i = 0; i < samples->valid; i++) {
        own += samples->own[i];
        all += samples->max[i];
    }
    return fabs(own) < SMALL_SHARE * all;
}

static void remark_resolution(struct bench *bench, const struct samples *samples,
                              struct statistics *statistics)
{
    struct run *run = &bench->run;
    int64_t ticks = bench->services.timing.shortest;
    double shortest = ticks == INT64_MAX ? INFINITY : timer_seconds(ticks);
    char took[40], resolution[40];
    if (shortest >= WELL_ABOVE * timer_in_use->resolution || share_is_small(samples))
        return;
    flag(statistics, RESULT_BELOW_RESOLUTION);
    run_note(run, "timed regions of %s are not well above the timer's resolution of %s: %s",
             numbers_time(took, shortest, 3), numbers_time(resolution, timer_in_use->resolution, 3),
             measurement_iterations(run->function) && run->function->timing != TIMING_ONCE
                 ? "time more operations together (iterations, set_max_outstanding)"
                 : "choose a finer timer (--timers)");
}

/* What is subtracted, as its timer reads it, counts by its weight in the result. */
static void remark_subtracted(struct run *run, struct statistics *statistics)
{
    double time = fabs(statistics->time);
    char step[40];
    statistics->subtracted_from = time;
    if (!run->function->reference)
        return;
    if (WELL_ABOVE * statistics->subtracted_step > time) {
        flag(statistics, RESULT_BELOW_RESOLUTION);
        run_note(run,
                 "what is subtracted is too short for the timer: its resolution makes up to %s of "
                 "the result",
                 numbers_time(step, statistics->subtracted_step, 3));
    }
    struct result_subtracted much =
        reference_much(run->function->subtracted, statistics->subtracted, time);
    char *text = reference_text(&much);
    if (text)
        run_note(run, "%s", text);
    free(text);
}

/* Of a time, which cannot be. */
static void remark_negative(struct run *run, struct statistics *statistics)
{
    char text[40];
    flag(statistics, RESULT_NEGATIVE);
    if (statistics->time + WITHIN_ERROR * statistics->standard_error >= 0) {
        run_note(run, "below zero by %s, which is within its error: printed as 0",
                 numbers_time(text, -statistics->time, 3));
        statistics->time = 0;
        return;
    }
    run_note(run,
             "clearly below zero, so do not use this value: the subtracted costs were higher alone "
             "than inside the measurement. The true time is at most %s, the value before they "
             "were subtracted",
             numbers_time(text, statistics->time + statistics->subtracted, 4));
}

/* "53.2 ns, 95 % interval below 297 ns": as many digits as the interval allows. */
static char *median_text(double median, double low, double high, double confidence)
{
    char of[3][40];
    int digits = numbers_digits(median, (high - low) / 2);
    numbers_time(of[0], median, digits > 2 ? digits : 3);
    numbers_time(of[2], high, digits > 2 ? digits : 3);
    if (low == 0 && high > 0)
        return text_format("%s, %g %% interval below %s", of[0], confidence * 100, of[2]);
    return text_format("%s, %g %% interval [%s, %s]", of[0], confidence * 100,
                       numbers_time(of[1], low, digits > 2 ? digits : 3), of[2]);
}

/* What set_precision() did not reach, with what there is. */
static void remark_precision(struct run *run, const struct samples *samples, const char *median,
                             double width)
{
    const struct aim *aim = &samples->aim;
    double seconds = timer_seconds(timer_now() - samples->began);
    char took[32], reached[32], wanted[32];
    numbers_text(took, seconds, 3);
    if (samples->valid < aim->least)
        run_note(run,
                 "precision: median %s, from %zu valid repetitions in %s s; %zu are needed: "
                 "give more time (--point-time, set_precision)",
                 median, samples->valid, took, aim->least);
    else
        run_note(run,
                 "precision: median %s: within %s %% after %s s, not within %s %%: give "
                 "more time (--point-time, set_precision), or measure on a quiet machine",
                 median, numbers_text(reached, 50 * width, 2), took,
                 numbers_text(wanted, 50 * aim->width, 3));
}

static void remark_median(struct run *run, const struct samples *samples,
                          const struct statistics *statistics, bool reached)
{
    double low, high;
    double width = stop_median_interval(&samples->aim, samples->max, samples->valid,
                                        samples->subtracted_error, &low, &high);
    bool precise = samples->aim.precise;
    if (precise && (reached || isnan(low)))
        return; /* it is as asked for, or remark_interval() has said why it is not known */
    if (!run->function->any_sign)
        low = stats_not_below_0(statistics->median, low);
    if (isnan(low)) {
        char median[40];
        run_note(run, "median %s; too few independent repetitions for an interval",
                 numbers_time(median, statistics->median, 3));
        return;
    }
    char *text = median_text(statistics->median, low, high, samples->aim.confidence);
    if (precise)
        remark_precision(run, samples, text, width);
    else
        run_note(run, "median %s%s", text, reached ? "" : ": wider than you asked for");
    free(text);
}

/* Whether the rule's aim was reached, and what else ended the measurement. */
static void remark_stop(struct bench *bench, const struct samples *samples,
                        struct statistics *statistics)
{
    struct run *run = &bench->run;
    enum window_rule rule = bench->services.window.rule;
    if (samples->out_of_time)
        flag(statistics, RESULT_TIME_BUDGET);
    if (samples->out_of_time && !samples->aim.precise)
        run_note(run, "time limit reached after %zu valid repetitions", samples->valid);
    if ((rule != WINDOW_CLASSIC && rule != WINDOW_DISSEMINATION) ||
        run->function->timing == TIMING_ONCE)
        return;
    /* What was left out after the last batch counts for a precision that somebody asked for. */
    bool reached = samples->aim.precise ? stop_reached(&samples->aim, samples->max, samples->valid,
                                                       samples->subtracted_error)
                                        : samples->reached;
    if (!reached)
        flag(statistics, RESULT_NOT_CONVERGED);
    if (samples->aim.median)
        remark_median(run, samples, statistics, reached);
}

static void remark_interval(struct run *run, const struct samples *samples,
                            struct statistics *statistics)
{
    double low = statistics->median_low, high = statistics->median_high;
    double time = statistics->time, error = statistics->standard_error;
    bool is_time = run->function->quantity == QUANTITY_TIME;
    /* The mean of the middle, which lines show, may be wide alone. */
    bool mean = error > 0 && result_is_imprecise(time, time - error, time + error);
    bool median = result_is_imprecise(statistics->median, low, high);
    /* What was counted once is exact. */
    if ((!mean && !median) || (isnan(low) && !is_time))
        return;
    flag(statistics, RESULT_IMPRECISE);
    if (isnan(low)) {
        run_note(run,
                 "imprecise: %zu valid repetitions, which say as much as %.0f independent "
                 "ones, are too few for an interval of the median",
                 statistics->valid, statistics->effective);
    } else if (is_time && !samples->aim.precise) {
        char *text = median_text(statistics->median, low, high, statistics->confidence);
        run_note(run, "imprecise: median %s", text);
        free(text);
    }
}

/* What is known about the repetitions beyond their times. */
static void remark_repetitions(struct run *run, const struct samples *samples,
                               struct statistics *statistics)
{
    size_t n = samples->valid;
    if (samples->warm_up > 0) {
        flag(statistics, RESULT_WARM_UP);
        run_note(run,
                 "warm-up: the first %zu repetitions were slower than what followed, and are "
                 "left out",
                 samples->warm_up);
    }
    if (n >= FEWEST_ALIKE && statistics->effective < (double)n &&
        statistics->autocorrelation > ALIKE) {
        flag(statistics, RESULT_AUTOCORRELATED);
        run_note(run,
                 "autocorrelated: neighbouring repetitions correlate by %.2f, so %zu of them say "
                 "as much as %.0f independent ones",
                 statistics->autocorrelation, n, statistics->effective);
    }
    if (samples->too_long >= LEFT_OUT_FEWEST &&
        (double)samples->too_long > LEFT_OUT_SHARE * (double)n) {
        flag(statistics, RESULT_SLOW_LEFT_OUT);
        run_note(run,
                 "slow repetitions are missing: %zu were longer than their window, %zu fit; "
                 "set_levels(1) counts them",
                 samples->too_long, n);
    }
    if (samples->invalid > n)
        flag(statistics, RESULT_FEW_VALID);
    if (statistics->level_count > 0)
        flag(statistics, RESULT_LEVELS);
}

/* Such repetitions do not come from one steady state. Where the interval of their median holds the
 * median of most of them, the result describes that level, and is not doubtful. */
static void remark_change(struct run *run, const struct samples *samples,
                          struct statistics *statistics)
{
    struct series_change change = series_change(samples->max, samples->valid);
    if (change.p > CHANGE_P ||
        fabs(change.after - change.before) <= CHANGE_LEAST * fmin(change.before, change.after))
        return;
    char before[40], after[40];
    double longer = 2 * change.at > samples->valid ? change.before : change.after;
    if (!(statistics->median_low <= longer && longer <= statistics->median_high))
        flag(statistics, RESULT_LEVEL_SHIFT);
    run_note(run,
             "level changed: median %s in the first %zu repetitions, %s in the other %zu: a later "
             "run may find either, or something in between",
             numbers_time(before, change.before, 4), change.at,
             numbers_time(after, change.after, 4), samples->valid - change.at);
}

/* MPIPerf's columns. */
static void remark_mpiperf(struct run *run, const struct statistics *statistics)
{
    run_note(run,
             "mpiperf: runs %zu, valid %zu, kept %zu, mean %.6g ns, SE %.4g ns, min %.6g ns, "
             "max %.6g ns, error %.4g ns, %g %% interval [%.6g, %.6g] ns",
             statistics->valid + statistics->invalid, statistics->valid, statistics->kept,
             (statistics->time_low + statistics->error) * 1e9, statistics->standard_error * 1e9,
             statistics->minimum * 1e9, statistics->maximum * 1e9, statistics->error * 1e9,
             run->settings->window.confidence * 100, statistics->time_low * 1e9,
             statistics->time_high * 1e9);
}

static void remark_starts(struct run *run, struct samples *samples)
{
    char median[40], largest[40];
    stats_sort(samples->skew, samples->valid);
    run_note(run, "starts: skew after the dissemination barrier %s (median), %s (largest)",
             numbers_time(median, stats_median_sorted(samples->skew, samples->valid), 4),
             numbers_time(largest, samples->skew[samples->valid - 1], 4));
}

void remarks_make(struct bench *bench, struct samples *samples, struct statistics *statistics)
{
    struct run *run = &bench->run;
    remark_resolution(bench, samples, statistics);
    remark_subtracted(run, statistics);
    if (statistics->time < 0 && !run->function->any_sign)
        remark_negative(run, statistics);
    remark_interval(run, samples, statistics);
    remark_stop(bench, samples, statistics);
    remark_repetitions(run, samples, statistics);
    remark_change(run, samples, statistics);
    enum window_rule rule = bench->services.window.rule;
    if (rule == WINDOW_MPIPERF && samples->valid > 0)
        remark_mpiperf(run, statistics);
    if (run->settings->verify == VERIFY_EVERY && measurement_has_data(run->function))
        run_note(run, "verify every: each repetition had its own data; writing and checking them "
                      "changed what was in the caches");
    if (rule == WINDOW_DISSEMINATION && samples->valid > 0)
        remark_starts(run, samples);
}
