/*
 * The flags and notes that say how far a result can be trusted.
 */
#include "engine/remarks.h"

#include <math.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/text.h"
#include "clock/timer.h"
#include "engine/samples.h"
#include "engine/verify.h"
#include "stats/series.h"
#include "stats/stats.h"

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
    if (shortest >= WELL_ABOVE * timer_in_use->resolution || share_is_small(samples))
        return;
    flag(statistics, RESULT_BELOW_RESOLUTION);
    run_note(run, "timed regions of %.3g ns are not well above the timer's resolution of %.3g ns%s",
             shortest * 1e9, timer_in_use->resolution * 1e9,
             run->function->timing == TIMING_ONCE
                 ? ""
                 : ": time more operations together (iterations, set_max_outstanding)");
}

/* What is subtracted, as its timer reads it, counts by its weight in the result. */
static void remark_subtracted(struct run *run, struct statistics *statistics)
{
    double time = fabs(statistics->time);
    if (!run->function->reference)
        return;
    if (WELL_ABOVE * statistics->subtracted_step > time) {
        flag(statistics, RESULT_BELOW_RESOLUTION);
        run_note(run,
                 "what is subtracted is too short for the timer: its resolution makes up to %.3g "
                 "ns of the result",
                 statistics->subtracted_step * 1e9);
    }
    char *text = reference_text(run->function->subtracted, statistics->subtracted, time);
    if (text)
        run_note(run, "%s", text);
    free(text);
}

static void remark_negative(struct run *run, struct statistics *statistics)
{
    if (!(statistics->time < 0) || run->function->any_sign)
        return;
    flag(statistics, RESULT_NEGATIVE);
    if (statistics->time + WITHIN_ERROR * statistics->standard_error >= 0) {
        run_note(run, "below zero by %.3g ns, which is within its error: printed as 0",
                 -statistics->time * 1e9);
        statistics->time = 0;
        return;
    }
    run_note(run,
             "clearly below zero, so do not use this value: the subtracted costs were higher alone "
             "than inside the measurement. The true time is at most %.4g ns, the value before they "
             "were subtracted",
             (statistics->time + statistics->subtracted) * 1e9);
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

static void remark_median(struct run *run, const struct samples *samples,
                          const struct statistics *statistics)
{
    const struct settings *settings = run->settings;
    double low, high;
    stop_median_interval(settings, samples->max, samples->valid, &low, &high);
    stats_widen_interval(statistics->median, statistics->subtracted_error,
                         settings->median_confidence, &low, &high);
    if (!run->function->any_sign)
        low = stats_not_below_0(statistics->median, low);
    if (isnan(low)) {
        run_note(run, "median %.3g ns; too few independent repetitions for an interval",
                 statistics->median * 1e9);
        return;
    }
    char *text = median_text(statistics->median, low, high, settings->median_confidence);
    run_note(run, "median %s%s", text, samples->reached ? "" : ": wider than you asked for");
    free(text);
}

/* Whether the rule's aim was reached, and what else ended the measurement. */
static void remark_stop(struct bench *bench, const struct samples *samples,
                        struct statistics *statistics)
{
    struct run *run = &bench->run;
    enum window_rule rule = bench->services.window.rule;
    if (samples->out_of_time) {
        flag(statistics, RESULT_TIME_BUDGET);
        run_note(run, "time limit reached after %zu valid repetitions", samples->valid);
    }
    if ((rule != WINDOW_CLASSIC && rule != WINDOW_DISSEMINATION) ||
        run->function->timing == TIMING_ONCE)
        return;
    if (!samples->reached)
        flag(statistics, RESULT_NOT_CONVERGED);
    if (run->settings->stop_rule == STOP_MEDIAN_INTERVAL)
        remark_median(run, samples, statistics);
}

static void remark_interval(struct run *run, struct statistics *statistics)
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
    } else if (is_time) {
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

/* The mean of such repetitions depends on when they were made. */
static void remark_change(struct run *run, const struct samples *samples,
                          struct statistics *statistics)
{
    struct series_change change = series_change(samples->max, samples->valid);
    if (change.p > CHANGE_P ||
        fabs(change.after - change.before) <= CHANGE_LEAST * fmin(change.before, change.after))
        return;
    flag(statistics, RESULT_LEVEL_SHIFT);
    run_note(run,
             "level changed: median %.4g ns in the first %zu repetitions, %.4g ns in the other "
             "%zu: a later run may find either, or something in between",
             change.before * 1e9, change.at, change.after * 1e9, samples->valid - change.at);
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

static void remark_rule(struct bench *bench, struct samples *samples,
                        const struct statistics *statistics)
{
    struct run *run = &bench->run;
    enum window_rule rule = bench->services.window.rule;
    if (rule == WINDOW_MPIPERF && samples->valid > 0)
        remark_mpiperf(run, statistics);
    if (run->settings->verify == VERIFY_EVERY && verify_has(run->function))
        run_note(run, "verify every: each repetition had its own data; writing and checking them "
                      "changed what was in the caches");
    if (rule == WINDOW_DISSEMINATION && samples->valid > 0) {
        stats_sort(samples->skew, samples->valid);
        run_note(run,
                 "starts: skew after the dissemination barrier %.4g ns (median), %.4g ns (largest)",
                 stats_median_sorted(samples->skew, samples->valid) * 1e9,
                 samples->skew[samples->valid - 1] * 1e9);
    }
}

void remarks_make(struct bench *bench, struct samples *samples, struct statistics *statistics)
{
    struct run *run = &bench->run;
    remark_resolution(bench, samples, statistics);
    remark_subtracted(run, statistics);
    remark_negative(run, statistics);
    remark_interval(run, statistics);
    remark_stop(bench, samples, statistics);
    remark_repetitions(run, samples, statistics);
    remark_change(run, samples, statistics);
    remark_rule(bench, samples, statistics);
}
