/*
 * Whether what synchronizes does so: nobody leaves a barrier before the last one has entered.
 */
#ifndef SKAMPI_ENGINE_SYNCHRONISM_H
#define SKAMPI_ENGINE_SYNCHRONISM_H

#include "engine/repetition.h"

/* By untimed repetitions; nothing for functions that do not synchronize. All members. */
void synchronism_prove(struct bench *);

#endif
