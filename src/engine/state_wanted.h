/*
 * Which state of the machine --state asks for. Pure; any PE.
 */
#ifndef SKAMPI_ENGINE_STATE_WANTED_H
#define SKAMPI_ENGINE_STATE_WANTED_H

#include <stdbool.h>

struct state_wanted {
    enum {
        WANTED_ANY,
        WANTED_FASTEST,
        WANTED_MOST,     /* the state that lasts longest */
        WANTED_NUMBER,   /* one of --known */
        WANTED_CONDITION /* the control is below or above the limit */
    } kind;
    int number; /* from 1 */
    enum { WANTED_HAND_OVER, WANTED_ADDITION } control;
    bool below;
    double limit; /* seconds, above 0 */
};

/* Fills in *wanted. NULL, or what to write instead, for the user; the caller frees it. text: NULL
 * stands for WANTED_ANY. */
char *state_wanted_parse(const char *text, struct state_wanted *wanted);

/* Of a condition. */
bool state_wanted_meets(const struct state_wanted *, double control);

#endif
