/*
 * Whether quiet completes what was posted before it, and fence orders it: by non-blocking puts to
 * the next rank that are looked for there at once.
 */
#ifndef SKAMPI_MEASUREMENTS_COMPLETION_H
#define SKAMPI_MEASUREMENTS_COMPLETION_H

#include "measurements/common/shapes.h"

/* Symmetric. */
#define COMPLETION_BYTES 256
struct completion {
    unsigned char source[COMPLETION_BYTES], target[COMPLETION_BYTES];
    long flag; /* set after a fence */
};

/* All on one context. */
struct completing {
    void (*put)(struct run *, void *target, const void *source, size_t bytes, int pe); /* posts */
    void (*set)(struct run *, long *flag, long value, int pe); /* after a fence; NULL: a quiet */
    void (*order)(struct run *);
};

/* Collective; false after run_fail(). */
bool completion_verify(struct run *, const struct completing *, struct completion *);

#endif
