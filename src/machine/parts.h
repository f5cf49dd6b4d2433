/*
 * The parts of struct machine, for the files of this folder and their tests.
 *
 * Costs of a control for n PEs: one or two rounds of hand-overs between pairs, all at once, and two
 * reductions of at most 128 numbers, O(log n) messages.
 */
#ifndef SKAMPI_MACHINE_PARTS_H
#define SKAMPI_MACHINE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "known/known.h"
#include "machine/machine.h"
#include "objects/pe_set.h"
#include "output/result.h"
#include "stats/states.h"

/* All controls of a set, in the order of time; on the set's rank 0, and on PE 0. */
struct control_log {
    struct pe_set *set;
    struct control *controls;
    size_t count, room;
    struct states_state known[RESULT_STATES_MAX]; /* of earlier runs, ascending */
    int known_numbers[RESULT_STATES_MAX];
    size_t known_count;
    struct states_state states[RESULT_STATES_MAX]; /* that the controls so far tell, ascending */
    int numbers[RESULT_STATES_MAX];
    size_t state_count;
    size_t judged;              /* controls in which the states were found */
    struct states_values noise; /* of controls within a state, logarithmic */
    /* Controls of the slowest result for which the fastest state was asked; PE 0. */
    struct states_values slowest;
    bool has_slowest;
};

/* A state that earlier runs have seen, of any set. */
struct earlier_state {
    uint64_t set; /* hash of members and number of PEs */
    int number;
    struct states_range ranges[STATES_KINDS];
};

/* ---- Controls ---- */

/* Takes a control; all members of the group. The result is complete on its rank 0. */
struct result_controls controls_take(struct machine *, const struct pe_group *);

/* Adds one, and looks for states again when enough is new. *place is one in the log, and moves
 * along when a log that has become long is thinned out. */
void controls_add(struct control_log *, double at, const struct result_controls *, size_t *place);
/* Looks for states now, if anything is new. */
void controls_judge(struct control_log *);
/* The last one, which tells the state now; log->count > 0. */
struct states_values controls_now(const struct control_log *);

/* started: the run, wall_seconds(). Brings what earlier runs have seen from PE 0 to all PEs;
 * collective. */
void controls_begin(struct machine *, double started, const struct earlier_runs *);

/* ---- What --state asks for ---- */

struct wanted_state {
    enum {
        WANTED_ANY,
        WANTED_FASTEST,
        WANTED_MOST,     /* the state that takes most of the time */
        WANTED_NUMBER,   /* one of --known */
        WANTED_CONDITION /* the controls are within limits */
    } kind;
    int number; /* from 1 */
    /* Of each kind of control, seconds: above < c < below; 0 and INFINITY where nothing is said. */
    struct {
        double above, below;
    } limits[STATES_KINDS];
};

/* Fills in *wanted. NULL, or what to write instead, for the user; the caller frees it. text: NULL
 * stands for WANTED_ANY. */
char *state_wanted_parse(const char *text, struct wanted_state *wanted);

/* Whether a condition says something of this kind of control. */
bool state_wanted_limits(const struct wanted_state *, size_t kind);
/* Whether controls meet a condition. */
bool state_wanted_meets(const struct wanted_state *, const struct states_values *);

/* What --state asks for. */
struct state_request {
    struct wanted_state state;
    const char *text; /* as the user wrote it */
    double wait;      /* seconds, for each point */
};

struct machine {
    double started;     /* the engine, wall_seconds() */
    double spent, cost; /* on all controls; on the last one; seconds */
    struct control_log **logs;
    size_t log_count;
    struct pe_set *world;
    struct earlier_state *known; /* of all sets */
    size_t known_count;
    double copy;                 /* the last one of this PE, seconds a byte; NaN: none */
    double copied_at, copy_cost; /* wall_seconds(), 0: never; seconds */
    size_t copy_bytes;
    char *copy_from, *copy_to;
    struct state_request wanted;
};

#endif
