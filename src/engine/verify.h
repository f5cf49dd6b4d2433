/*
 * Whether an operation does what it should.
 */
#ifndef SKAMPI_ENGINE_VERIFY_H
#define SKAMPI_ENGINE_VERIFY_H

#include <stdbool.h>

#include "engine/services.h"

/* By repetitions of one iteration that are not timed: its data are right, and where it says that it
 * synchronizes, nobody leaves before all have entered. False when not. All members. */
bool verify_operation(struct bench *);

#endif
