/*
 * All batches of one measurement: making them, how much is measured, and counting events in further
 * ones.
 */
#ifndef SKAMPI_ENGINE_BATCHES_H
#define SKAMPI_ENGINE_BATCHES_H

#include "engine/judge.h"

/* Makes them all; collective over the set, whose rank 0 decides. The measurement fails when none is
 * valid. */
void batches_run(struct batches *);

/* Measures what is subtracted, of batches->referring iterations, and adds it to
 * batches->references. All members. */
void batches_refer(struct batches *);

/* ---- Events of the hardware ---- */

/* They are counted in repetitions of their own: reading counters takes longer than reading the
 * timer, and times must not include that. */

/* What is counted from now on; nothing when n is 0. Collective over the world. Returns NULL, or why
 * it cannot be counted here, which the caller frees. */
char *counting_choose(const char *const *names, size_t n);

/* Events are counted in measurements of this function. */
bool counting_applies(const struct measurement *);
/* Further repetitions under the same rules; a PE's count is the mean of the middle half. Collective
 * over the set. */
void counting_run(const struct batches *, struct outcome *);

/* ---- For rules ---- */

/* Whether set_precision() applies: to times of SKaMPI's rule, and not to what happens only once or
 * may have any sign. */
bool batches_precise(const struct run *);

/* The window would have to be longer than the settings allow: the measurement fails. */
bool batch_window_too_long(struct batches *, double width);
/* A limit of time ends a measurement after the batch that exceeds it. */
bool batch_out_of_time(struct batches *);
/* An upper estimate of how long the engine's broadcast takes; ticks. Collective over the set. */
int64_t batch_measure_broadcast(struct bench *);
/* When most of a batch is invalid, the start was announced too late for some PE. */
void batch_announce_earlier(struct batches *, const struct batch *);

/* ---- Operations in a repetition (rules.c) ---- */

/* Iterations that the script wants; 0: the engine is to choose. */
int64_t iterations_wanted(const struct run *);
/* Chooses iterations such that a repetition lasts long enough for the timer on every PE that times
 * anything, unless that takes another PE very long. Calls the function some times; collective over
 * the set. */
void iterations_choose(struct bench *);

/* How many iterations the reference needs for the timer, beginning with run->iterations, which stay
 * if its time does not grow with them. Some calls of it; collective over the set. */
int64_t iterations_of_reference(struct bench *);

/* ---- Repetitions in a batch, and when there are enough (rules.c) ---- */

/* By enum window_rule. SKaMPI's also holds where there are no windows, and for the dissemination
 * barrier. */
extern const struct batch_rule *const batch_rules[];

#endif
