/*
 * Sorts random integers: each PE owns a bucket, a range of keys, and sends each key to the bucket
 * that it belongs to. alltoall tells how many come from whom and where they shall lie, puts bring
 * them in pieces, and fcollect tells each PE how many keys lie in the buckets before its own.
 */
#include "app.h"

#define KEYS (1 << 24) /* keys are smaller */

/* Symmetric; by PE, where there are several. */
struct memory {
    int *bucket;
    int64_t *sent, *received; /* number of keys */
    int64_t *place, *target;  /* where in the bucket what comes from, or goes to, a PE begins */
    int64_t *filled;          /* keys in each bucket */
    int *ends;                /* least and greatest key of each bucket */
};

static long alltoall_sync[2][SHMEM_ALLTOALL_SYNC_SIZE];
static long collect_sync[2][SHMEM_COLLECT_SYNC_SIZE];
static int64_t my_filled;
static int my_ends[2];

static int key_of(long step, long index)
{
    return (int)(app_random((uint64_t)step + 1, (uint64_t)index) % KEYS);
}

static uint64_t checksum_of(long step, long rank, int key)
{
    return app_random(((uint64_t)step << 32) + (uint64_t)key, (uint64_t)rank);
}

static int compare_keys(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int bucket_of(const struct app *app, int key)
{
    return app_owner(app, KEYS, key);
}

/* Keys of this PE in the order of their buckets; counts them by bucket. */
static void sort_by_bucket(const struct app *app, long step, long size, int *keys, int64_t *counts)
{
    long first = app_first(app, size, app->pe), end = app_first(app, size, app->pe + 1);
    for (int pe = 0; pe < app->pes; pe++)
        counts[pe] = 0;
    for (long i = first; i < end; i++) {
        keys[i - first] = key_of(step, i);
        counts[bucket_of(app, keys[i - first])]++;
    }
    /* Buckets are ranges. */
    qsort(keys, (size_t)(end - first), sizeof *keys, compare_keys);
}

static void send_keys(const struct app *app, const struct memory *memory, const int *keys,
                      long chunk)
{
    for (int pe = 0; pe < app->pes; pe++) {
        for (int64_t done = 0; done < memory->sent[pe]; done += chunk) {
            int64_t left = memory->sent[pe] - done;
            CALL(shmem_int_put)
            (memory->bucket + memory->target[pe] + done, keys + done,
             (size_t)(left < chunk ? left : chunk), pe);
        }
        keys += memory->sent[pe];
    }
}

/* One sort; this PE's part of the checksum. */
static uint64_t sort_once(const struct app *app, const struct memory *memory, long step, long size,
                          long chunk, int *keys)
{
    sort_by_bucket(app, step, size, keys, memory->sent);
    CALL(shmem_alltoall64)
    (memory->received, memory->sent, 1, 0, 0, app->pes, alltoall_sync[0]);
    my_filled = 0;
    for (int pe = 0; pe < app->pes; pe++) {
        memory->place[pe] = my_filled;
        my_filled += memory->received[pe];
    }
    CALL(shmem_alltoall64)(memory->target, memory->place, 1, 0, 0, app->pes, alltoall_sync[1]);
    send_keys(app, memory, keys, chunk);
    CALL(shmem_barrier_all)();

    qsort(memory->bucket, (size_t)my_filled, sizeof *memory->bucket, compare_keys);
    my_ends[0] = my_filled ? memory->bucket[0] : KEYS;
    my_ends[1] = my_filled ? memory->bucket[my_filled - 1] : -1;
    CALL(shmem_fcollect64)(memory->filled, &my_filled, 1, 0, 0, app->pes, collect_sync[0]);
    CALL(shmem_fcollect32)(memory->ends, my_ends, 2, 0, 0, app->pes, collect_sync[1]);

    long rank = 0;
    for (int pe = 0; pe < app->pe; pe++) {
        rank += memory->filled[pe];
        if (my_filled && memory->ends[2 * pe + 1] > my_ends[0])
            app_fail(app, 1, "bucket %d holds greater keys than bucket %d", pe, app->pe);
    }
    uint64_t sum = 0;
    for (long i = 0; i < my_filled; i++)
        sum += checksum_of(step, rank + i, memory->bucket[i]);
    return sum;
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct app *app, long size, long steps)
{
    int *keys = malloc((size_t)size * sizeof *keys);
    uint64_t sum = 0;
    if (!keys)
        app_fail(app, 1, "no memory for the check; make --size smaller");
    for (long step = 0; step < steps; step++) {
        for (long i = 0; i < size; i++)
            keys[i] = key_of(step, i);
        qsort(keys, (size_t)size, sizeof *keys, compare_keys);
        for (long i = 0; i < size; i++)
            sum += checksum_of(step, i, keys[i]);
    }
    free(keys);
    return sum;
}

int main(int argc, char **argv)
{
    long size = 4096, steps = 3, chunk = 64;
    const struct app_option options[] = {
        {"size", &size, 1, 1L << 30, "keys of all PEs together"},
        {"steps", &steps, 0, LONG_MAX / 2, "sorts, each of other keys"},
        {"chunk", &chunk, 1, LONG_MAX / 2, "keys that one put brings, at most"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("bucket_sort", argv, options);
    size_t pes = (size_t)app.pes;
    if (app.pe == 0)
        printf("bucket_sort: %ld keys, %ld sorts, %ld keys a put, %d PEs\n", size, steps, chunk,
               app.pes);

    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < SHMEM_ALLTOALL_SYNC_SIZE; j++)
            alltoall_sync[i][j] = SHMEM_SYNC_VALUE;
        for (int j = 0; j < SHMEM_COLLECT_SYNC_SIZE; j++)
            collect_sync[i][j] = SHMEM_SYNC_VALUE;
    }
    struct memory memory = {
        .bucket = app_memory(&app, (size_t)size * sizeof *memory.bucket),
        .sent = app_memory(&app, pes * sizeof *memory.sent),
        .received = app_memory(&app, pes * sizeof *memory.received),
        .place = app_memory(&app, pes * sizeof *memory.place),
        .target = app_memory(&app, pes * sizeof *memory.target),
        .filled = app_memory(&app, pes * sizeof *memory.filled),
        .ends = app_memory(&app, pes * 2 * sizeof *memory.ends),
    };
    int *keys = malloc((size_t)size * sizeof *keys);
    if (!keys)
        app_fail(&app, 1, "no memory for the keys; make --size smaller");
    CALL(shmem_barrier_all)();

    uint64_t mine = 0;
    for (long step = 0; step < steps; step++)
        mine += sort_once(&app, &memory, step, size, chunk, keys);

    uint64_t sum = app_sum(&app, mine);
    free(keys);
    return app_end(&app, sum, app.pe == 0 ? expected(&app, size, steps) : 0);
}
