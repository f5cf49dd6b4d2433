/*
 * Exchange of keys, as in the integer sort of the NAS benchmarks: PEs count their keys by buckets,
 * agree on who gets which buckets, put the keys there, and sort what they got.
 */
#include "measurements/common/kernel.h"

enum { BUCKETS_OF_A_PE = 4 }; /* at least: no PE gets many more keys than others */
/* A PE has room for twice the keys that it begins with, and this many more: if it begins with few,
 * chance may give it more than twice as many. */
#define MORE_KEYS 64

enum reduction { BY_TO_ALL, BY_PUTS };
enum offsets { BY_FETCH_ADD, BY_ALLTOALL };

/* ---- Arguments ---- */

struct sizes {
    int64_t keys, most, capacity; /* capacity: keys that a PE can get */
    int buckets;
};

static struct sizes sizes_of(const struct run *run)
{
    struct sizes sizes = {.keys = run_integer(run, "keys", 0),
                          .most = run_integer(run, "max_key", 1),
                          .buckets = (int)run_integer(run, "buckets", 1)};
    sizes.capacity = 2 * sizes.keys + MORE_KEYS;
    return sizes;
}

static const char *check(const struct run *run)
{
    struct sizes sizes = sizes_of(run);
    const char *reason = collective_refused_set(run->set);
    if (!reason && sizes.most < sizes.buckets)
        reason = "there must be as many keys as buckets: raise max_key, or give fewer buckets";
    if (!reason && sizes.buckets / BUCKETS_OF_A_PE < run->size)
        reason = "there must be 4 buckets for each PE: raise buckets";
    return reason;
}

/* Longs in symmetric memory: counts of buckets and their sum with work arrays, what each PE sends
 * and gets, the place for the next key, the tree. */
struct layout {
    size_t counts, totals, work, sent, got, next, tree, end;
};

static struct layout layout_of(const struct sizes *sizes, int pes)
{
    size_t buckets = (size_t)sizes->buckets;
    struct layout l = {.counts = 0, .totals = buckets, .work = 2 * buckets};
    l.sent = l.work + 2 * collective_work_elements(buckets);
    l.got = l.sent + (size_t)pes;
    l.next = l.got + (size_t)pes;
    l.tree = l.next + 1;
    l.end = l.tree + kernel_tree_sum_longs(pes, buckets);
    return l;
}

static void demand(struct run *run)
{
    struct sizes sizes = sizes_of(run);
    run->demand.local = run->demand.reported = (size_t)sizes.keys * sizeof(int32_t);
    run->demand.remote = (size_t)sizes.capacity * sizeof(int32_t);
    run->demand.scratch = active_set_bytes() + layout_of(&sizes, run->size).end * sizeof(long);
    run->demand.own = (size_t)(sizes.keys + sizes.capacity + sizes.most) * sizeof(int32_t) +
                      (size_t)sizes.buckets * sizeof(long) + ((size_t)run->size + 1) * sizeof(int);
}

#if SKAMPI_SHMEM

#include <shmem.h>
#include <string.h>

struct exchange_state {
    struct kernel_state kernel;
    struct sizes sizes;
    struct key_buckets buckets;
    enum reduction reduction;
    enum offsets offsets;
    struct kernel_tree_sum tree;
    /* Symmetric. sent[i]: keys for rank i, or where they begin there; got[i]: keys from rank i. */
    long *counts, *totals, *work, *sent, *got, *next;
    int32_t *received; /* symmetric */
    int32_t *sorted;   /* by bucket: what is put */
    int32_t *keys, *ranked, *key_counts;
    long *starts;
    int *first;     /* bucket of each rank */
    int64_t amount; /* keys that this rank has got */
    bool full, strange;
};

static void begin(struct run *run)
{
    struct exchange_state *s = run->state;
    uint64_t key = kernel_key(run, run->rank);
    for (int64_t i = 0; i < s->sizes.keys; i++)
        s->keys[i] = key_of(key, i, s->sizes.most);
}

/* ---- What is communicated ---- */

static void sum_buckets(struct run *run)
{
    struct exchange_state *s = run->state;
    if (s->reduction == BY_TO_ALL) {
        active_set_sum_longs(&s->kernel.set, s->totals, s->counts, s->sizes.buckets, s->work);
        return;
    }
    for (int b = 0; b < s->sizes.buckets; b++)
        s->totals[b] = s->counts[b];
    kernel_tree_sum(run, &s->tree, s->totals, (size_t)s->sizes.buckets);
}

/* Each rank tells each how many keys it has for it, and is told where they begin. */
static void find_offsets(struct run *run)
{
    struct exchange_state *s = run->state;
    long at = 0;
    kernel_alltoall(run, s->got, s->sent, 1);
    for (int rank = 0; rank < run->size; rank++) {
        long count = s->got[rank];
        s->got[rank] = at;
        at += count;
    }
    /* The sizes are in `counts` still: sent gets the offsets. */
    kernel_alltoall(run, s->sent, s->got, 1);
}

