/*
 * What the families of collective routines share: active sets, synchronization and work arrays, the
 * check that data arrive, and three ways to time a call (method.md, section 7):
 *
 *   consecutive  calls in a row: they may overlap, nothing separates them
 *   separated    each call followed by a barrier, less a barrier measured alone
 *   synchro      one call, all PEs starting by the clock
 *
 * A routine is described once, by a struct routine, which is the variant of its three measurement
 * functions.
 */
#ifndef SKAMPI_MEASUREMENTS_COLLECTIVE_H
#define SKAMPI_MEASUREMENTS_COLLECTIVE_H

#include "measurements/common/openshmem.h"
#include "measurements/common/shapes.h"

/* Everything that a collective routine of OpenSHMEM takes; one of a team takes that of the run. */
struct collective_call {
    const struct routine *routine;
    unsigned char *target, *source;
    size_t elements; /* of each PE's block */
    int root;        /* rank in the active set */
    int start, log_stride, size;
    bool world; /* the active set is all PEs of the job */
    int rank;   /* of this PE in the active set */
    void *work;
    long *sync;
    struct run *run;
};

struct routine {
    void (*call)(const struct collective_call *);
    /* fill() sets up the source; check() returns whether the target holds what it must, false after
     * run_fail(). NULL: there are no data. */
    void (*fill)(const struct collective_call *);
    bool (*check)(const struct collective_call *);
    size_t element; /* bytes; 0: no data */
    /* Of reductions: elements are floating-point numbers, otherwise integers. */
    const struct reduction_operation *operation;
    bool real;
    /* The target, and the source, have one block for each PE. */
    bool target_of_all, source_of_all;
    bool works;        /* needs a work array */
    bool of_team;      /* takes a team instead of an active set */
    bool on_half;      /* only ranks 0, 2, 4, ... take part */
    int most_elements; /* that the routine's argument can count; 0: any */
};

/* ---- Descriptors ---- */

/* clang-format off */
#define COUNT_IN(elements) {"count", PARAMETER_INT, "bytes", "data in each PE's block, rounded up to complete " elements, .size = true, .minimum = 1, .example = "1024"}
#define COUNT_OF_ELEMENTS COUNT_IN("elements")
/* clang-format on */

/* What functions are like: those of any routine, and the three ways to time one. */
extern const struct measurement collective_common, collective_in_a_row, collective_with_barriers,
    collective_by_the_clock;

/* Hooks of any routine. */
const char *collective_check(const struct run *);
void collective_demand(struct run *);
bool collective_set_up(struct run *);
void collective_fill(struct run *);
bool collective_check_data(struct run *);
double collective_loop(struct run *); /* separated by barriers where those are the reference */
double collective_barriers_alone(struct run *);
double collective_synchro(struct run *);

/* Seconds by which a rank comes late where set_arrival_skew() says so. Pure. */
double collective_delay(const struct settings *, int rank, int size);
/* run_start(), or as late as the script wants that rank to be: then the time counts from there. The
 * late PE computes, it does not help the library. */
int64_t collective_arrive(struct run *, int rank, int size);

/* ---- For all who call collective routines ---- */

/* Why no active set has these PEs, or NULL if one does. Pure. */
const char *collective_refused_set(const struct pe_set *);
/* Symmetric bytes for the synchronization arrays of an active set, a multiple of a cache line. */
size_t active_set_bytes(void);
/* Elements that the standard wants in the work array of a reduction of `elements` elements. */
size_t collective_work_elements(size_t elements);

/* An active set: the first ranks of a run's set. */
struct active_set {
    int start, log_stride, size;
    bool world; /* all PEs of the job */
    long *sync; /* symmetric: two arrays, that serve any routine */
    long turn;  /* collective calls so far: each takes the array that the last one left */
};

#if SKAMPI_SHMEM

/* memory: symmetric, active_set_bytes(). Nobody may call a collective before all have been here. */
struct active_set active_set_open(const struct run *, int size, unsigned char *memory);
/* The synchronization array of the next call. */
long *active_set_sync(struct active_set *);
void active_set_barrier(struct active_set *);
/* work: two arrays of collective_work_elements(), which consecutive calls use in turn. */
void active_set_sum_longs(struct active_set *, long *target, const long *source, int elements,
                          long *work);

#endif

/* ---- For families with hooks of their own, where all of the set is in the active set ---- */

/* The state of such a family begins with it. */
struct collective_state {
#if SKAMPI_SHMEM_1_5
    struct team_state team; /* of routines that take one */
#endif
    struct collective_call call; /* aim() sets what differs between calls */
    struct active_set set;
    bool member;       /* of the active set */
    long calls;        /* of the routine so far: each takes the work array that the last one left */
    size_t work_bytes; /* of one work array */
};

/* iteration: in the repetition, for the memory that it uses. */
void collective_do(struct run *, int root, int64_t iteration);
/* A barrier of the active set. Members call it. */
void collective_barrier(struct run *);
/* The argument that is a root; 0 without one. */
int collective_root(const struct run *);
/* A symmetric counter, 0 before set-up, for the family's own use. */
enum collective_counter { COLLECTIVE_ACKNOWLEDGED, COLLECTIVE_LEFT, COLLECTIVE_COUNTERS };
long *collective_counter(const struct run *, enum collective_counter);

/* ---- Data: what each rank brings, and must find; the caller has poisoned the buffers ---- */

/* Blocks: of all ranks with `target_of_all`, else the root's on all ranks, the root itself
 * included. */
void collective_fill_blocks(const struct collective_call *);
bool collective_check_blocks(const struct collective_call *);

/* ---- Reductions ---- */

struct reduction_operation {
    int (*value)(int rank, int position); /* what a rank brings */
    long double (*fold)(long double, long double);
    bool logical; /* any number but 0 is true */
};
extern const struct reduction_operation reduction_and, reduction_or, reduction_xor, reduction_sum,
    reduction_prod, reduction_min, reduction_max;
/* By the name in MPI; NULL: none. */
const struct reduction_operation *reduction_find(const char *name);

/* For routines that have `operation`. */
void reduction_fill(const struct collective_call *);
bool reduction_check(const struct collective_call *);

/* How a number lies in memory, bytes; with `indexed` there is an int, too. */
struct reduction_element {
    bool real, indexed;
    size_t size, index_at, extent;
};
/* What a rank brings, in elements from base on. */
void reduction_fill_elements(const struct run *, const struct reduction_operation *,
                             const struct reduction_element *, int rank, unsigned char *base,
                             int64_t count);
/* Whether they are elements first, first + 1, ... of the reduction over the ranks before end; false
 * after run_fail(). */
bool reduction_check_elements(struct run *, const struct reduction_operation *,
                              const struct reduction_element *, int end, int64_t first,
                              const unsigned char *base, int64_t count);

#endif
