/*
 * Samples: memory for them, notes about them, what is subtracted, and when there are enough.
 */
#include "engine/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "clock/counters.h"
#include "stats/series.h"
#include "stats/stats.h"

void samples_reserve(struct samples *samples, size_t limit, bool counting)
{
    samples->capacity = limit;
    samples->own = memory_zeroed(limit, sizeof *samples->own);
    samples->max = memory_zeroed(limit, sizeof *samples->max);
    samples->message = memory_zeroed(SAMPLES_TOLD * limit + BATCH_EXTRA, sizeof *samples->message);
    samples->skew = memory_zeroed(limit, sizeof *samples->skew);
    samples->controls = memory_zeroed(limit, sizeof *samples->controls);
    if (counting)
        samples->counts = memory_zeroed(limit * COUNTERS_MAX, sizeof *samples->counts);
}

void samples_release(struct samples *samples)
{
    free(samples->own);
    free(samples->max);
    free(samples->message);
    free(samples->skew);
    free(samples->controls);
    free(samples->counts);
}

void samples_drop(struct samples *samples, size_t dropped)
{
    size_t rest = samples->valid -= dropped;
    samples->warm_up += dropped;
    memmove(samples->own, samples->own + dropped, rest * sizeof *samples->own);
    memmove(samples->max, samples->max + dropped, rest * sizeof *samples->max);
    memmove(samples->skew, samples->skew + dropped, rest * sizeof *samples->skew);
    memmove(samples->controls, samples->controls + dropped, rest * sizeof *samples->controls);
    samples->good -= dropped < samples->good ? dropped : samples->good;
    if (samples->counts)
        memmove(samples->counts, samples->counts + dropped * COUNTERS_MAX,
                rest * COUNTERS_MAX * sizeof *samples->counts);
}

void samples_good(struct samples *samples)
{
    samples->good = samples->valid;
    samples->good_invalid = samples->invalid;
    samples->good_late = samples->late;
    samples->good_overruns = samples->overruns;
    samples->good_too_long = samples->too_long;
}

void samples_back(struct samples *samples)
{
    samples->valid = samples->good;
    samples->invalid = samples->good_invalid;
    samples->late = samples->good_late;
    samples->overruns = samples->good_overruns;
    samples->too_long = samples->good_too_long;
    samples->passes = 0;
}

/* ---- Notes ---- */

void notes_add(struct notes *notes, char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->text[i], text) == 0) {
            free(text);
            return;
        }
    memory_append(notes->text, notes->count, text);
}

void notes_clear(struct notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (struct notes){0};
}

/* ---- What is subtracted ---- */

/* What is subtracted is named where it is more than this share of the result. */
#define MUCH_SUBTRACTED 0.1

/* The middle half, whose own standard error would be half of what it must be. */
#define REFERENCE_TRIM 0.25
#define REFERENCE_CONFIDENCE 0.95

struct reference reference_of(const double *values, size_t n)
{
    struct stats_interval found =
        stats_trimmed_interval(values, n, REFERENCE_TRIM, REFERENCE_CONFIDENCE);
    double error = found.standard_error;
    return (struct reference){.mean = found.mean, .variance = isnan(error) ? 0 : error * error};
}

void references_add(struct references *references, const struct reference *reference)
{
    if (references->count++ == 0)
        references->first = reference->mean;
    double above = reference->mean - references->first;
    references->above += above;
    references->squares += above * above;
    references->variance_sum += reference->variance;
    references->step = fmax(references->step, reference->step);
}

struct reference references_mean(const struct references *references)
{
    double n = (double)references->count;
    if (n == 0)
        return (struct reference){0};
    double above = references->above / n;
    double between = fmax(0, references->squares / n - above * above);
    double variance = references->variance_sum / (n * n) + (n > 1 ? between / (n - 1) : 0);
    return (struct reference){references->first + above, variance, references->step};
}

struct result_subtracted reference_much(const char *what, double subtracted, double time)
{
    if (!(subtracted > MUCH_SUBTRACTED * fabs(time)))
        return (struct result_subtracted){0};
    return (struct result_subtracted){what ? what : "the cost of measuring", subtracted,
                                      subtracted / fabs(time)};
}

char *reference_text(const struct result_subtracted *subtracted)
{
    char seconds[40], share[40] = "more than the result";
    bool part = subtracted->share <= 1;
    if (!subtracted->what)
        return NULL;
    if (part)
        numbers_text(share, 100 * subtracted->share, 2);
    return text_format("subtracted: %s, %s (%s%s)", subtracted->what,
                       numbers_time(seconds, subtracted->seconds, 3), share,
                       part ? " % of the result" : "");
}

