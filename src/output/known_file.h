/*
 * What one file of results (JSON Lines) says about states of the machine, and about points in them.
 * PE 0. Times in seconds; texts belong to the struct.
 */
#ifndef SKAMPI_OUTPUT_KNOWN_FILE_H
#define SKAMPI_OUTPUT_KNOWN_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/table.h"
#include "stats/rounds.h"
#include "stats/states.h"

/* Numbers of states are unique within a set of PEs. */
struct known_state {
    int number;    /* from 1 */
    char *members; /* of the set; "": too many to be listed by an older version */
    int pes;
    struct states_range ranges[STATES_KINDS]; /* of those that the file has; one at least */
    double share, seconds; /* of the time of the runs, 0 to 1; how long that was */
    bool known;            /* its file had it from earlier runs (--known) */
};

/* A point in one state. */
struct known_value {
    int state; /* its number */
    size_t rounds;
    double median, next_low, next_high; /* NaN: not known */
    struct rounds_launch launch;        /* of its rounds in this state alone; none: no time */
    size_t file;                        /* known_read() counts them */
};

struct known_point {
    char *key; /* point_text() */
    char *block, *call, *members;
    size_t pes;
    struct known_value *values;
    size_t value_count;
    size_t line; /* of the file */
};

/* A library and its settings (NAME=VALUE), as a text that is the same if these are, in whatever
 * order; skampi's own settings do not count. */
char *known_software(const char *library, const char *const *variables, size_t count);

/* A run, for the caller to compare with this one. */
struct known_run {
    char *path, *library, *version;
    char *software; /* known_software(); "": not stated */
    bool other;     /* another software than this run's: its states and points are left out */
    int pes;
    char **nodes; /* names of those that the header lists */
    size_t node_count;
    bool complete; /* else the run was cut */
};

struct known_file {
    struct known_run run;
    struct known_state *states;
    size_t state_count, state_room;
    struct table names;         /* gives the index of a state; known_state_name() */
    struct known_point *points; /* in the order of the file; a point may be there repeatedly */
    size_t point_count, point_room;
};

/* NULL, or what is wrong and what to do, for the user; the caller frees it. *file is to be released
 * in both cases. */
char *known_file_read(const char *path, struct known_file *file);
void known_file_release(struct known_file *);

/* The state with this number of the point's set of PEs, or NULL. */
const struct known_state *known_file_state(struct known_file *, const struct known_point *,
                                           int number);

/* What tells the states of a file from each other: the set of PEs and the number. The caller frees
 * it. */
char *known_state_name(const char *members, int pes, int number);

void known_run_release(struct known_run *);
void known_state_release(struct known_state *);
void known_point_release(struct known_point *);

#endif
