/*
 * What functions on a user's communication context share, and the empty quiet that is taken off
 * operations which need one, on the default context and on a user's.
 */
#ifndef SKAMPI_MEASUREMENTS_USER_CONTEXT_H
#define SKAMPI_MEASUREMENTS_USER_CONTEXT_H

#include "engine/measurement.h"

#if SKAMPI_SHMEM

#include <shmem.h>

/* Contexts of this PE. */
struct user_contexts {
    shmem_ctx_t *handles;
    int count; /* of open ones; the first in handles */
};

/* Opens count contexts with the given options. Collective over the set: either all members have
 * theirs, or all return false and run_fail() has been called. Either way contexts_destroy()
 * releases what there is. */
bool contexts_open(struct run *run, struct user_contexts *contexts, int count, long options);

/* The calls of the library alone: creates until there are count, for which there is room, and
 * returns whether there are; destroys all. Any one PE. */
bool contexts_create(struct user_contexts *contexts, int count, long options);
void contexts_destroy(struct user_contexts *contexts);

/* Seconds of a quiet with nothing to complete, in its place: after one that completed a put of
 * one byte to target on a PE, which may be written. context: NULL for the default one, through the
 * routines that name none. Any one PE. */
double empty_quiet(struct run *run, void *target, int pe, const shmem_ctx_t *context);

#endif

#endif
