/*
 * What the library has chosen: its components, transports, settings, and the sizes at which it
 * changes its protocol.
 */
#ifndef SKAMPI_COMM_CHOICES_H
#define SKAMPI_COMM_CHOICES_H

#include <stdbool.h>

#include "base/text.h"

/* Collective. On PE 0: Open MPI's components in force by their framework, and the version of UCX.
 * With `explain` also settings of MPI, those of UCX that differ from their
 * default, and which transports UCX would use from PE 0 to another PE of its node, and to one of
 * another node. For that, UCX is started once more, apart from the library. Empty on other PEs, and
 * for other libraries. The caller frees it. */
struct named_texts comm_choices(bool explain);

/* Whether a setting such as btl_vader_eager_limit belongs to MPI itself (mpi_...), to one of these
 * frameworks as a whole, or to a component that is in force. Components of a framework without any
 * noted component are linked statically. */
bool choices_own_variable(const struct named_texts *choices, const char *variable);

#endif
