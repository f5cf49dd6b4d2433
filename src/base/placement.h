/*
 * Memory for buffers, of the kinds that programs have. Any PE by itself, without the library that
 * is measured; comm/library.h has what comes from that.
 */
#ifndef SKAMPI_BASE_PLACEMENT_H
#define SKAMPI_BASE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of the words in settings/table.c. */
enum placement {
    PLACEMENT_DEFAULT, /* the symmetric heap; the target's: as the source's, if that is possible */
    PLACEMENT_HEAP,    /* the symmetric heap, by comm_allocate() */
    PLACEMENT_MALLOC,  /* as malloc() returns it */
    PLACEMENT_PAGES,   /* small pages of its own */
    PLACEMENT_HUGE,    /* huge pages: reserved ones, or else transparent ones */
    PLACEMENT_STATIC,  /* a static object, which is symmetric in OpenSHMEM */
    PLACEMENT_MPI,     /* by comm_mpi_allocate() */
    PLACEMENT_NODE,    /* small pages of one NUMA node */
    PLACEMENT_ATOMICS, /* the symmetric heap, by comm_allocate_hinted(): COMM_HINT_ATOMICS */
    PLACEMENT_SIGNAL,  /* the symmetric heap, by comm_allocate_hinted(): COMM_HINT_SIGNAL */
    PLACEMENTS
};

/* The size of both static objects, in bytes; scripts cannot change it. */
#define PLACEMENT_STATIC_BYTES (4 << 20)

/* NULL and *why where there is no such memory; *why is a text that nobody frees. `node` counts for
 * PLACEMENT_NODE. Not for PLACEMENT_DEFAULT, _MPI and the heap. */
void *placement_allocate(enum placement placement, size_t bytes, int node, const char **why);
void placement_free(enum placement placement, void *memory, size_t bytes);

/* Whether it is the symmetric heap, with hints or without. */
bool placement_is_heap(enum placement placement);
/* Whether every PE has it at one address or offset, as OpenSHMEM wants it. */
bool placement_is_symmetric(enum placement placement);

#endif
