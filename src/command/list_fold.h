/*
 * Folds names of measurement functions that differ only in a type or an operation, as a shell would
 * unfold them. Pure.
 */
#ifndef SKAMPI_LIST_FOLD_H
#define SKAMPI_LIST_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/measurement.h"

struct list_line {
    const struct measurement *first; /* of those that it stands for */
    size_t count;                    /* how many these are */
    char *name, *summary;            /* allocated: the name folded; what their summaries share */
};

/* A line for each function, or for several whose parameters are the same; in the order of the
 * first of each. lines has room for all functions; returns how many there are. */
size_t list_fold(const struct measurement *const *functions, size_t count, bool fold,
                 struct list_line *lines);

#endif
