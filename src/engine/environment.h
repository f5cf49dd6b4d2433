/*
 * The output's header: everything needed to repeat the run, and what speaks against trusting it.
 */
#ifndef SKAMPI_ENGINE_ENVIRONMENT_H
#define SKAMPI_ENGINE_ENVIRONMENT_H

#include <stdint.h>

#include "engine/options.h"

/* The output's header, to options->output; collective. */
void environment_print(const struct engine_options *options, uint64_t seed);
/* The library and its settings, for the caller to free: known_software(). */
char *environment_software(void);
/* Before the output ends: whether the clocks of each node agreed over the run; collective. */
void environment_end(struct output *);

#endif
