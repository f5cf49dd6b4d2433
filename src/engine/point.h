/*
 * A point that is measured in several rounds.
 */
#ifndef SKAMPI_ENGINE_POINT_H
#define SKAMPI_ENGINE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/request.h"
#include "machine/machine.h"
#include "output/result.h"

struct rounds_record {
    struct measure_request request; /* with everything that it points to */
    struct settings settings;
    const char *timer;
    char *block;
    size_t block_number, region; /* region: of sorted results, 0: none */
    double key;                  /* among them */
    size_t number;               /* among points that are stated alike */
    int64_t bytes, iterations;
    double effective; /* independent repetitions of the first round */
    size_t rounds, made;
    double subtracted;                  /* of the last round */
    size_t done, flagged[RESULT_FLAGS]; /* rounds with a result; of them, with a flag */
    double *medians, *within;           /* of each round made: median, interquartile range; PE 0 */
    struct round_parts parts;           /* PE 0 */
};

/* All of them. */
struct replay {
    struct rounds_record *records;
    size_t count, room;
    bool controls;     /* of the machine, for one of them at least */
    size_t done, more; /* rounds made of those asked for; made for single states */
    double seconds;    /* that they took */
};

#endif
