/*
 * The simulated run as a trace, in the format of shmemtrace: the calls of the recorded one, at the
 * times that the replay gives them. Calls of a line are kept for its window of operations, and
 * appended to its PE's file when that is empty; no file is kept open. Ticks are picoseconds.
 */
#ifndef SKAMPI_SIM_SIMULATED_H
#define SKAMPI_SIM_SIMULATED_H

#include "sim/run.h"
#include "trace/encode.h"

struct simulated;

/* Makes the folder, which must be new or empty. NULL: *error, to be freed, says why. */
struct simulated *simulated_open(const char *folder, char **error);
/* Before the first operation, and again when the replay begins again: what has been written is
 * forgotten. window: operations of a line at a time; hosts: of each PE, kept and freed. */
void simulated_begin(struct simulated *, struct run *, size_t window, char **hosts,
                     const char *library);
/* Writes how all files end; times[pe]: when that PE ended, in ps, stride bytes apart. */
void simulated_end(struct simulated *, const int64_t *times, size_t stride);
/* NULL, or what could not be written. */
const char *simulated_problem(const struct simulated *);
/* Deletes what has been written. */
void simulated_discard(struct simulated *);
void simulated_close(struct simulated *);

/* ---- For the parts of the replay ---- */

/* The call that an operation of the line's window is made of. */
void simulated_call(struct simulated *, int line, size_t index, const struct raw_event *,
                    uint32_t phase);
/* A call that is held back until it is known what it was; an operation is made of it. */
void simulated_hold(struct simulated *, int line, const struct raw_event *, uint32_t phase);
void simulated_held(struct simulated *, int line, size_t index, uint64_t calls);
/* When an operation began and ended. waited: of fetches that became one wait; -1 of all others. */
void simulated_time(struct simulated *, uint32_t line, size_t index, int64_t start, int64_t end,
                    int64_t waited);
/* The window is empty: writes its calls. */
void simulated_flush(struct simulated *, int line);

#endif
