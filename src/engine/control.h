/*
 * Start and end of the engine, for main. All PEs, after comm_start().
 */
#ifndef SKAMPI_ENGINE_CONTROL_H
#define SKAMPI_ENGINE_CONTROL_H

#include "engine/engine.h"
#include "engine/options.h"

/* From the first line of main, before comm_start(): a thread of every PE writes an end record when
 * a signal or the end of the launcher ends the job. It ends the job itself when a step of the start
 * or of the end takes longer than step_limit seconds (0: any time), or the run longer than
 * time_limit (0: none). launched: when the program was started, wall_seconds(). */
void engine_watch(double step_limit, double launched, double time_limit);
/* The library is there, and can end the job. */
void engine_watch_started(void);
/* The job is being ended by the caller, or by another PE: no other reason counts any more. */
void engine_watch_ending(void);
/* PE 0: where the end record goes; NULL: nowhere any more. */
void engine_watch_output(struct output *);

/* How progress is shown: as a line that is overwritten where somebody at a terminal sees this
 * process's standard error, perhaps through a launcher, not at all among results, else as lines. */
enum progress engine_progress_form(bool results_on_stdout);

/* Calibrates and characterizes the timer, prints the header, starts the watchdog. Collective. NULL
 * with *error (for the user, on every PE) when the timer cannot be used. */
struct engine *engine_create(const struct engine_options *options, const char **error);

/* Ends and closes the output; collective. The exit status: 0, or 3 when a measurement failed or is
 * unsupported. *report_end: a measurement wants the output to end with what the library's end
 * takes, so the output is left open; the same on all PEs. Releases the engine; comm_finish()
 * comes after it. */
int engine_finish(struct engine *, bool *report_end);

#endif
