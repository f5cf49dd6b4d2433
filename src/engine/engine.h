/*
 * The engine: what one `measure` does. The interpreter hands it measurement requests; it runs them
 * and sends results to the output. Functions marked "collective" are called by all PEs of the
 * world in the same order.
 */
#ifndef SKAMPI_ENGINE_ENGINE_H
#define SKAMPI_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/request.h"
#include "objects/pe_set.h"
#include "settings/settings.h"

/* The number of measurements left out by the time limit that are listed one by one, and of those
 * left out for other reasons. Then loops end. */
#define MOST_LISTED_MISSING 1000

struct engine;

/* Measures a request that is not refused; collective, also for PEs outside request->set; the status
 * is the same on all PEs. */
enum measure_status engine_measure(struct engine *, const struct measure_request *);

/* Reports a request that is not measured, and why: arguments or a set that the function cannot
 * work on. All PEs. */
void engine_leave_out(struct engine *, const struct measure_request *, const char *reason);

/* Whether what is left out is still listed one by one; then the number of further measurements that
 * a loop leaves out, since what came before them did not fit the buffer. All PEs alike. */
bool engine_lists_missing(const struct engine *);
void engine_leave_out_more(struct engine *, int64_t count);

/* The time (seconds) that the last measurement reported, the same on all PEs; NaN when there is
 * none. Any PE. */
double engine_last_time(const struct engine *);

/* engine_last_time() for scripts: if an estimate has left the measurement out, what the last
 * measurement of that statement reported. */
double engine_assumed_time(const struct engine *);

/* Of the last measurement, the part of its demand that ends a loop to ... when it is larger than
 * the buffer; bytes, the same on all PEs. */
size_t engine_last_weight(const struct engine *);

/* Where there is no time: "the time limit had ended", "it failed", ...; NULL: nothing was to be
 * measured yet. The same on all PEs. */
const char *engine_absent(const struct engine *);

/* The script ends here, at file:line:column, since it needs what that measurement has not found.
 * All PEs, before engine_finish(). */
void engine_end_early(struct engine *, const char *place);

/* Results between begin and end are printed at the end, in ascending order of the keys under which
 * they were measured. All PEs. */
void engine_sort_begin(struct engine *);
void engine_sort_key(struct engine *, double key);
void engine_sort_end(struct engine *);

/* The settings in force; the caller changes them, on every PE alike. */
struct settings *engine_settings(struct engine *);

/* Selects a timer by name; collective. Returns NULL, or why it cannot be used here. */
const char *engine_set_timer(struct engine *, const char *name);

/* What is counted from now on besides being timed; nothing when n is 0. Collective. Returns NULL,
 * or why it cannot be counted here, which the caller frees. */
char *engine_set_counters(struct engine *, const char *const *names, size_t n);
/* Whether this could be counted; collective. */
bool engine_counter_usable(struct engine *, const char *name);

/* A measurement block begins or ends; collective. source: text of the script since the block
 * before it, printed when -s was given (may be NULL). */
void engine_begin_block(struct engine *, const char *name, const char *source);
void engine_end_block(struct engine *);

/* This PE's text (several lines, each ending in a newline) for the output; any PE. Appears at the
 * next flush, in the order of PEs; that of the output PE at once. */
void engine_print(struct engine *, const char *text);

/* Brings all PEs' text to the output; collective. */
void engine_flush(struct engine *);

/* Whether all PEs are at the same point of the script, with the same settings: tag says which point
 * (the measure, the block). Collective. */
bool engine_agree(struct engine *, uint64_t tag);

/* Broadcast from PE 0; collective. */
void engine_broadcast(struct engine *, void *data, size_t bytes);

/* values[i], i from 0 to the number of PEs, becomes what PE i has as its own; collective. */
void engine_share(struct engine *, int64_t mine, int64_t *values);

/* The next random number of this run, from PE 0's seed; collective. */
uint64_t engine_random(struct engine *);

/* How far the block in progress is, 0 to 1, for people who wait. Any PE. */
void engine_progress(struct engine *, double share);

/* The PE with the largest smallest round trip to PE 0 (the lowest such; 0 when alone). Collective.
 */
int engine_farthest_from_root(struct engine *);

/* The set in the order in which the library would arrange it for this topology, whose reference is
 * taken over; PEs without a place in it are left out. reorder: ranks may change. Collective. */
struct pe_set *engine_arrange(struct engine *, const struct pe_set *, struct topology *,
                              bool reorder);

/* Nodes are numbered from 0 in the order of their lowest PE. Any PE. */
int engine_node_count(struct engine *);
int engine_node_of(struct engine *, int pe);

/* The script's clock in seconds since the start of the program, for time accounting. Any PE. */
void engine_accounting_reset(struct engine *);
void engine_accounting_print(struct engine *); /* collective */

/* Ends the job with an error of the script, already formatted with its source line and caret
 * (several lines, the first one of the form "file:line:column: error: text"), after flushing what
 * was measured, with the given exit status. Any PE: when several find the same error, it is printed
 * once. Never returns. */
_Noreturn void engine_fatal_text(struct engine *, int status, const char *text);

int engine_pe(const struct engine *);
int engine_pes(const struct engine *);

#endif
