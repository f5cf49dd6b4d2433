/*
 * Call sites: where the program called a routine. The sites of all files of a trace are numbered,
 * so that calls of different PEs can be compared.
 */
#ifndef SKAMPI_TRACE_READ_SITES_H
#define SKAMPI_TRACE_READ_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct sites {
    struct table table; /* by return addresses */
    char **texts;       /* by number; NULL: not made yet */
    size_t room;
};

/* The number of a site, from 1 on. */
size_t sites_add(struct sites *, const uint64_t *addresses, size_t depth);
/* Where a site is, as a text that lives as long as the sites: the innermost caller first, outer
 * ones after " < ". "?" for site 0, which is not known. */
const char *sites_text(struct sites *, size_t site);
void sites_free(struct sites *);

#endif
