/*
 * Many names of files in little memory: names in the folder of the first file are kept without the
 * folder.
 */
#ifndef SKAMPI_SIM_FILE_NAMES_H
#define SKAMPI_SIM_FILE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct file_names {
    struct text folder, kept, shown; /* kept: one after the other, each with its end */
    uint32_t *places;                /* 1 + place in kept, or 0 without a name */
    size_t count;
};

/* Makes room for `count` names, all of them missing. */
void file_names_open(struct file_names *, size_t count);
/* The name is copied. All names together have at most 4 GiB. */
void file_names_set(struct file_names *, size_t i, const char *name);
/* The name, or NULL. Valid until the next call. */
const char *file_names_get(struct file_names *, size_t i);
void file_names_close(struct file_names *);

#endif
