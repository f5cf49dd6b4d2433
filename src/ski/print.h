/*
 * Runs the statements print, print_all and flush.
 */
#ifndef SKAMPI_SKI_PRINT_H
#define SKAMPI_SKI_PRINT_H

#include "ski/script_state.h"

/* False when the script has failed. */
bool script_print(struct interp *in, const struct stmt *stmt);
/* Collective over all PEs. */
void script_flush(struct interp *in, const struct stmt *stmt);

#endif
