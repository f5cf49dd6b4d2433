/*
 * What the library has chosen: its components, transports, and the sizes at which it changes its
 * protocol.
 */
#ifndef SKAMPI_COMM_CHOICES_H
#define SKAMPI_COMM_CHOICES_H

#include <stdbool.h>
#include <stddef.h>

struct comm_choice {
    char *name, *value;
};

struct comm_choices {
    struct comm_choice *of;
    size_t count;
};

/* Collective. On PE 0: Open MPI's components in force by their framework, and the version of UCX;
 * with `paths` also how UCX would go from PE 0 to another PE of its node and to one of another
 * node, for which it is started once more, beside the library. Empty elsewhere, and for other
 * libraries. */
struct comm_choices comm_choices(bool paths);
void comm_choices_free(struct comm_choices *);

#endif