static void put_keys(struct run *run)
{
    struct exchange_state *s = run->state;
    for (int i = 1; i <= run->size; i++) { /* not all to the same one at the same time */
        int rank = (run->rank + i) % run->size, pe = pe_set_member(run->set, rank);
        long begin = s->starts[s->first[rank]], count = s->starts[s->first[rank + 1]] - begin;
        if (count == 0)
            continue;
        long at = s->offsets == BY_FETCH_ADD ? shmem_long_atomic_fetch_add(s->next, count, pe)
                                             : s->sent[rank];
        shmem_putmem(s->received + at, s->sorted + begin, (size_t)count * sizeof *s->sorted, pe);
    }
}

/* ---- What is computed ---- */

/* Sets what this rank sends and gets. False where a rank would get more than there is room for: all
 * ranks see that alike. */
static bool divide(struct run *run)
{
    struct exchange_state *s = run->state;
    bool fits = true;
    key_partition(s->totals, s->sizes.buckets, run->size, s->first);
    for (int rank = 0; rank < run->size; rank++) {
        int64_t all = 0;
        s->sent[rank] = 0;
        for (int b = s->first[rank]; b < s->first[rank + 1]; b++) {
            all += s->totals[b];
            s->sent[rank] += s->counts[b];
        }
        fits = fits && all <= s->sizes.capacity;
        if (rank == run->rank)
            s->amount = all;
    }
    return fits;
}

static int64_t begin_of(const struct exchange_state *s, int rank)
{
    return key_bucket_begin(&s->buckets, s->first[rank]);
}

static void step(struct run *run)
{
    struct exchange_state *s = run->state;
    for (int b = 0; b < s->sizes.buckets; b++)
        s->counts[b] = 0;
    for (int64_t i = 0; i < s->sizes.keys; i++)
        s->counts[key_bucket(&s->buckets, s->keys[i])]++;
    kernel_communicate(run);
    sum_buckets(run);
    kernel_compute(run);
    s->full = !divide(run);
    if (s->full)
        return;
    key_sort_by_bucket(&s->buckets, s->keys, s->sizes.keys, s->counts, s->starts, s->sorted);
    s->starts[0] = 0; /* among the sorted keys; that of bucket `buckets` is the end */
    for (int b = 0; b < s->sizes.buckets; b++)
        s->starts[b + 1] = s->starts[b] + s->counts[b];
    kernel_communicate(run);
    if (s->offsets == BY_ALLTOALL)
        find_offsets(run);
    put_keys(run);
    kernel_barrier(run);
    kernel_compute(run);
    /* The others add to it after the next sum, for which they need this rank. */
    *s->next = 0;
    s->strange = !key_rank(s->received, s->amount, begin_of(s, run->rank),
                           begin_of(s, run->rank + 1), s->key_counts, s->ranked);
}

/* ---- Data ---- */

/* What the serial program makes of the keys of all ranks: the buckets' totals, and how often each
 * key from `from` up to, and without, `end` is there. */
static void serial(const struct run *run, int64_t from, int64_t end, long *totals)
{
    const struct exchange_state *s = run->state;
    memset(totals, 0, (size_t)s->sizes.buckets * sizeof *totals);
    if (end > from)
        memset(s->key_counts, 0, (size_t)(end - from) * sizeof *s->key_counts);
    for (int rank = 0; rank < run->size; rank++)
        for (int64_t i = 0; i < s->sizes.keys; i++) {
            int32_t key = key_of(kernel_key(run, rank), i, s->sizes.most);
            totals[key_bucket(&s->buckets, key)]++;
            if (key >= from && key < end)
                s->key_counts[key - from]++;
        }
}

static bool verify_keys(struct run *run)
{
    const struct exchange_state *s = run->state;
    int64_t at = 0, from = begin_of(s, run->rank), end = begin_of(s, run->rank + 1);
    serial(run, from, end, s->starts);
    for (int b = 0; b < s->sizes.buckets; b++)
        if (s->starts[b] != s->totals[b])
            return run_fail(run,
                            "wrong data: PE %d (rank %d) was told that bucket %d has %ld keys; it "
                            "should be %ld",
                            pe_set_member(run->set, run->rank), run->rank, b, s->totals[b],
                            s->starts[b]);
    for (int64_t key = from; key < end; key++)
        for (int32_t i = 0; i < s->key_counts[key - from]; i++, at++)
            if (s->strange || s->ranked[at] != key)
                return run_fail(run,
                                "wrong data: key %lld of %lld on PE %d (rank %d) is %ld and should "
                                "be %lld",
                                (long long)at, (long long)s->amount,
                                pe_set_member(run->set, run->rank), run->rank,
                                (long)(s->strange ? s->received[at] : s->ranked[at]),
                                (long long)key);
    return true;
}

