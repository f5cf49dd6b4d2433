/*
 * The header of the results: everything needed to repeat the run, and reasons not to trust it.
 * Filled in by the engine. Times in seconds.
 */
#ifndef SKAMPI_OUTPUT_HEADER_H
#define SKAMPI_OUTPUT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/location.h"
#include "base/text.h"

struct header_node {
    const char *name, *cpu, *smt, *governor;
    int pes, processors;
    double load; /* load average at the start; below 0 if unknown */
};

struct header {
    const char *version, *command_line, *script, *checksum, *library;
    const char *options;  /* those that decide what results are; NULL or "": none */
    const char *launcher; /* its command, in front of command_line; NULL if it is not known */
    time_t started;
    int pes, nodes;
    const struct header_node *node;      /* of the first `listed` nodes */
    int listed, bound;                   /* PEs bound to one processor */
    const struct location_group *groups; /* where PEs run */
    size_t group_count;
    int unlisted;                 /* PEs in none of the groups */
    const char *const *variables; /* NAME=VALUE */
    size_t variable_count;
    const char *const *modules; /* of the environment (LOADEDMODULES), in the order of loading */
    size_t module_count;
    struct named_texts choices; /* what the library has chosen, by the library's names */
    const char *const *warnings;
    size_t warning_count;
    const char *timer, *clock_source;
    double resolution, cost, ticks_per_second, disagreement;
    /* Rounds and limits of the command line; 0: none */
    int rounds;
    double round_seconds, time_limit;
    uint64_t seed;
    bool controls;            /* the run takes controls, unless the script turns them off */
    const char *state;        /* --state, or NULL */
    double state_wait;        /* how long to wait for the state at each point (seconds) */
    const char *const *known; /* files of earlier runs */
    size_t known_count;
    double known_difference; /* launch_difference of struct earlier_runs; NaN if not known */
};

#endif
