/*
 * A point that is measured in several rounds.
 */
#ifndef SKAMPI_ENGINE_POINT_H
#define SKAMPI_ENGINE_POINT_H

#include <stddef.h>
#include <stdint.h>

#include "engine/request.h"

struct rounds_record {
    struct measure_request request; /* with everything that it points to */
    struct settings settings;
    const char *timer;
    char *block;
    size_t block_number, region; /* region: of sorted results, 0: none */
    double key;                  /* among them */
    int64_t bytes, iterations;
    double effective; /* independent repetitions of the first round */
    size_t rounds, made;
    double *medians, *within; /* of each round made: median, interquartile range; PE 0 */
};

/* All of them. */
struct replay {
    struct rounds_record *records;
    size_t count, room;
};

#endif
