/*
 * What is not measured, and the warnings about it.
 */
#ifndef SKAMPI_ENGINE_MISSING_H
#define SKAMPI_ENGINE_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/describe.h"
#include "engine/progress.h"

struct missing {
    struct output *output; /* of PE 0, else NULL */
    struct display *display;
    const struct block *block;
    const struct describer *describer;
    bool incomplete; /* something failed or is unsupported: exit status 3 */
    size_t left_out; /* since they could not be measured, or did not fit */
    /* Of this block, those of them that are not listed; what they were like, and the last call. */
    int64_t unlisted;
    enum result_missing kind;
    char *call, *reason;
    char **warned; /* places in this block that a warning was given for; PE 0 */
    size_t warned_count;
};

/* The output states what takes the place of a result. All PEs. */
void missing_state(const struct missing *, enum result_missing kind, const struct measure_request *,
                   const char *reason);
/* A measurement cannot be made, or does not fit: states it, as long as there are few. All PEs. */
void missing_leave_out(struct missing *, enum result_missing kind, const struct measure_request *,
                       const char *reason);
/* Whether what is left out is still listed one by one; then the number of further ones. All PEs. */
bool missing_listed(const struct missing *);
void missing_leave_out_more(struct missing *, int64_t count);
/* A measurement has failed: says so once. All PEs; reason: on PE 0. */
void missing_fail(struct missing *, const struct measure_request *, const char *reason);

/* Warnings are given once in a block; what was not listed is stated at its end as one. */
void missing_begin_block(struct missing *);
void missing_end_block(struct missing *);
void missing_free(struct missing *);

#endif
