/*
 * Runs loops: over a range (refined or not), a list or an iterator.
 */
#ifndef SKAMPI_SKI_LOOPS_H
#define SKAMPI_SKI_LOOPS_H

#include "ski/script_state.h"

/* False when the script has failed. */
bool script_arithmetic_loop(struct interp *in, const struct stmt *stmt);
bool script_list_loop(struct interp *in, const struct stmt *stmt);
bool script_iterator_loop(struct interp *in, const struct stmt *stmt);

#endif
