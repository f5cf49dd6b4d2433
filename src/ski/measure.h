/*
 * Runs the statement measure.
 */
#ifndef SKAMPI_SKI_MEASURE_H
#define SKAMPI_SKI_MEASURE_H

#include "ski/evaluate.h"

/* Collective over all PEs. False when the script has failed. */
bool script_measure(struct interp *in, const struct stmt *stmt);

#endif
