/*
 * A measure statement with its values, as the interpreter hands it to the engine; and the same
 * point in the words of the output.
 */
#ifndef SKAMPI_ENGINE_REQUEST_H
#define SKAMPI_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "engine/measurement.h"
#include "engine/start.h"
#include "machine/machine.h"
#include "objects/pe_set.h"
#include "output/result.h"

struct measure_request {
    const struct measurement *function;
    const struct value *arguments;
    const struct pe_set *set;
    const struct result_variable *variables; /* outermost first */
    size_t variable_count;
    const char *place; /* "file:line:column" of the measure, for messages */
    const char *text;  /* the call with its values: Shmem_Put_Round(count=8, iterations=5) */
    bool endless;      /* a loop to ... is around it, so that nobody knows what follows; */
    bool open;         /* it has had results, and goes on until this does not fit: no loss then */
};

enum measure_status {
    MEASURE_DONE,
    MEASURE_TOO_LARGE,   /* does not fit the buffer or --memory: reported as missing unless the
                            request is open */
    MEASURE_FAILED,      /* reported; the script goes on */
    MEASURE_UNSUPPORTED, /* reported as a comment */
    MEASURE_SKIPPED,     /* empty set */
    MEASURE_REFUSED,  /* by the caller, with engine_leave_out(), or since buffers cannot be placed
                         so: reported */
    MEASURE_TIME_OVER /* the time limit has ended: reported as missing */
};

/* Why the function cannot be called like this: an argument that it does not accept, too few PEs, a
 * set that it cannot work on. NULL, or a text that the caller frees; *argument is then the index of
 * the offending argument, or -1. The same on all PEs; nothing is communicated. */
char *engine_refusal(const struct measure_request *, int *argument);

/* How often the point is measured. of_command_line: rounds of --rounds; 0: as the script says. */
int request_rounds(const struct measure_request *, const struct settings *, int of_command_line);

/* ---- What is stated about a point: of results, over all rounds, of what is missing; PE 0 ---- */

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
void request_describe_next(struct describer *, const struct measure_request *);
struct point_description request_describe(const struct describer *, const struct measure_request *);
void described_release(struct point_description *);
void describer_free(struct describer *);

/* ---- Points that are measured again: what the script asked for, and under what ---- */

struct kept_point {
    struct measure_request request; /* with everything that it points to */
    struct settings settings;
    const char *timer;
    struct block block; /* its name and its number */
    size_t number;      /* among points that are stated alike */
};

/* The point that the describer has numbered last. */
struct kept_point point_keep(const struct describer *, const struct measure_request *);
struct point_description point_describe(const struct engine_options *, const struct kept_point *);
void point_release(struct kept_point *);

/* A point that is measured in several rounds. */
struct engine_rounds_record {
    struct kept_point point;
    size_t region; /* of sorted results, 0: none */
    double key;    /* among them */
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
    struct engine_rounds_record *records;
    size_t count, room;
    bool controls;     /* of the machine, for one of them at least */
    size_t done, more; /* rounds made of those asked for; made for single states */
    double seconds;    /* that they took */
};

#endif
