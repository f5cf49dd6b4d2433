/*
 * Puts with signal as operations of the family of puts and gets. The signal is one word of each
 * PE that nobody waits for; each put adds 1 to it.
 */
#ifndef SKAMPI_MEASUREMENTS_PUT_SIGNAL_H
#define SKAMPI_MEASUREMENTS_PUT_SIGNAL_H

#include "measurements/common/openshmem.h"

#if SKAMPI_SHMEM_1_5
void put_signal(void *target, const void *source, size_t bytes, int pe);
void put_signal_nbi(void *target, const void *source, size_t bytes, int pe);
#endif

#endif
