/*
 * What the kernels share: parts of applications that are measured step by step, with the share of
 * communication in a step.
 *
 * A kernel is a struct kernel, the variant of its descriptors, and a state that begins with struct
 * kernel_state. Each repetition begins with data of its own, so that what an earlier one left
 * cannot pass for what this one had to move.
 */
#ifndef SKAMPI_MEASUREMENTS_KERNEL_H
#define SKAMPI_MEASUREMENTS_KERNEL_H

#include "measurements/common/collective.h"
#include "measurements/common/shapes.h"

struct kernel {
    /* Untimed, before each repetition: this round's data. */
    void (*begin)(struct run *);
    void (*step)(struct run *);
    /* The step without what communicates, for those of which single operations are too short to
     * read the timer around them; else NULL. */
    void (*compute)(struct run *);
    /* What is reported: the time between kernel_communicate() and kernel_compute(), not that of the
     * complete step. */
    bool communication;
    const void *what; /* of the family */
};

struct kernel_state {
    struct active_set set; /* of all ranks; its memory is at the beginning of run->scratch */
    uint64_t round;        /* repetitions so far: each has data of its own */
    bool timed;            /* the parts of a step */
    struct single_timing apart;
};

/* The most that a check of data computes, in simple operations: some tenths of a second. */
#define KERNEL_MOST_CHECKED 1e8

/* ---- Hooks and what they call; all members ---- */

void kernel_set_up(struct run *);
/* Subtracted where the kernel has a compute(): a step without communication. */
double kernel_computation(struct run *);

/* Of this round, for a rank or whatever else has data of its own. */
uint64_t kernel_key(const struct run *, int tag);

/* Around what a step communicates. */
void kernel_communicate(struct run *);
void kernel_compute(struct run *);

/* Collectives of the set, by the library; target and source are symmetric. The work memory is as
 * that of active_set_sum_longs(). */
void kernel_barrier(struct run *);
void kernel_sum_doubles(struct run *, double *target, double *source, int elements, double *work);
void kernel_alltoall(struct run *, long *target, const long *source, size_t elements);

/* ---- Random access, as in HPC Challenge's RandomAccess: words of a table that all PEs share are
 * changed by xor at random places; no library is called ---- */

/* One change: the word of the table of a rank, and what it is changed by. */
struct random_access {
    int rank;
    int64_t word;
    uint64_t value;
};

/* The number-th change that is made with a rank's key. Ranks 0 to ranks - 1 have tables of `words`
 * words. */
static inline struct random_access kernel_random_access_of(uint64_t key, int64_t number, int ranks,
                                                           int64_t words)
{
    uint64_t mixed = key + ((uint64_t)number + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    /* The place is a fraction of all: its first part tells the rank, the rest the word. */
    __uint128_t place = (__uint128_t)mixed * (uint64_t)ranks;
    return (struct random_access){
        (int)(place >> 64), (int64_t)((__uint128_t)(uint64_t)place * (uint64_t)words >> 64), mixed};
}

/* Of the first `changes` changes of the key, makes those that concern the table of one rank. */
void kernel_random_access_serial(uint64_t *table, int rank, int ranks, int64_t words, uint64_t key,
                                 int64_t changes);

/* ---- Sorting integer keys that are distributed over PEs by buckets, as in NAS IS; no library is
 * called ---- */

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

/* ---- Sum over all ranks by puts and flags along a binomial tree: to rank 0, and back ---- */

/* Flags count the sums and are never reset. A rank's next values may be put where its last ones
 * were: it has the sum, so that whoever added them has done so. */
struct kernel_tree_sum {
    long *flags;  /* symmetric: one for each level, then that of the sum */
    long *values; /* symmetric: elements of each level's child */
    int levels;
    long done; /* sums until now */
};

/* Levels of a tree of this number of ranks. Pure. */
int kernel_tree_levels(int ranks);
/* Symmetric longs that it needs. Pure. */
size_t kernel_tree_sum_longs(int ranks, size_t elements);

#if SKAMPI_SHMEM
/* memory: kernel_tree_sum_longs(), 0. */
void kernel_tree_sum_set_up(struct kernel_tree_sum *, int ranks, long *memory);
/* sum: symmetric, in: this rank's values, out: the sum of all ranks'. */
void kernel_tree_sum(const struct run *, struct kernel_tree_sum *, long *sum, size_t elements);
#endif

/* What kernels are like. */
extern const struct measurement kernel_common;

#endif