/* ---- When there are enough, and how long windows must be ---- */

#define SMALLEST_BATCH 4
/* Stopping by an interval is only right where there are many samples (Chow & Robbins 1965). */
#define MEDIAN_LEAST 30
#define MEDIAN_MOST 1000
/* This many repetitions fit into a second, if each lasts as long as iterations are chosen for. */
#define PRECISE_MOST 50000
#define PRECISE_CONFIDENCE 0.95
/* A window this many times too large shrinks (mpiperf). */
#define TOO_LARGE 4

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

struct aim aim_of(const struct settings *settings, bool precise)
{
    size_t limit = larger((size_t)floor(1.5 * settings->max_repetitions + 0.5), SMALLEST_BATCH);
    struct aim aim = {.least = (size_t)settings->min_repetitions,
                      .most = (size_t)settings->max_repetitions,
                      .limit = limit,
                      .width = settings->max_relative_standard_error};
    if (!precise && settings->stop_rule == STOP_STANDARD_ERROR)
        return aim;
    aim.median = true;
    aim.precise = precise;
    aim.least = larger(aim.least, MEDIAN_LEAST);
    aim.most = aim.limit = larger(limit, precise ? PRECISE_MOST : MEDIAN_MOST);
    aim.width = precise ? 2 * settings->precision : settings->median_width;
    aim.confidence = precise ? PRECISE_CONFIDENCE : settings->median_confidence;
    return aim;
}

void samples_interval(const struct aim *aim, const double *sorted, size_t n, double effective,
                      double error, double confidence, double *low, double *high)
{
    bool known = stats_median_interval(sorted, n, effective, confidence, low, high);
    if (known && aim->lengthened && n < MEDIAN_LEAST)
        *low = fmin(*low, stats_endpoint(sorted, n));
    stats_widen_interval(stats_median_sorted(sorted, n), error, confidence, low, high);
}

double stop_median_interval(const struct aim *aim, const double *m, size_t n, double error,
                            double *low, double *high)
{
    double *sorted = memory_zeroed(n ? n : 1, sizeof *sorted);
    memcpy(sorted, m, n * sizeof *sorted);
    stats_sort(sorted, n);
    double effective = series_effective_size(n, series_correlation(m, n));
    samples_interval(aim, sorted, n, effective, error, aim->confidence, low, high);
    double median = stats_median_sorted(sorted, n);
    free(sorted);
    return (*high - *low) / fabs(median);
}

bool stop_reached(const struct aim *aim, const double *m, size_t n, double error)
{
    double low, high;
    if (n < aim->least)
        return false;
    if (aim->median)
        return stop_median_interval(aim, m, n, error, &low, &high) <= aim->width;
    return stats_standard_error(m, n) <= aim->width * stats_mean(m, n);
}

bool stop_enough(const struct aim *aim, size_t n, bool reached, int *passes)
{
    if (n >= aim->most)
        return true;
    *passes = reached ? *passes + 1 : 0;
    return *passes >= (aim->median ? 2 : 1);
}

size_t stop_grown_batch(const struct aim *aim, size_t batch, size_t valid)
{
    return aim->median && valid / 2 > batch ? valid / 2 : batch;
}

size_t stop_next_batch(const struct settings *settings, size_t batch, bool window, bool first,
                       size_t late_run)
{
    size_t regular = (size_t)settings->min_repetitions;
    if (!window)
        return regular < SMALLEST_BATCH ? SMALLEST_BATCH : regular;
    if (first)
        return regular;
    if (late_run > batch / 2)
        return batch / 2 < SMALLEST_BATCH ? SMALLEST_BATCH : batch / 2;
    return batch;
}

double stop_next_window(double window, size_t flawed, size_t count, double used)
{
    if (flawed <= count / 4)
        return window;
    return fmax(2 * window, 1.5 * used / (double)(count + 1));
}

double stop_mpiperf_window(const struct window_rules *rules, double window, size_t invalid,
                           size_t count, double used, double longest)
{
    double needed = rules->growth * used / (double)count;
    if (window <= 0)
        return needed;
    if ((double)invalid > rules->invalid_share * (double)count)
        return fmax(needed, rules->growth * window);
    if (longest > 0 && window > TOO_LARGE * rules->growth * longest)
        return window / 2;
    return window;
}
