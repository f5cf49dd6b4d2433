/*
 * Changes of a machine: several values of a quantity, as options give them ("ib=x0.5,1 us"), and
 * machines in which each has one of its values. Pure.
 */
#ifndef SKAMPI_SIM_SWEEP_H
#define SKAMPI_SIM_SWEEP_H

#include "sim/machine_text.h"

struct setting {
    char *text;    /* as given: "x0.5", "+1 us", "10 GB/s", "blocks" */
    bool factor;   /* the value multiplies that of the description */
    bool added;    /* the value, a time, is added to that of the description */
    double number; /* the factor, or the value: in s, B/s, or a count */
    double value;  /* without factor: the value as a machine has it */
};

enum sweep_of { SWEEP_BUSES, SWEEP_NODES, SWEEP_MAP, SWEEP_PES_PER_NODE };

struct sweep {
    enum sweep_of of;
    const char *option;
    const struct key *key; /* of buses or nodes */
    char *label;           /* "latency", "latency of ib" */
    const char *unit;      /* of numbers that are no factors: "s", "B/s", "" */
    size_t first, count;   /* range of the buses or kinds of nodes */
    struct setting *settings;
    size_t setting_count;
};

/* Reads the values of an option. NULL, or lines that say what is wrong, which the caller frees. */
char *sweep_read(struct sweep *, const char *option, const char *given, const struct machine *);
void sweep_free(struct sweep *);

/* Gives a machine, as it was read, that value. NULL, or why there is no such machine, which the
 * caller frees. */
char *sweep_apply(struct machine *, const struct sweep *, size_t setting);

#endif
