/* Reports what calls took in the trace beyond what the description of its machine says. One
 * process. */
#ifndef SKAMPI_SIM_REPORT_SURPLUS_H
#define SKAMPI_SIM_REPORT_SURPLUS_H

#include <stdio.h>

#include "sim/surplus.h"

/* For people, and as a member of an object, followed by a comma. */
void report_surplus_text(FILE *, const struct run *, const struct surplus *);
void report_surplus_json(FILE *, const struct run *, const struct surplus *);

#endif
