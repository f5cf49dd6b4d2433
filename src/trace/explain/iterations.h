/* Iterations of a program: the repeating sequence of its calls, on its first thread. */
#ifndef SKAMPI_TRACE_EXPLAIN_ITERATIONS_H
#define SKAMPI_TRACE_EXPLAIN_ITERATIONS_H

#include "trace/explain/explain.h"

struct iterations {
    struct anchor *anchors; /* by spot: calls that may begin an iteration */
    size_t anchor_room;
    uint64_t sum, calls; /* of what was called so far, without repetitions */
    uint32_t last;       /* 1 + the spot of the last call */
    uint32_t begins;     /* the spot that begins an iteration; NOBODY: there are none */
    double *starts;      /* of iterations; the last one ends the last iteration */
    size_t count, room;
};

/* In the first pass: a call of the first thread. */
void iterations_see(struct iterations *, uint32_t spot, double start);
void iterations_decide(struct iterations *);
/* In the second one. */
void iterations_note(struct iterations *, uint32_t spot, double start);

#define ITERATIONS_SLOWEST 3

/* Seconds; which ones are the slowest, from 0. */
struct iterations_summary {
    size_t count;
    double median, least, most;
    size_t slowest[ITERATIONS_SLOWEST];
};
struct iterations_summary iterations_summary(const struct iterations *);
static inline double iteration_seconds(const struct iterations *all, size_t number)
{
    return all->starts[number + 1] - all->starts[number];
}
void iterations_free(struct iterations *);

#endif
