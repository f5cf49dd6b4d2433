/*
 * Components of Open MPI in force: those whose libraries are loaded.
 */
#ifndef SKAMPI_COMM_COMPONENTS_H
#define SKAMPI_COMM_COMPONENTS_H

#include <stdbool.h>

#include "base/text.h"

/* Notes this PE's components of each framework on which communication depends: "btl" "self vader".
 * Notes nothing for other libraries, or if components are linked statically. */
void components_note(struct named_texts *choices);
/* Whether a setting such as btl_vader_eager_limit belongs to MPI itself (mpi_...), to one of these
 * frameworks as a whole, or to a component that is in force. Components of a framework without any
 * noted component are linked statically. */
bool components_own(const struct named_texts *choices, const char *variable);

#endif
