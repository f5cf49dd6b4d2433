/*
 * Names that mean nothing: what to tell about them, and what may have been meant.
 */
#ifndef SKAMPI_SKI_UNKNOWN_H
#define SKAMPI_SKI_UNKNOWN_H

#include "ski/check_state.h"

/* A variable that has no value here, a function, what follows "in". Each is one error. */
void unknown_name(struct checker *c, const struct expr *expr);
void unknown_function(struct checker *c, const struct expr *call);
void unknown_iterator(struct checker *c, const struct expr *call);

#endif
