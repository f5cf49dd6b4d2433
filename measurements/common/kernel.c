/*
 * Steps of kernels: their loop, what of them is communication, and collectives of the set.
 */
#include "measurements/common/kernel.h"

#include <string.h>

#if SKAMPI_SHMEM

#include <shmem.h>

static struct kernel_state *state_of(const struct run *run)
{
    return run->state;
}

void kernel_set_up(struct run *run)
{
    state_of(run)->set = active_set_open(run, run->size, run->scratch);
    run_barrier(run);
}

uint64_t kernel_key(const struct run *run, int tag)
{
    return data_key(run, tag) + state_of(run)->round * 0x9fb21c651e98df25u;
}

/* ---- Steps ---- */

void kernel_communicate(struct run *run)
{
    struct kernel_state *state = state_of(run);
    if (state->timed)
        apart_begin(&state->apart);
}

void kernel_compute(struct run *run)
{
    struct kernel_state *state = state_of(run);
    if (state->timed)
        apart_end(&state->apart);
}

/* The engine chooses the iterations by the time of complete steps, even if only a part is reported:
 * a kernel may have no communication at all. */
static double run_kernel(struct run *run)
{
    const struct kernel *kernel = run->function->variant;
    struct kernel_state *state = state_of(run);
    state->round++;
    kernel->begin(run);
    state->timed = kernel->communication && !kernel->compute;
    state->apart = (struct single_timing){0};
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        kernel->step(run);
    double seconds = run_elapsed(run, started, run_stop(run));
    run_shortest_part(run, seconds);
    return state->timed ? apart_seconds(&state->apart, run->iterations)
                        : seconds / (double)run->iterations;
}

/* A kernel makes its data itself, from begin() on. */
static void fill(struct run *run)
{
    data_poison(run->local, run->demand.local);
    data_poison(run->remote, run->demand.remote);
}

double kernel_computation(struct run *run)
{
    const struct kernel *kernel = run->function->variant;
    int64_t started = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        kernel->compute(run);
    return run_elapsed(run, started, timer_now()) / (double)run->iterations;
}

/* ---- Collectives ---- */

void kernel_barrier(struct run *run)
{
    active_set_barrier(&state_of(run)->set);
}

void kernel_sum_doubles(struct run *run, double *target, double *source, int elements, double *work)
{
    struct active_set *set = &state_of(run)->set;
    work += (size_t)(set->turn % 2) * collective_work_elements((size_t)elements);
    shmem_double_sum_to_all(target, source, elements, set->start, set->log_stride, set->size, work,
                            active_set_sync(set));
}

void kernel_alltoall(struct run *run, long *target, const long *source, size_t elements)
{
    struct active_set *set = &state_of(run)->set;
    shmem_alltoall64(target, source, elements, set->start, set->log_stride, set->size,
                     active_set_sync(set));
}

#endif

/* ---- Sorting keys ---- */

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

int32_t key_of(uint64_t key, int64_t number, int64_t most)
{
    uint64_t draws = key + 2 * (uint64_t)number * 0x9e3779b97f4a7c15u, sum = 0;
    for (int half = 0; half < 2; half++) {
        uint64_t random = random_next(&draws);
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

/* ---- Sums along a tree ---- */

int kernel_tree_levels(int ranks)
{
    int levels = 0;
    while ((int64_t)1 << levels < ranks)
        levels++;
    return levels;
}

size_t kernel_tree_sum_longs(int ranks, size_t elements)
{
    size_t levels = (size_t)kernel_tree_levels(ranks);
    return levels + 1 + levels * elements;
}

#if SKAMPI_SHMEM

void kernel_tree_sum_set_up(struct kernel_tree_sum *tree, int ranks, long *memory)
{
    tree->levels = kernel_tree_levels(ranks);
    tree->flags = memory;
    tree->values = memory + tree->levels + 1;
}

/* Values, and then the flag that says so. */
static void send(const struct kernel_tree_sum *tree, long *target, const long *source,
                 size_t elements, long *flag, int pe)
{
    shmem_putmem(target, source, elements * sizeof *source, pe);
    shmem_fence();
    shmem_long_p(flag, tree->done, pe);
}

void kernel_tree_sum(const struct run *run, struct kernel_tree_sum *tree, long *sum,
                     size_t elements)
{
    long *down = &tree->flags[tree->levels];
    int level = 0;
    tree->done++;
    for (; level < tree->levels && !(run->rank >> level & 1); level++) {
        const long *child = tree->values + (size_t)level * elements;
        if (run->rank + (1 << level) >= run->size)
            continue;
        shmem_long_wait_until(&tree->flags[level], SHMEM_CMP_GE, tree->done);
        for (size_t i = 0; i < elements; i++)
            sum[i] += child[i];
    }
    if (run->rank > 0) {
        send(tree, tree->values + (size_t)level * elements, sum, elements, &tree->flags[level],
             pe_set_member(run->set, run->rank - (1 << level)));
        shmem_long_wait_until(down, SHMEM_CMP_GE, tree->done);
    }
    while (--level >= 0)
        if (run->rank + (1 << level) < run->size)
            send(tree, sum, sum, elements, down, pe_set_member(run->set, run->rank + (1 << level)));
}

#endif

const struct measurement kernel_common = {
    .api = API_OPENSHMEM,
    .moves = MOVES_NOTHING,
    .one_place = true,
    .fill = WITH_SHMEM(fill),
    .run = WITH_SHMEM(run_kernel),
    .who = "all",
};
