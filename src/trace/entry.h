/*
 * What is written down of a call while it runs. It holds addresses, which become places when the
 * entries of a journal are encoded as events (encode.h). Writing an entry is on the path of every
 * traced call.
 */
#ifndef SKAMPI_TRACE_ENTRY_H
#define SKAMPI_TRACE_ENTRY_H

#include "trace/event.h"

struct trace_entry {
    uint32_t of; /* entry_of(), or ENTRY_SKIP */
    uint32_t phase;
    uint64_t caller; /* identifies the call site, so that each call is encoded as a difference to
                        the last one from there */
    uint64_t start, end;
    int64_t values[]; /* in ascending order of the routine's fields */
};

/* Not a call. Time until `end` is charged to nothing; the next burst starts there. */
#define ENTRY_SKIP UINT32_MAX

/* Routine, number of values and flags in one number. */
static inline uint32_t entry_of(unsigned routine, unsigned n, unsigned flags)
{
    return routine | n << 16 | flags << 24;
}

static inline unsigned entry_routine(uint32_t of)
{
    return of & 0xffff;
}

static inline unsigned entry_values(uint32_t of)
{
    return of == ENTRY_SKIP ? 0 : of >> 16 & 0xff;
}

static inline unsigned entry_flags(uint32_t of)
{
    return of >> 24;
}

static inline const struct trace_entry *entry_after(const struct trace_entry *entry)
{
    return (const struct trace_entry *)(entry->values + entry_values(entry->of));
}

#define ENTRY_MOST_BYTES (sizeof(struct trace_entry) + TRACE_FIELDS * sizeof(int64_t))

#endif
