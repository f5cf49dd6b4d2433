/*
 * Sorting integer keys that are distributed over PEs by buckets, as in NAS IS: keys, buckets, which
 * PE gets which of them, and what a serial program makes of the same keys. Pure: no library is
 * called.
 */
#ifndef SKAMPI_MEASUREMENTS_KEY_SORT_H
#define SKAMPI_MEASUREMENTS_KEY_SORT_H

#include <stdbool.h>
#include <stdint.h>

/* Keys are 0 to most - 1; buckets have equal ranges of them, in order. */
struct key_buckets {
    int64_t most;
    int count;      /* not more than keys */
    uint64_t scale; /* of key_buckets_of() */
};
struct key_buckets key_buckets_of(int64_t most, int count);

static inline int key_bucket(const struct key_buckets *buckets, int32_t key)
{
    return (int)((uint64_t)key * buckets->scale >> 32);
}

/* The smallest key of a bucket; of bucket `count`: most. */
int64_t key_bucket_begin(const struct key_buckets *, int bucket);

/* The number-th key of a rank, whose key (of its data) is given: like NAS IS's the mean of four
 * random numbers, so that those in the middle are more frequent. */
int32_t key_of(uint64_t key, int64_t number, int64_t most);

/* From the number of keys in each bucket: PE i gets buckets first[i] to first[i + 1] - 1, so that
 * it has about as many keys as the others: at most a PE's share and a bucket more. first has pes +
 * 1 elements. */
void key_partition(const long *totals, int buckets, int pes, int *first);

/* Keys by bucket, the buckets in order; starts: buckets elements to work with. */
void key_sort_by_bucket(const struct key_buckets *, const int32_t *keys, int64_t count,
                        const long *sizes, long *starts, int32_t *sorted);

/* Keys that lie in begin to end - 1, in ascending order; counts: end - begin elements to work
 * with. False: one of them does not lie there. */
bool key_rank(const int32_t *keys, int64_t count, int64_t begin, int64_t end, int32_t *counts,
              int32_t *ranked);

#endif
