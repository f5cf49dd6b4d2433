/*
 * What is stated about a point, in the words of the output: of results, of points over all rounds,
 * and of what is missing. PE 0.
 */
#ifndef SKAMPI_ENGINE_DESCRIBE_H
#define SKAMPI_ENGINE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "engine/request.h"
#include "engine/start.h"

/* The measurement block of the script that is in progress. */
struct block {
    size_t number;
    char *name;                                    /* NULL between blocks */
    double start;                                  /* wall_seconds() */
    int64_t late_starts, overruns, window_changes; /* PE 0 */
    bool windowed;                                 /* something in it used windows; PE 0 */
};

struct describer {
    const struct engine_options *options;
    const struct block *block;
    const struct settings *settings; /* in force */
    /* Hashes of the texts of points, and how often each has been asked for. */
    struct table seen;
    size_t *counts, room;
    size_t number; /* of the point in progress, among those that are stated alike */
};

/* A point with what it owns. */
struct point_description {
    struct result_point point;
    struct result_argument *arguments;
    char *members, **settings;
};

/* The script asks for a measurement: numbers it among those that are stated alike. What comes of
 * it has this number, also if it is missing. */
void describe_next(struct describer *, const struct measure_request *);
struct point_description describe(const struct describer *, const struct measure_request *);
void described_release(struct point_description *);
void describer_free(struct describer *);

#endif
