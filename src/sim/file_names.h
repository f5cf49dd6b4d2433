/*
 * Many names of files in little memory: those in the folder of the first one are kept without it.
 */
#ifndef SKAMPI_SIM_FILE_NAMES_H
#define SKAMPI_SIM_FILE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct file_names {
    struct text folder, kept, shown; /* kept: one after the other, each with its end */
    uint32_t *places;                /* in kept, 1 more; 0: there is no name */
    size_t count;
};

/* Room for so many, which are not there yet. */
void file_names_open(struct file_names *, size_t count);
/* The name is copied. All names together have at most 4 GiB. */
void file_names_set(struct file_names *, size_t i, const char *name);
/* Until the next call; NULL: it is not there. */
const char *file_names_get(struct file_names *, size_t i);
void file_names_close(struct file_names *);

#endif
