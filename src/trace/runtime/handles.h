/*
 * Handles of the library, contexts or teams, in order of creation. Tables never forget a handle:
 * the library may use it again for another object, which then has its entry. Any thread, without
 * locks.
 */
#ifndef SKAMPI_TRACE_RUNTIME_HANDLES_H
#define SKAMPI_TRACE_RUNTIME_HANDLES_H

#include <stdatomic.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

#define HANDLES 4096 /* different ones in a table while the program runs */

struct handles {
    atomic_size_t count;
    _Atomic(const void *) handles[HANDLES];
};

/* 1 + the index of a handle's entry; 0: it has none. */
size_t handles_find(struct handles *, const void *handle);
/* Like handles_find(), but makes an entry if there is none. 0: there is no room for it. */
size_t handles_enter(struct handles *, const void *handle);

#pragma GCC visibility pop

#endif
