/* Efficiencies by the method of the POP centre (pop-coe.eu, "POP Standard Metrics for Parallel
 * Performance Analysis", the multiplicative model). */
#ifndef SKAMPI_TRACE_EXPLAIN_EFFICIENCY_H
#define SKAMPI_TRACE_EXPLAIN_EFFICIENCY_H

#include "trace/explain/explain.h"

#define EFFICIENCY_LOW 0.8 /* below, it is marked */

struct efficiency {
    double elapsed; /* seconds, of the PE that takes longest */
    double parallel, balance, serialization,
        transfer; /* 0 to 1; the first is the others' product */
};

/* Of a phase by its number among explain->phases, or of all of them together. */
struct efficiency efficiency_of_phase(const struct explain *, size_t phase);
struct efficiency efficiency_of_run(const struct explain *);

#endif
