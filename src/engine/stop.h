/*
 * When there are enough repetitions, and how long windows must be. Pure.
 */
#ifndef SKAMPI_ENGINE_STOP_H
#define SKAMPI_ENGINE_STOP_H

#include <stdbool.h>
#include <stddef.h>

#include "settings/settings.h"

/* Hard limit of valid repetitions: max(4, floor(1.5 max_repetitions + 0.5)). */
size_t stop_hard_limit(int max_repetitions);
/* The most valid repetitions that a rule asks for, except for those of the last batch. */
size_t stop_most(const struct settings *);
/* The median's interval, NaN where there is none; whether it is as narrow as the rule wants it. */
bool stop_median_interval(const struct settings *, const double *m, size_t n, double *low,
                          double *high);
/* Whether what the rule aims at has been reached by the n valid repetitions m, in the order of
 * time. */
bool stop_reached(const struct settings *, const double *m, size_t n);
/* Enough? Asked after each batch; *passes, 0 at first, belongs to the rule: an interval of the
 * median must be narrow enough twice in a row. */
bool stop_enough(const struct settings *, const double *m, size_t n, int *passes);
/* A batch that grows with what there is, where the rule wants many. */
size_t stop_grown_batch(const struct settings *, size_t batch, size_t valid);
/* Repetitions of the next batch. synchronized: the function starts in windows; first: after the
 * first batch; late_run: most late starts in a row. */
size_t stop_next_batch(const struct settings *, size_t batch, bool window, bool first,
                       size_t late_run);
/* The classic window rule after a batch: flawed of count repetitions invalid; used: from the
 * origin to the last finish. Same unit for all. */
double stop_next_window(double window, size_t flawed, size_t count, double used);
/* MPIPerf's after a stage of count runs: as it should be for what was used, gamma used / count,
 * after stage 0 (window: 0) and where too many were invalid, but then gamma times the old one at
 * least; half of it where it is many times what the longest valid run needed. Why it differs from
 * Kurnosov's: docs/method.md. Same unit for all. */
double stop_mpiperf_window(const struct window_rules *, double window, size_t invalid, size_t count,
                           double used, double longest);

#endif
