/* Encodes one event at a time, for tests of what reads traces. */
#ifndef SUPPORT_ENCODE_EVENT_H
#define SUPPORT_ENCODE_EVENT_H

#include "trace/format.h"

/* Adds one event, which there must be room for (EVENT_MOST_BYTES). */
static inline void encode_event(struct encoder *encoder, uint64_t caller, unsigned routine,
                                uint64_t start, uint64_t end, uint32_t phase, unsigned flags,
                                unsigned n, const int64_t *values)
{
    union {
        struct trace_entry entry;
        char room[ENTRY_MOST_BYTES];
    } one = {.entry = {entry_of(routine, n, flags), phase, caller, start, end}};
    for (unsigned i = 0; i < n; i++)
        one.entry.values[i] = values[i];
    encode_entries(encoder, &one.entry, entry_after(&one.entry), SIZE_MAX);
}

#endif
