/*
 * The latest accesses to each byte of a PE's symmetric memory, by intervals, as FastTrack keeps
 * them for variables: the last write, what has read since, and atomics since (Flanagan and Freund:
 * "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009). Pure: who is ordered
 * before whom is the caller's affair.
 */
#ifndef SKAMPI_TRACE_CHECK_SHADOW_H
#define SKAMPI_TRACE_CHECK_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ACCESS_WRITES = 1,
    ACCESS_ATOMIC = 2,
    ACCESS_REMOTE = 4 /* a put or an atomic, which a fence orders */
};

struct access {
    uint32_t completion; /* when it is complete (order.h): of a program or a context */
    uint32_t number;     /* of the PE's calls; 0: there was no access */
    uint32_t flag;       /* 1 + the flag whose waiters know that it is complete; 0: none */
    uint32_t site;       /* of the reader; 0: not known */
    double time;         /* seconds */
    uint16_t routine;    /* number of its name in the reader's table */
    uint8_t does;
};

struct shadow;

/* Of shadow_access(). */
struct shadow_caller {
    /* Whether the access is ordered before the present one. */
    bool (*ordered)(void *context, const struct access *);
    /* Two accesses meet in [begin, end) that conflict, and are not ordered. */
    void (*race)(void *context, const struct access *, uint64_t begin, uint64_t end);
    void *context;
};

struct shadow *shadow_new(void);
void shadow_free(struct shadow *);
/* An access to the bytes [begin, end). */
void shadow_access(struct shadow *, uint64_t begin, uint64_t end, const struct access *,
                   const struct shadow_caller *);
/* How much it holds: intervals and accesses beside their last writes. */
size_t shadow_size(const struct shadow *);
/* Forgets accesses that are ordered before all that can come (`ordered` says so). */
void shadow_forget(struct shadow *, const struct shadow_caller *);

#endif
