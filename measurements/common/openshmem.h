/*
 * What families of OpenSHMEM share. The library, and every test of its version: what a later
 * version brought is compiled where it is there, and is listed as unsupported, with the version
 * that it needs, where it is not. Routines in the forms in which tables hold them; users'
 * communication contexts; the team of the PE set in use.
 */
#ifndef SKAMPI_MEASUREMENTS_OPENSHMEM_H
#define SKAMPI_MEASUREMENTS_OPENSHMEM_H

#include "measurements/common/shapes.h"

#if SKAMPI_SHMEM
#include <shmem.h>
#define SKAMPI_SHMEM_1_5                                                                           \
    (SHMEM_MAJOR_VERSION > 1 || (SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION >= 5))
#else
#define SKAMPI_SHMEM_1_5 0
#endif

/* In a descriptor: the version that the function needs, with or without the API, and its hooks. */
#define SINCE_1_5 .version_major = 1, .version_minor = 5
#define API_OPENSHMEM_1_5 .api = API_OPENSHMEM, SINCE_1_5
#if SKAMPI_SHMEM_1_5
#define WITH_SHMEM_1_5(hook) (hook)
#else
#define WITH_SHMEM_1_5(hook) NULL
#endif

/* Why a set cannot allocate symmetric memory; NULL: it can, since it has all PEs of the job. */
static inline const char *memory_refusal(const struct run *run)
{
    bool world = measurement_pes() == 0 || run->size == measurement_pes();
    return !SKAMPI_SHMEM || world
               ? NULL
               : "symmetric memory is allocated and freed by all PEs of the job together: "
                 "measure it on MPI_COMM_WORLD";
}

/* ---- Routines: for elements of 1 to 16 bytes by size, and puts with signal as other puts ---- */

typedef void block_function(void *, const void *, size_t, int);
typedef void strided_function(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int);

#define ELEMENT_SIZES 5 /* 1, 2, 4, 8 and 16 bytes: entry i is of 1 << i */

extern block_function *const sized_put[ELEMENT_SIZES], *const sized_get[ELEMENT_SIZES];
extern block_function *const sized_put_nbi[ELEMENT_SIZES], *const sized_get_nbi[ELEMENT_SIZES];
extern strided_function *const sized_iput[ELEMENT_SIZES], *const sized_iget[ELEMENT_SIZES];

/* The logarithm of a power of two. */
int size_log2(size_t power);

#if SKAMPI_SHMEM_1_5
/* The signal is one word of each PE that nobody waits for; each put adds 1 to it. */
void put_signal(void *target, const void *source, size_t bytes, int pe);
void put_signal_nbi(void *target, const void *source, size_t bytes, int pe);
#endif

#if SKAMPI_SHMEM

/* ---- Users' communication contexts ---- */

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

/* ---- The team of the PE set in use: any set in ascending order at a constant distance has one,
 * also where it is no active set ---- */

/* Argument check: whether there is such a team. */
const char *team_check(const struct run *);

#if SKAMPI_SHMEM_1_5

/* The state of a function on a team begins with it. */
struct team_state {
    shmem_team_t team; /* of the set; SHMEM_TEAM_INVALID outside it */
};

/* The hook setup: refuses to go on without the team. */
bool team_set_up(struct run *);

static inline shmem_team_t team_of(const struct run *run)
{
    return ((const struct team_state *)run->state)->team;
}

#endif

/* What functions on a team are like; those with a check of their own call team_check(). */
extern const struct measurement team_common;

/* ---- Quiet and fence: what functions in ordering.c and context.c are like ---- */

/* The variant of a function. */
struct order {
    bool fence; /* instead of quiet */
    bool user_context;
};

extern const struct measurement ordering_empty;     /* with nothing outstanding */
extern const struct measurement ordering_quiet_put; /* a put and a quiet, less the put */
extern const struct measurement ordering_fence_put; /* a put and a fence, less the put */

#endif
