/*
 * The header of the results: everything needed to repeat the run, and what speaks against
 * trusting it. Filled in by the engine. Times in seconds.
 */
#ifndef SKAMPI_OUTPUT_HEADER_H
#define SKAMPI_OUTPUT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/text.h"

struct header_node {
    const char *name, *cpu, *smt, *governor;
    int pes, processors;
    double load; /* below 0: unknown */
};

struct header {
    const char *version, *command_line, *script, *checksum, *library;
    time_t started;
    int pes, nodes;
    const struct header_node *node; /* of the first `listed` nodes */
    int listed, bound;              /* PEs bound to one processor */
    const char *const *variables;   /* NAME=VALUE */
    size_t variable_count;
    struct named_texts choices; /* what the library has chosen, in its words */
    const char *const *warnings;
    size_t warning_count;
    const char *timer, *clock_source;
    double resolution, cost, ticks_per_second, disagreement;
    /* Rounds and limits of the command line; 0: none */
    int rounds;
    double round_seconds, time_limit;
    uint64_t seed;
    bool controls;            /* are taken, unless the script says otherwise */
    const char *state;        /* that is asked for, or NULL */
    double state_wait;        /* seconds, for each point */
    const char *const *known; /* files of earlier runs */
    size_t known_count;
    double known_difference; /* of their launches, see struct known; NaN: not known */
};

#endif
