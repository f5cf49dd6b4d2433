/* Puts, gets and atomics: what becomes of them. */
#ifndef SKAMPI_SIM_OPERATIONS_H
#define SKAMPI_SIM_OPERATIONS_H

#include "sim/state.h"

/* When a caller goes on, and how long it has waited (ps). */
struct departure {
    int64_t leaves, waited;
};

/* NULL if no message needs the library of a PE. */
struct libraries *libraries_open(const struct machine *, const struct model *, size_t pes);
void libraries_close(struct libraries *);

/* Makes the put, get or atomic of a call from `from` (ps) on; of a strided call that makes one for
 * each element, the first one of `times`. Leaves at UNKNOWN if the caller is blocked until then. */
struct departure operation_make(struct replay *, const struct step *, int64_t from, uint64_t times);
/* How many operations a call makes, one after the other. */
uint64_t operation_times(const struct replay *, const struct step *);
/* The next stage of an operation that is under way. */
void operation_event(struct replay *, uint32_t number);
/* A PE computes from now on, for so long (ps): what collectives have left interrupts it. */
void operation_computes(struct replay *, uint32_t pe, int64_t burst);
/* What messages have taken from the computing of a PE since this was asked last (ps). */
int64_t operation_lost(struct replay *, uint32_t pe);
/* A fence: later puts of the context arrive after earlier ones. */
void operation_fence(struct replay *, const struct step *);

/* Before a call: a library that serves others in this call serves what waits for that. True: the
 * thread is blocked until what the call completes is over. */
bool operation_enter(struct replay *, uint32_t thread, const struct op *);
/* A thread has ended: the library of its PE serves others from now on. */
void operation_last(struct replay *, uint32_t thread);

#endif