static bool verify(struct run *run)
{
    const struct exchange_state *s = run->state;
    if (s->full)
        return run_fail(run,
                        "too many keys for one PE, which has room for %lld: raise buckets, so that "
                        "they can be divided more evenly",
                        (long long)s->sizes.capacity);
    if (2.0 * (double)s->sizes.keys * run->size > KERNEL_MOST_CHECKED) {
        run_note(run, "data not verified: that takes all keys of all PEs, more than %g",
                 KERNEL_MOST_CHECKED / 2);
        return true;
    }
    return verify_keys(run);
}

/* ---- Set-up ---- */

static void place_symmetric(struct run *run)
{
    struct exchange_state *s = run->state;
    struct layout l = layout_of(&s->sizes, run->size);
    long *memory = (long *)(void *)(run->scratch + active_set_bytes());
    s->counts = memory + l.counts;
    s->totals = memory + l.totals;
    s->work = memory + l.work;
    s->sent = memory + l.sent;
    s->got = memory + l.got;
    s->next = memory + l.next;
    s->received = (int32_t *)(void *)run->remote;
    s->sorted = (int32_t *)(void *)run->local;
    kernel_tree_sum_set_up(&s->tree, run->size, memory + l.tree);
}

static bool set_up(struct run *run)
{
    struct exchange_state *s = run->state;
    kernel_set_up(run);
    s->sizes = sizes_of(run);
    s->buckets = key_buckets_of(s->sizes.most, s->sizes.buckets);
    s->reduction = (enum reduction)run_word(run, "reduction");
    s->offsets = (enum offsets)run_word(run, "offsets");
    place_symmetric(run);
    s->keys = run_allocate(run, (size_t)s->sizes.keys + 1, sizeof *s->keys);
    s->ranked = run_allocate(run, (size_t)s->sizes.capacity, sizeof *s->ranked);
    s->key_counts = run_allocate(run, (size_t)s->sizes.most, sizeof *s->key_counts);
    s->starts = run_allocate(run, (size_t)s->sizes.buckets + 1, sizeof *s->starts);
    s->first = run_allocate(run, (size_t)run->size + 1, sizeof *s->first);
    return ((uintptr_t)run->remote | (uintptr_t)run->local) % sizeof(int32_t) == 0 ||
           run_fail(run, ALIGNMENT_TEXT, sizeof(int32_t));
}

#endif

/* clang-format off */
#define KEYS {"keys", PARAMETER_INT, "", "32-bit keys of each PE", .maximum = 1 << 28, .example = "1000"}
#define MAX_KEY {"max_key", PARAMETER_INT, "", "keys are 0 to max_key - 1", .minimum = 1, .maximum = 1 << 30, .allowed = "at least buckets", .example = "65536"}
#define BUCKETS {"buckets", PARAMETER_INT, "", "buckets, which the PEs divide among them", .minimum = 1, .maximum = 1 << 24, .allowed = "at least 4 for each PE", .otherwise = "1024", .example = "1024"}
#define REDUCTION {"reduction", PARAMETER_STRING, "", "how the sizes of buckets are added up: by the library, or by puts along a binomial tree", .words = "to_all|puts", .otherwise = "to_all", .example = "to_all"}
#define OFFSETS {"offsets", PARAMETER_STRING, "", "how a PE finds the place for its keys: by fetch_add at the target, or by two alltoalls", .words = "fetch_add|alltoall", .otherwise = "fetch_add", .example = "fetch_add"}
static const struct measurement key_exchanges = {
    .like = {&kernel_common},
    .calls = "shmem_long_sum_to_all shmem_long_atomic_fetch_add shmem_alltoall64 shmem_put shmem_barrier_all shmem_barrier",
    .parameters = {KEYS, MAX_KEY, ITERATIONS, BUCKETS, REDUCTION, OFFSETS},
    .check = check, .demand = demand, .setup = WITH_SHMEM(set_up),
    .verify = WITH_SHMEM(verify), SHMEM_STATE(struct exchange_state)};

const struct measurement measurements_kernel_key_exchange[] = {
    {"Kernel_Key_Exchange", "integer sort: keys go to the PE that has their bucket, and are sorted there",
     .like = {&key_exchanges}, .timing = TIMING_WHOLE, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step)},
     .timed = "counting, sum of the buckets' sizes, places, puts of the keys, barrier, sorting"},
    {"Kernel_Key_Exchange_Communication", "the communication in a step of an integer sort",
     .like = {&key_exchanges}, .timing = TIMING_PARTS, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step), .communication = true},
     .timed = "sum of the buckets' sizes, places, puts of the keys, barrier; what is computed in between untimed"},
    {.name = NULL},
};
/* clang-format on */
