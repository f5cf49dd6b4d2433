/*
 * A sum of longs over the victims of a load: its data, for OpenSHMEM and MPI.
 */
#ifndef SKAMPI_MEASUREMENTS_VICTIMS_SUM_H
#define SKAMPI_MEASUREMENTS_VICTIMS_SUM_H

#include "measurements/common/shapes.h"

/* Whether it can be measured with the settings; false after run_fail(). All ranks alike. */
bool victims_sum_possible(struct run *, const unsigned char *source, const unsigned char *target);
/* What this rank contributes, of demand.reported bytes, and poison in the target. */
void victims_sum_fill(const struct run *, unsigned char *source, unsigned char *target);
/* Whether the target holds the sum over all victims, or is untouched if this rank is no victim;
 * false after run_fail(). */
bool victims_sum_verify(struct run *, const unsigned char *target, int victims);

#endif
