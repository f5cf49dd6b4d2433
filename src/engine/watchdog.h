/*
 * The watchdog: a thread of every PE that watches the run, and ends the job in order.
 */
#ifndef SKAMPI_ENGINE_WATCHDOG_H
#define SKAMPI_ENGINE_WATCHDOG_H

#include <stdbool.h>

#include "output/output.h"

/* From the first line of main, before comm_start(): a thread of every PE writes an end record when
 * a signal or the end of the launcher ends the job. It ends the job itself when a step of the start
 * or of the end takes longer than step_limit seconds (0: any time), or the run longer than
 * time_limit (0: none). launched: when the program was started, wall_seconds(). */
void watchdog_begin(double step_limit, double launched, double time_limit);
/* The library is there, and can end the job. */
void watchdog_has_library(void);
/* The job is being ended by the caller, or by another PE: no other reason counts any more. */
void watchdog_ending(void);
/* PE 0: where the end record goes; NULL: nowhere any more. */
void watchdog_output(struct output *);

/* From now on the steps of the measurement are watched instead of those of the start. limit: the
 * seconds without progress that end the job (0: none); may change at any time until
 * watchdog_measured(), which starts to watch the steps of the end. */
void watchdog_measuring(const double *limit);
void watchdog_measured(void);

/* A step has been made. */
void watchdog_progress(void);
/* Bytes of symmetric memory that this PE asked for and has not got, while it does not know whether
 * others have; 0: it knows. If it does not come to know, the job ends and says so. */
void watchdog_lacking(size_t bytes);
/* All PEs, when some lack it and others do not: those end the job. */
_Noreturn void watchdog_end_lacking(void);
/* The measurement in progress, for messages; NULL: none. Keeps a copy. */
void watchdog_doing(const char *call, const char *place);
const char *watchdog_done(void);
/* This PE waits for the members of a set, however long they take. */
void watchdog_outside(bool outside);

/* The last words of this run; nothing on PEs without an output. */
void watchdog_last_words(int status, const char *said, const char *reason);
/* When a run must begin to end in order to keep the time limit, wall_seconds(). */
double watchdog_limit_near(double launched, double time_limit);
/* Says on standard error that the time limit has ended the run, what there is, and what to do.
 * missing: how much is missing, with its verb. */
void watchdog_tell_limit(struct output *, const char *what, const char *missing);

#endif
