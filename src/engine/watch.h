/*
 * The thread that watches the run, as the engine sees it; control.h has the part for main.
 */
#ifndef SKAMPI_ENGINE_WATCH_H
#define SKAMPI_ENGINE_WATCH_H

#include <stdbool.h>

#include "output/output.h"

/* From now on the steps of the measurement are watched instead of those of the start. limit: the
 * seconds without progress that end the job (0: none); may change at any time until
 * watch_stop(), which starts to watch the steps of the end. */
void watch_start(const double *limit);
void watch_stop(void);

/* A step has been made. */
void watch_progress(void);
/* Bytes of symmetric memory that this PE asked for and has not got, while it does not know whether
 * others have; 0: it knows. If it does not come to know, the job ends and says so. */
void watch_lacking(size_t bytes);
/* All PEs, when some lack it and others do not: those end the job. */
_Noreturn void watch_end_lacking(void);
/* The measurement in progress, for messages; NULL: none. Keeps a copy. */
void watch_doing(const char *call, const char *place);
const char *watch_done(void);
/* This PE waits for the members of a set, however long they take. */
void watch_outside(bool outside);

/* The last words of this run; nothing on PEs without an output. */
void watch_last_words(int status, const char *said, const char *reason);
/* When a run must begin to end in order to keep the time limit, wall_seconds(). */
double watch_limit_near(double launched, double time_limit);
/* Says on standard error that the time limit has ended the run, what there is, and what to do.
 * missing: how much is missing, with its verb. */
void watch_tell_limit(struct output *, const char *what, const char *missing);

#endif
