/* Measured costs in machine descriptions: those of classes of calls, and tables of collectives. */
#ifndef SKAMPI_SIM_MACHINE_COSTS_H
#define SKAMPI_SIM_MACHINE_COSTS_H

#include "sim/machine.h"
#include "sim/machine_text.h"

/* "cost CLASS { ... }" of a bus or node. False: the current word is no "cost". */
bool costs_take(struct machine_text *, struct way *);
/* At the end of a bus or node: what classes left out is as its own. */
void costs_complete(struct way *);

/* What follows "table": the measured times of a collective, which the machine then has. NULL: that
 * is an error. */
const struct time_table *costs_take_table(struct machine_text *, struct machine *);

#endif
