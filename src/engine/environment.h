/*
 * What skampi runs on: the output's header, with everything that is needed to repeat the run and
 * what speaks against trusting it, and known defects of libraries.
 */
#ifndef SKAMPI_ENGINE_ENVIRONMENT_H
#define SKAMPI_ENGINE_ENVIRONMENT_H

#include <stdint.h>

#include "engine/start.h"

/* The output's header, to options->output; collective. */
void environment_print(const struct engine_options *options, uint64_t seed);
/* The library and its settings, for the caller to free: known_software(). */
char *environment_software(void);
/* Before the output ends: whether the clocks of each node agreed over the run; collective. */
void environment_end(struct output *);

/* ---- What is known to be wrong in a version of a library; pure ---- */

enum defect_kind {
    DEFECT_CRASHES,      /* listed, but never called */
    DEFECT_WRONG_VALUES, /* measured; wrong values are no failure, but a note with the result */
    DEFECT_WINDOW_SIZES  /* the library needs allocated windows in multiples of 16 bytes; a note */
};

/* What is wrong with the measurement function of this name on the library that comm_library()
 * describes so; NULL when nothing of that kind is known. */
const char *defect_of(enum defect_kind kind, const char *function, const char *library);

/* Below, equal to or above 0, as version a is older than, the same as or newer than b. Versions are
 * numbers with dots between them; missing ones count as 0, and what follows the numbers ("rc1",
 * "a1") counts for nothing. */
int version_compare(const char *a, const char *b);

#endif
