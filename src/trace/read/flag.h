/*
 * Flags: variables that PEs wait for. What a write makes of one, and whether that ends a wait; for
 * whoever matches waits of a trace with writes. Pure functions.
 */
#ifndef SKAMPI_TRACE_READ_FLAG_H
#define SKAMPI_TRACE_READ_FLAG_H

#include <stdbool.h>
#include <stdint.h>

/* What a call writes: elements of `element` bytes, one every `step` bytes, from the first to the
 * last byte of the target. */
struct flag_change {
    uint64_t place, bytes, element, step;
};

/* What a wait is for. */
struct flag_condition {
    uint64_t bytes; /* of the flag */
    int comparison; /* as in TRACE_COMPARISON; -1: any write will do */
    bool is_signed;
    int64_t value; /* that the flag is compared with */
};

/* *value: the bytes that the change writes, the first one lowest; afterwards those of the flag at
 * that place. False: not known, since the change has only parts of it. */
bool flag_value(const struct flag_change *, uint64_t place, uint64_t bytes, uint64_t *value);

/* Whether a flag with these bytes, the first one lowest, ends the wait. */
bool flag_satisfies(const struct flag_condition *, uint64_t value);

/* Whether from one write to the next one values go on in the direction that the wait is for, as
 * those of counters do. What is set to the same value again may have been reset by its owner, which
 * a trace does not show. */
bool flag_goes_on(const struct flag_condition *, uint64_t value, uint64_t next);

#endif
