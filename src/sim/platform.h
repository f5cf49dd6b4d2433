/* A machine description as a platform of SimGrid. */
#ifndef SKAMPI_SIM_PLATFORM_H
#define SKAMPI_SIM_PLATFORM_H

#include <stdio.h>

#include "sim/machine.h"

/* Writes the machine, whose description is at path, as XML of version 4.1. The caller checks the
 * stream for errors (ferror). O(nodes + kinds^2). */
void platform_write(FILE *, const struct machine *, const char *path);

#endif
