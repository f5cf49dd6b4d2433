/*
 * The measurement block of the script that is in progress.
 */
#ifndef SKAMPI_ENGINE_BLOCK_H
#define SKAMPI_ENGINE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block {
    size_t number;
    char *name;                                    /* NULL between blocks */
    double start;                                  /* wall_seconds() */
    int64_t late_starts, overruns, window_changes; /* PE 0 */
    bool windowed;                                 /* something in it used windows; PE 0 */
};

/* Results that autorefine has printed in the order of their keys. */
struct sorting {
    size_t region;  /* of the results in progress; 0: they are not sorted */
    size_t regions; /* so far */
    double key;
};

#endif
