/*
 * Quiet and fence, on the default context and on a user's: what functions in ordering.c and
 * context.c are like.
 */
#ifndef SKAMPI_MEASUREMENTS_ORDER_PARTS_H
#define SKAMPI_MEASUREMENTS_ORDER_PARTS_H

#include "measurements/common/shapes.h"

/* The variant of a function. */
struct order {
    bool fence; /* instead of quiet */
    bool user_context;
};

extern const struct measurement order_empty;     /* with nothing outstanding */
extern const struct measurement order_quiet_put; /* a put and a quiet, less the put */
extern const struct measurement order_fence_put; /* a put and a fence, less the put */

#endif
