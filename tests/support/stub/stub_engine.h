/*
 * An engine without library: one PE that believes to be one of several, writes down what it is
 * asked for and measures nothing. For tests of the language and for fuzzing; comes with a few
 * measurement functions of its own in place of the registry.
 */
#ifndef SKAMPI_TESTS_STUB_ENGINE_H
#define SKAMPI_TESTS_STUB_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

struct engine *stub_engine_create(int pe, int pes);
void stub_engine_release(struct engine *engine);

/* So many PEs on each node, in order; default all on one. */
void stub_engine_pes_per_node(struct engine *engine, int pes);

/* Leaves nothing to chance and little behind, for fuzzing: what PE 0 broadcasts is all zeros
 * (seeds, the environment), and the log loses its beginning before it grows large. */
void stub_engine_predictable(struct engine *engine);

/* Runs body(argument); false when it ended by engine_fatal_text(), which then leaves status and
 * message. Without stub_engine_try() that function ends the process. */
bool stub_engine_try(struct engine *engine, void (*body)(void *), void *argument);
int stub_engine_status(const struct engine *engine);
const char *stub_engine_message(const struct engine *engine);

/* What happened, a line each: "begin NAME", "end", "flush", "accounting", text printed as it is,
 * and "measure " with loop variables (name=value), call, set and what is not MEASURE_DONE:
 * "measure count=8 Shmem_Put_Round(count=8, iterations=5) on [0, 1] too large"; "since REASON"
 * behind what was refused, "missing N more" behind a loop that was cut. A measured time is 1 up
 * to a first argument of 50 and rises by 0.5 for each step beyond; "sort", "key NUMBER" and
 * "sorted" are what autorefine asks for. */
const char *stub_engine_log(const struct engine *engine);

/* The place of the last measure; tag of all engine_agree() together. */
const char *stub_engine_place(const struct engine *engine);
uint64_t stub_engine_agreed(const struct engine *engine);

/* The last engine_progress(). */
double stub_engine_share(const struct engine *engine);

#endif
