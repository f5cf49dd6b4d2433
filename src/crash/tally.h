/*
 * Memory that one process offers and the others of its host find through /proc: what they leave for
 * each other there needs no library.
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

#endif
