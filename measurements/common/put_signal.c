/*
 * Puts with signal, in the form in which the parts of a put call what they time.
 */
#include "measurements/common/put_signal.h"

#if SKAMPI_SHMEM_1_5

/* Static, so symmetric: for rma_parts.c this is a put like others. */
static uint64_t counted;

void put_signal(void *target, const void *source, size_t bytes, int pe)
{
    shmem_putmem_signal(target, source, bytes, &counted, 1, SHMEM_SIGNAL_ADD, pe);
}

void put_signal_nbi(void *target, const void *source, size_t bytes, int pe)
{
    shmem_putmem_signal_nbi(target, source, bytes, &counted, 1, SHMEM_SIGNAL_ADD, pe);
}

#else
typedef int put_signal_absent; /* ISO C wants a declaration */
#endif
