/*
 * The states of the machine, as the controls of the complete run tell them. PE 0.
 */
#ifndef SKAMPI_ENGINE_STATES_H
#define SKAMPI_ENGINE_STATES_H

#include "engine/controls.h"
#include "engine/point.h"
#include "output/output.h"
#include "stats/rounds.h"

/* Looks at all controls once more; before the functions below. */
void states_settle(struct controls *);

/* Writes them, and what they were derived from. */
void states_report(const struct controls *, struct output *);

/* Whether some results for which the fastest state was asked were measured in what turned out to be
 * a slower one; writes a warning for each set of which that is so. */
bool states_slower(const struct controls *, struct output *);

/* The number of the state that controls belong to; 0: it is not known. */
int states_number(const struct control_log *, const struct states_values *);

/* What the rounds of one point say about each state. */
struct state_rounds {
    struct result_state_rounds states[RESULT_STATES_MAX];
    size_t count;
    int *round_states; /* of each round: its number; 0: several, or not known */
};
/* unseen: by which prediction intervals are wider. Release it. */
struct state_rounds states_of_rounds(const struct control_log *, const struct rounds_record *,
                                     double confidence, const struct rounds_unseen *unseen);
void states_release(struct state_rounds *);

/* Rounds of a point in a state of its set (index in the log). */
size_t states_rounds_in(const struct control_log *, const struct rounds_record *, size_t state);

#endif
