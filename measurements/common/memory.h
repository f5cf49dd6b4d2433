/*
 * What families that allocate symmetric memory share.
 */
#ifndef SKAMPI_MEASUREMENTS_MEMORY_H
#define SKAMPI_MEASUREMENTS_MEMORY_H

#include "engine/measurement.h"

/* Why a set cannot allocate; NULL: it can, since it has all PEs of the job. */
const char *memory_refusal(const struct pe_set *set);

#endif
