/*
 * Which state of the machine --state asks for. Pure; any PE.
 */
#ifndef SKAMPI_ENGINE_STATE_WANTED_H
#define SKAMPI_ENGINE_STATE_WANTED_H

#include <stdbool.h>

#include "stats/states.h"

struct state_wanted {
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
char *state_wanted_parse(const char *text, struct state_wanted *wanted);

/* Whether a condition says something of this kind of control. */
bool state_wanted_limits(const struct state_wanted *, size_t kind);
/* Whether controls meet a condition. */
bool state_wanted_meets(const struct state_wanted *, const struct states_values *);

#endif
