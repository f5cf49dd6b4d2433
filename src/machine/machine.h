/*
 * The states of the machine: controls, short operations that do not depend on what is measured,
 * tell how fast the machine is just now; what they say over the whole run tells its states. Nobody
 * needs to know more of them than what is here.
 */
#ifndef SKAMPI_MACHINE_MACHINE_H
#define SKAMPI_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/pe_group.h"
#include "known/known.h"
#include "objects/pe_set.h"
#include "output/output.h"
#include "output/result.h"
#include "stats/rounds.h"
#include "stats/states.h"

struct machine;
/* The controls of one set of PEs, on the set's rank 0 and on PE 0. */
struct control_log;

struct control {
    double at; /* seconds since the engine was started */
    struct result_controls seen;
};

/* Why there are no controls here, or NULL. The same on all PEs. */
const char *machine_unseen(void);

/* NULL, or what to write instead of this value of --state, for the user; the caller frees it.
 * *numbered: it is the number of a state of earlier runs. */
char *machine_state_wrong(const char *state, bool *numbered);

/* started: the run, wall_seconds(). state: what to wait for before anything is measured (NULL: for
 * nothing), `wait` seconds for each point. earlier: what other runs have seen; PE 0. Collective. */
struct machine *machine_begin(double started, const char *state, double wait,
                              const struct earlier_runs *earlier);
void machine_end(struct machine *);

/* ---- The state that is asked for ---- */

bool machine_waits(const struct machine *);
/* The state that the user asked for, as written, and how long to wait for it (s). */
const char *machine_state_text(const struct machine *);
double machine_state_wait(const struct machine *);
/* Why it cannot come to the PEs of this log, or NULL. */
const char *machine_state_impossible(const struct machine *, const struct control_log *);
/* Whether the last control of the log was in that state, or none is asked for. */
bool machine_state_right(const struct machine *, const struct control_log *);

/* ---- Controls ---- */

/* The set's log; made when there is none. The set's rank 0, and PE 0. */
struct control_log *machine_log(struct machine *, const struct pe_set *);
/* All controls in it, in the order of time. */
const struct control *machine_controls(const struct control_log *, size_t *count);
/* The last one; nothing is known if it is older than this (seconds). */
struct states_values machine_now(const struct machine *, const struct control_log *, double age);
/* Whether the state changed between these two. */
bool machine_changed(const struct control_log *, const struct states_values *before,
                     const struct states_values *after);

/* Takes a control, with all members of the group, and adds it to the log, which is NULL except on
 * the group's rank 0. *place: an index in the log, which moves along when that is thinned out. */
void machine_control(struct machine *, const struct pe_group *, struct control_log *,
                     size_t *place);
/* The control that leaves other caches behind, if it is due: before a measurement. All members of
 * the group. */
void machine_copy(struct machine *, const struct pe_group *);
/* Whether a control still fits into this part of the share of the time that they may take; and how
 * long the last one took, seconds. */
bool machine_affordable(const struct machine *, double part);
double machine_control_cost(const struct machine *);
/* What the machine is like while nothing is measured. Collective. */
void machine_look(struct machine *);
/* Adds controls that another PE has taken. PE 0. */
void machine_add(struct machine *, const struct pe_set *, const struct control *, size_t count);

/* ---- What results say of it ---- */

/* Fills in the controls and the parts of a result whose repetitions took values[i], with controls
 * around each; the log's controls from index `first` on belong to it. before: the last controls. */
void machine_describe(const struct control_log *, size_t first, const struct states_values *before,
                      const double *values, const struct states_values *controls, size_t count,
                      struct statistics *);
/* This result is one for which the fastest state was asked, if it was. PE 0. */
void machine_measured(struct machine *, const struct pe_set *, const struct statistics *);
/* Whether these PEs have seen several states. */
bool machine_has_states(struct machine *, const struct pe_set *);

/* Looks at all controls once more; before the functions below. */
void machine_settle(struct machine *);
/* Writes the states, and what they were derived from. False, after a warning, if results for which
 * the fastest state was asked were measured in what turned out to be a slower one. PE 0. */
bool machine_report(const struct machine *, struct output *);

/* ---- Rounds of a point ---- */

/* The repetitions of a round that were made in one state of the machine. */
struct round_part {
    size_t round;                  /* from 0 */
    struct states_values controls; /* medians */
    double median, within;
    size_t valid;
    bool alone; /* the round has no other part */
};

/* The parts of one point, in the order of rounds. */
struct round_parts {
    const struct pe_set *set;
    struct round_part *of;
    size_t count, rounds;
};

/* What the rounds of one point say about each state. */
struct state_rounds {
    struct result_state_rounds states[RESULT_STATES_MAX];
    size_t count;
    int missed[RESULT_STATES_MAX]; /* numbers of states without a round */
    size_t missed_count;
    bool several;      /* states were seen in this run */
    bool several_told; /* in this run or earlier ones */
    int *round_states; /* of each round: its number; 0: several, or not known */
};

/* False if nothing is known of these PEs. unseen: by which prediction intervals are wider. Release
 * it. PE 0. */
bool machine_rounds(struct machine *, const struct round_parts *, double confidence,
                    const struct rounds_unseen *unseen, struct state_rounds *);
void machine_release_rounds(struct state_rounds *);

/* Whether the point has few rounds in the state that its PEs are in now, or in any state. PE 0. */
bool machine_lacks_rounds(struct machine *, const struct round_parts *, bool any);

#endif
