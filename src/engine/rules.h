/*
 * The window rules, all with the same interface.
 */
#ifndef SKAMPI_ENGINE_RULES_H
#define SKAMPI_ENGINE_RULES_H

#include "engine/batch.h"

/* SKaMPI's, also where there are no windows, and for the dissemination barrier. */
extern const struct batch_rule rule_classic;
/* Kurnosov's MPIPerf. */
extern const struct batch_rule rule_mpiperf;
/* ReproMPI's. */
extern const struct batch_rule rule_round_time;

#endif
