/*
 * States of the machine, and values of points in each state, from one file of results (JSON Lines).
 * PE 0. Times in seconds; texts belong to the struct.
 */
#ifndef SKAMPI_KNOWN_KNOWN_FILE_H
#define SKAMPI_KNOWN_KNOWN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/table.h"
#include "stats/rounds.h"
#include "stats/states.h"

/* Numbers of states are unique within a set of PEs. */
struct known_state {
    int number;    /* from 1 */
    char *members; /* of the set of PEs; "" if an older version did not list them because they were
                      too many */
    int pes;
    struct states_range ranges[STATES_KINDS]; /* of the controls in the file, at least one */
    double share, seconds; /* share of the time of the run, 0 to 1, and the seconds that this is */
    bool known;            /* the run of the file already knew it (--known) */
};

/* A point in one state. */
struct known_value {
    int state; /* number of the state */
    size_t rounds;
    double median, next_low, next_high; /* NaN if not known */
    struct rounds_launch launch;        /* of its rounds in this state; empty if it is no time */
    size_t file;                        /* index of the file, for known_read() */
};

struct known_point {
    char *key; /* output_point_text() */
    char *members;
    size_t pes;
    struct known_value *values;
    size_t value_count;
    size_t line; /* of the file */
};

/* A text that identifies a library and its settings (NAME=VALUE), whatever their order. skampi's
 * own settings are left out. */
char *known_software(const char *library, const char *const *variables, size_t count);

/* What the header of a file says of its run, for comparison with the present run. */
struct known_run {
    char *path, *library, *version;
    char *checksum; /* of the script; "" if the file does not state it */
    char *options;  /* that decide what results are; "": none */
    char *software; /* known_software(), or "" if the file does not state it */
    bool other; /* its software differs from that of this run, so its states and points are left out
                 */
    int pes;
    char **nodes; /* names of the nodes in the header */
    size_t node_count;
    bool complete; /* the file has its last record; else the run was cut off */
};

struct known_file {
    struct known_run run;
    struct known_state *states;
    size_t state_count, state_room;
    struct table names;         /* index of each state, by known_state_name() */
    struct known_point *points; /* in the order of the file; a point may occur several times */
    size_t point_count, point_room;
};

/* As fopen() for reading; NULL, too, for a device, whose lines may never end. */
FILE *known_open(const char *path);

/* Reads a file. NULL, or what is wrong and what to do, for the user; the caller frees the text. The
 * caller releases *file in both cases. */
char *known_file_read(const char *path, struct known_file *file);
void known_file_release(struct known_file *);

/* The state with this number of the point's set of PEs, or NULL. */
const struct known_state *known_file_state(struct known_file *, const struct known_point *,
                                           int number);

/* A text that identifies a state of a file: its set of PEs and its number. The caller frees it. */
char *known_state_name(const char *members, int pes, int number);

/* The run of a file's first line, which holds `length` bytes. NULL, or what is wrong. The caller
 * releases *run, which is zeroed before, in both cases. */
const char *known_run_read(const char *line, size_t length, struct known_run *run);
void known_run_release(struct known_run *);
void known_state_release(struct known_state *);
void known_point_release(struct known_point *);

#endif
