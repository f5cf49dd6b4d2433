/* Collectives and locks: what PEs learn where they meet. */
#ifndef SKAMPI_TRACE_CHECK_MEET_H
#define SKAMPI_TRACE_CHECK_MEET_H

#include "trace/check/order.h"

/* A collective of a set of PEs. */
struct meet {
    struct order_clock clock; /* what those know that have come */
    int64_t size, arrived, left;
    uint64_t elements; /* of all that have come */
    struct meet *next;
};

/* The collectives of a set, in their order. */
struct meets {
    uint64_t *calls; /* by member */
    uint64_t first;  /* number of the first one that not all have left */
    struct meet *open;
};

/* The n-th call of a member is the n-th collective. Valid until meet_leave(). */
struct meet *meet_arrive(struct meets *, struct order *, int64_t size, int64_t member, int pe,
                         uint64_t elements);
void meet_leave(struct meets *, struct order *, struct meet *, int pe);
void meets_free(struct meets *);

struct lock {
    struct order_clock clock;
    bool held;
};

#endif
