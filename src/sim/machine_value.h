/* Values of machine descriptions, as tables say what they are. */
#ifndef SKAMPI_SIM_MACHINE_VALUE_H
#define SKAMPI_SIM_MACHINE_VALUE_H

#include "sim/machine_text.h"

enum quantity { QUANTITY_TIME, QUANTITY_RATE, QUANTITY_RATIO, QUANTITY_COUNT };

struct key {
    const char *name;
    enum quantity quantity;
    size_t at;   /* in the struct */
    double most; /* of a count */
    bool needed;
};

/* Takes the current word, and a unit where there is one, as a key's value into a struct. False:
 * that is an error, which has been told. */
bool take_value(struct machine_text *, const struct key *, void *in);
/* A number that is greater than 0. */
bool take_ratio(struct machine_text *, const char *key, double *ratio);

#endif
