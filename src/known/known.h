/*
 * Results of earlier runs (--known): the states of the machine that they saw, under common numbers,
 * and the value of each point in each state. PE 0. Times in seconds.
 *
 * Two states of different files, of one set of PEs and with the same controls, are one state if for
 * each control their values lie within 20 % of each other, or if each value lies within the bounds
 * of the other state, and one of the two states has a bound on the side of the other one. The first
 * file that has a state gives its number; a later state whose number is in use gets the next free
 * one. Numbers therefore stay when further files follow the others.
 */
#ifndef SKAMPI_KNOWN_KNOWN_H
#define SKAMPI_KNOWN_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/table.h"
#include "output/result.h"
#include "stats/rounds.h"
#include "stats/states.h"

/* ---- One file of results (JSON Lines); texts belong to the struct ---- */

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
    char *key; /* point_text() */
    char *block, *call, *members;
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

/* ---- All files ---- */

struct earlier_runs {
    struct known_run *runs; /* in the order of the files */
    size_t run_count;
    struct known_state *states; /* set by set, each by number */
    size_t state_count;
    /* Ordered by key; the values of a point are ordered by number of the state. A value of several
     * files has the median of their medians, the widest interval, and the sum of their rounds. */
    struct known_point *points;
    size_t point_count;
    /* Standard deviation of times from launch to launch, as a fraction (at most 1), that rounds do
     * not explain: the median over points and states that at least 5 files have with 5 rounds; NaN
     * if there are none. */
    double launch_difference;
};

/* software is known_software() of this run, or NULL to accept any. Of runs with other software only
 * .runs is kept: their hand-overs depend on their library and define no states of this run. NULL
 * and *error (for the user; the caller frees it) when a file cannot be read or has no states. */
struct earlier_runs *known_read(const char *const *paths, size_t n, const char *software,
                                char **error);
void known_free(struct earlier_runs *);

/* The point with the same point_text(); in files of older versions, with the same block, call, PEs
 * and loop variables. NULL if earlier runs do not have the point. */
const struct known_point *known_find(const struct earlier_runs *, const struct result_point *);

/* The state with that number of a set of PEs, or NULL. members may be NULL or "" if they are not
 * known. */
const struct known_state *known_state_find(const struct earlier_runs *, const char *members,
                                           int pes, int number);

/* ---- Results of a run that did not come to its end (--resume): which points it measured, and
 * their records ---- */

/* What must be equal in both runs. */
struct resume_facts {
    const char *checksum; /* of the script */
    const char *options;  /* that decide what results are; "": none */
    const char *software; /* known_software() */
    const char *version;  /* of skampi */
    int pes;
    const char *const *nodes; /* names, in the order of their lowest PE */
    int node_count;
};

struct resume;

/* Reads the file (JSON Lines); a last line without its end is left out, since the run may have been
 * killed while it wrote it. NULL and *error (for the user; the caller frees it) if the file cannot
 * be read, or if its run differs from this one in a fact. */
struct resume *resume_read(const char *path, const struct resume_facts *here, char **error);
void resume_free(struct resume *);

/* Whether the file has the point with this point_text(): then *record is its record with its
 * newline, for the caller to free, *time its time (seconds; NaN: none) and *flags its flags (bits
 * 1 << enum result_flag). */
bool resume_take(struct resume *, const char *key, char **record, double *time, unsigned *flags);

#endif
