/*
 * Numbers that the processes of one host leave for one of them when the library is gone and nobody
 * can send a message any more: memory that one process offers and the others find through /proc.
 */
#ifndef SKAMPI_CRASH_TALLY_H
#define SKAMPI_CRASH_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_offer {
    int64_t pid, descriptor;
};

/* Memory, all 0 so far, and what others need to know of it; NULL where that is not to be had. It
 * stays until the process ends. */
void *tally_offer(size_t bytes, struct tally_offer *offer);
/* Another process's; NULL when it cannot be found. */
void *tally_find(const struct tally_offer *offer, size_t bytes);

/* n numbers, all NaN so far, and what others need to know of them; NULL where that is not to be
 * had. They stay until the process ends. */
double *tally_create(size_t n, struct tally_offer *offer);

/* Another process's numbers; NULL when they cannot be found. */
double *tally_join(const struct tally_offer *offer, size_t n);

/* Waits until `count` of the numbers have come, no longer than the given time. */
void tally_wait(const double *numbers, size_t n, size_t count, double seconds);

#endif
