/*
 * Controls: the machine's own speed, measured by short operations that do not depend on what the
 * script measures: a word that is handed over between neighbours, a chain of additions, a copy. And
 * what was seen of it so far, for each set of PEs.
 *
 * Costs of a control for n PEs: one or two rounds of hand-overs between pairs, all at once, and two
 * reductions of at most 128 numbers, O(log n) messages.
 */
#ifndef SKAMPI_ENGINE_CONTROLS_H
#define SKAMPI_ENGINE_CONTROLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/pe_set.h"
#include "output/known.h"
#include "output/result.h"
#include "stats/states.h"

struct control {
    double at; /* seconds since the engine was started */
    struct result_controls seen;
};

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
    size_t state_count, judged; /* from so many controls */
    struct states_values noise; /* of controls within a state, logarithmic */
    /* Controls of the slowest result for which the fastest state was asked; PE 0. */
    struct states_values slowest;
    bool has_slowest;
};

/* A state that earlier runs have seen, of any set. */
struct seen_earlier {
    uint64_t set; /* hash of members and number of PEs */
    int number;
    struct states_range ranges[STATES_KINDS];
};

struct controls {
    double started;     /* the engine, wall_seconds() */
    double spent, cost; /* on all controls; on the last one; seconds */
    struct control_log **logs;
    size_t log_count;
    struct pe_set *world;
    struct seen_earlier *known; /* of all sets */
    size_t known_count;
    double copy;                 /* the last one of this PE, seconds a byte; NaN: none */
    double copied_at, copy_cost; /* wall_seconds(), 0: never; seconds */
    size_t copy_bytes;
    char *copy_from, *copy_to;
};

/* Why there are no controls here, or NULL. The same on all PEs. */
const char *controls_impossible(void);

/* Brings what earlier runs have seen from PE 0 to all PEs, before anything is measured.
 * Collective. */
void controls_know(struct controls *, const struct known *);

/* Takes a control; all members of the group. The result is complete on its rank
 * 0. */
struct result_controls controls_take(struct controls *, const struct pe_group *);
/* The copy, which leaves other caches behind: not between the repetitions of a measurement. Any
 * PE. */
void controls_copy(struct controls *);

/* Whether a control still fits into this part of the share of the time that they may take, and a
 * copy into its own. */
bool controls_affordable(const struct controls *, double part);
bool controls_copy_due(const struct controls *);

/* The set's log; made when there is none. The set's rank 0, and PE 0. */
struct control_log *controls_log(struct controls *, const struct pe_set *);
/* Adds one, and looks for states again when enough is new. */
void controls_add(struct control_log *, double at, const struct result_controls *);
/* Thins a log out that has become long; *place (or NULL) is one in it, and moves along. */
void controls_trim(struct control_log *, size_t *place);
/* Looks for states now, if anything is new. */
void controls_judge(struct control_log *);
/* The last one, which tells the state now; log->count > 0. */
struct states_values controls_now(const struct control_log *);
/* Seconds since the start. */
double controls_clock(const struct controls *);

void controls_free(struct controls *);

#endif
