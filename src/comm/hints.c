/*
 * Symmetric memory with hints, where the library is of OpenSHMEM 1.5.
 */
#include <stdint.h>
#include <stdlib.h>

#if SKAMPI_SHMEM
#include <shmem.h>
#endif

#include "comm/library.h"

#ifdef SHMEM_MALLOC_ATOMICS_REMOTE

bool comm_has_hints(void)
{
    return true;
}

/* The routine promises no alignment: what it returned stands before the first page. */
void *comm_allocate_hinted(size_t bytes, enum comm_hint hint)
{
    unsigned char *all = shmem_malloc_with_hints(
        bytes + 2 * COMM_PAGE,
        hint == COMM_HINT_ATOMICS ? SHMEM_MALLOC_ATOMICS_REMOTE : SHMEM_MALLOC_SIGNAL_REMOTE);
    if (!all)
        return NULL;
    unsigned char *page = all + 2 * COMM_PAGE - (uintptr_t)all % COMM_PAGE;
    ((void **)(void *)page)[-1] = all;
    return page;
}

void comm_free_hinted(void *memory)
{
    if (memory)
        shmem_free(((void **)memory)[-1]);
}

#else

bool comm_has_hints(void)
{
    return false;
}

void *comm_allocate_hinted(size_t bytes, enum comm_hint hint)
{
    (void)bytes;
    (void)hint;
    return NULL;
}

void comm_free_hinted(void *memory)
{
    (void)memory;
}

#endif
