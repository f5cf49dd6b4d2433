/*
 * The simulated run as a trace, in the format of shmemtrace: the calls of the recorded one, at the
 * times that the replay gives them. Calls of a thread are kept for its window of operations, and
 * appended to its PE's file when that is empty; no file is kept open. Ticks are picoseconds.
 */
#ifndef SKAMPI_SIM_SIMULATED_H
#define SKAMPI_SIM_SIMULATED_H

#include "sim/run.h"
#include "trace/encode.h"

struct simulated_trace;

/* made: the folder is new, and goes when the trace is discarded. */
struct simulated_trace *simulated_open(const char *folder, bool made);
/* Call it before the first operation. window is the number of operations of a thread at a time;
 * hosts has the host of each PE, and is taken over. */
void simulated_begin(struct simulated_trace *, struct run *, size_t window, char **hosts,
                     const char *library);
/* Completes all files. The end of each PE (ps) is in times, `stride` bytes apart. */
void simulated_end(struct simulated_trace *, const int64_t *times, size_t stride);
/* NULL, or what could not be written. */
const char *simulated_problem(const struct simulated_trace *);
/* Deletes what has been written. */
void simulated_discard(struct simulated_trace *);
void simulated_close(struct simulated_trace *);

/* ---- For the parts of the replay ---- */

/* The call that an operation of the thread's window is made of. */
void simulated_call(struct simulated_trace *, int thread, size_t index, const struct raw_event *);
/* A call that is held back until it is clear which operation it becomes. */
void simulated_hold(struct simulated_trace *, int thread, const struct raw_event *);
void simulated_held(struct simulated_trace *, int thread, size_t index, uint64_t calls);
/* Sets begin and end of an operation. waited is the wait that a row of fetches became, -1 for other
 * operations. */
void simulated_time(struct simulated_trace *, uint32_t thread, size_t index, int64_t start,
                    int64_t end, int64_t waited);
/* The window is empty: writes the calls of its operations. */
void simulated_flush(struct simulated_trace *, int thread);

#endif
