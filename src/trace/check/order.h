/*
 * Which accesses are ordered before which: vector clocks (Mattern 1989) over PEs and contexts. Each
 * PE counts its calls. A clock has two kinds of components: the last call of a PE whose program is
 * known to have come so far, and the last one of a context of a PE that is known to be complete, by
 * a quiet. What a put writes is complete for whoever knows the latter; what a call has done when it
 * returns is complete for whoever knows the former.
 *
 * Fences and flags need no component: whoever sees a flag knows that the flag was written, and what
 * its writer has fenced off before. Such sightings are kept by their observers' clocks.
 */
#ifndef SKAMPI_TRACE_CHECK_ORDER_H
#define SKAMPI_TRACE_CHECK_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/check/shadow.h"

struct order;

/* By component. What is beyond its end is 0. */
struct order_clock {
    uint32_t *of;
    size_t room;
};

struct order *order_new(int pes);
void order_free(struct order *);

/* The number of the PE's next call, from 1 on; 0: there are no more numbers. */
uint32_t order_step(struct order *, int pe);
uint32_t order_now(const struct order *, int pe);
/* Components of a vector clock: that of a PE's program has the PE's number; this is the number of a
 * context's. */
uint32_t order_context(struct order *, int pe, int64_t context);
int order_pe(const struct order *, uint32_t completion);
bool order_is_program(const struct order *, uint32_t completion);
/* The context's number in the trace; 0: the default one. */
int64_t order_context_number(const struct order *, uint32_t completion);

/* What a PE has issued on a context so far is complete, or delivered before what follows. */
void order_quiet(struct order *, int pe, int64_t context);
void order_quiet_all(struct order *, int pe);
void order_fence(struct order *, int pe, int64_t context);
void order_end_context(struct order *, int pe, int64_t context);

/* Adds what the PE knows to a clock; learns what a clock has. */
void order_tell(const struct order *, int pe, struct order_clock *);
void order_learn(struct order *, int pe, const struct order_clock *);

/* The PE writes a flag: what it knows by now may be needed. */
void order_keep(struct order *, int pe);
/* A PE sees what a call wrote to a flag of `owner`. Returns whether it did not know of the call. */
bool order_see(struct order *, int pe, uint32_t completion, uint32_t number, uint32_t flag,
               int owner);

/* Whether an access to memory of `owner` is complete for a PE. */
bool order_complete(struct order *, int pe, const struct access *, int owner);
/* Whether the PE's program has come past an access, complete or not. */
bool order_past(const struct order *, int pe, const struct access *);
/* Whether a fence lies between an access and the present call of the same PE on that context. */
bool order_fenced(const struct order *, const struct access *);
/* Whether an access is complete for all PEs: to be called after order_least(). */
void order_least(struct order *);
bool order_everywhere(const struct order *, const struct access *);

#endif
