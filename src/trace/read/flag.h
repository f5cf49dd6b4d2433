/*
 * Flags: variables that PEs wait for. What a write makes of one, and which write ends a wait; for
 * whoever matches waits of a trace with writes.
 */
#ifndef SKAMPI_TRACE_READ_FLAG_H
#define SKAMPI_TRACE_READ_FLAG_H

#include <stdbool.h>
#include <stddef.h>
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

/* Finds the write that ended a wait: the last one before the wait ended, preferably one that
 * satisfies it. Of a counter the first one that does: its writer may have gone on before the wait
 * ended. Show it the writes to the flag, the latest first, until it returns false. */
struct flag_search {
    const struct flag_condition *condition;
    const void *last, *found;
    bool valued; /* of the one that was found */
    uint64_t value;
};
bool flag_search(struct flag_search *, const void *write, bool valued, uint64_t value);
/* The write, or NULL. */
const void *flag_search_result(const struct flag_search *);

/* ---- All flags ---- */

#define FLAG_MOST_BYTES (UINT64_C(1) << 48) /* larger ones are left out */

struct flag_list {
    struct flag_place {
        uint32_t pe;
        uint64_t place, bytes;
    } * of;
    size_t count, room;
    size_t *first, pes; /* by PE, and one more: where its flags begin */
    uint64_t longest;   /* bytes of a flag */
};

void flag_list_add(struct flag_list *, int64_t pe, uint64_t place, uint64_t bytes);
/* When all have been added, and before any is looked for. */
void flag_list_sort(struct flag_list *, size_t pes);
/* The number of a flag; SIZE_MAX: it is none. */
size_t flag_list_find(const struct flag_list *, int64_t pe, uint64_t place, uint64_t bytes);
/* The number of the flag after *number (SIZE_MAX: the first one) that these bytes overlap. False:
 * there is none. */
bool flag_list_next(const struct flag_list *, int64_t pe, uint64_t place, uint64_t bytes,
                    size_t *number);
void flag_list_free(struct flag_list *);

#endif
