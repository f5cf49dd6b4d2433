/*
 * Sorting keys by buckets: all that a PE computes by itself.
 */
#include "measurements/common/key_sort.h"

#include <string.h>

struct key_buckets key_buckets_of(int64_t most, int count)
{
    return (struct key_buckets){most, count, ((uint64_t)count << 32) / (uint64_t)most};
}

int64_t key_bucket_begin(const struct key_buckets *buckets, int bucket)
{
    uint64_t begin = (((uint64_t)bucket << 32) + buckets->scale - 1) / buckets->scale;
    return bucket == buckets->count || begin > (uint64_t)buckets->most ? buckets->most
                                                                       : (int64_t)begin;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int32_t key_of(uint64_t key, int64_t number, int64_t most)
{
    uint64_t begin = key + (2 * (uint64_t)number + 1) * 0x9e3779b97f4a7c15u, sum = 0;
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t random = mixed(begin + half * 0x9e3779b97f4a7c15u);
        sum += ((random >> 32) * (uint64_t)most >> 32) +
               ((random & UINT32_MAX) * (uint64_t)most >> 32);
    }
    return (int32_t)(sum / 4);
}

void key_partition(const long *totals, int buckets, int pes, int *first)
{
    int64_t all = 0, before = 0;
    int bucket = 0;
    for (int b = 0; b < buckets; b++)
        all += totals[b];
    for (int pe = 0; pe < pes; pe++) {
        /* Without 64-bit overflow: all / pes * pe and the rest. */
        int64_t wanted = all / pes * pe + all % pes * pe / pes;
        while (bucket < buckets && before < wanted)
            before += totals[bucket++];
        first[pe] = bucket;
    }
    first[pes] = buckets;
}

void key_sort_by_bucket(const struct key_buckets *buckets, const int32_t *keys, int64_t count,
                        const long *sizes, long *starts, int32_t *sorted)
{
    long start = 0;
    for (int b = 0; b < buckets->count; b++) {
        starts[b] = start;
        start += sizes[b];
    }
    for (int64_t i = 0; i < count; i++)
        sorted[starts[key_bucket(buckets, keys[i])]++] = keys[i];
}

bool key_rank(const int32_t *keys, int64_t count, int64_t begin, int64_t end, int32_t *counts,
              int32_t *ranked)
{
    int64_t at = 0;
    if (end > begin)
        memset(counts, 0, (size_t)(end - begin) * sizeof *counts);
    for (int64_t i = 0; i < count; i++) {
        if (keys[i] < begin || keys[i] >= end)
            return false;
        counts[keys[i] - begin]++;
    }
    for (int64_t key = begin; key < end; key++)
        for (int32_t i = 0; i < counts[key - begin]; i++)
            ranked[at++] = (int32_t)key;
    return true;
}
