/*
 * Many names of files in little memory: those in the folder of the first one are kept without it.
 */
#ifndef SKAMPI_BASE_NAMES_H
#define SKAMPI_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct names {
    struct text folder, kept, shown; /* kept: one after the other, each with its end */
    uint32_t *places;                /* in kept, 1 more; 0: there is no name */
    size_t count;
};

/* Room for so many, which are not there yet. */
void names_open(struct names *, size_t count);
/* The name is copied. All names together have at most 4 GiB. */
void names_set(struct names *, size_t i, const char *name);
/* Until the next call; NULL: it is not there. */
const char *names_get(struct names *, size_t i);
void names_close(struct names *);

#endif
