/*
 * Messages about unknown names, with the name that may have been meant.
 */
#ifndef SKAMPI_SKI_UNKNOWN_H
#define SKAMPI_SKI_UNKNOWN_H

#include "ski/check_state.h"

/* One error each: for a variable without a value, a function, what measure calls, an iterator. */
void unknown_name(struct checker *c, const struct expr *expr);
void unknown_function(struct checker *c, const struct expr *call);
void unknown_measurement(struct checker *c, const struct expr *call);
void unknown_iterator(struct checker *c, const struct expr *call);

#endif
