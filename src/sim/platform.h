/* A machine description as a platform of SimGrid. */
#ifndef SKAMPI_SIM_PLATFORM_H
#define SKAMPI_SIM_PLATFORM_H

#include <stdio.h>

#include "sim/machine.h"

/* As XML of version 4.1, read from the description at path. Whether the file takes it is for the
 * caller to find out (ferror). O(nodes + kinds^2). */
void platform_write(FILE *, const struct machine *, const char *path);

#endif
