/*
 * Two threads of each PE share the work on pairs of blocks that are spread over the PEs. The loader
 * gets the blocks of the next tasks into buffers while the solver computes with those that are
 * there, adds the result where the first block lies, and draws a ticket. Both use the default
 * context at the same time.
 */
#include "app.h"

#include <pthread.h>

#define BUFFERS 2
#define TABLE 24 /* blocks of all PEs */
#define MOST_PASSES 4

struct buffer {
    unsigned *one, *other;
    bool full;
};

struct work {
    const struct app *app;
    long size, tasks;
    unsigned *table; /* block n lies on PE n % PEs */
    long *result;    /* by block, where it lies */
    long *tickets;   /* on the last PE */
    struct buffer buffers[BUFFERS];
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct app_counter *calls; /* of the solver */
    uint64_t wrong;
};

struct task {
    int one, other, passes;
};

static struct task task_of(long index)
{
    uint64_t random = app_random(1, (uint64_t)index);
    return (struct task){.one = (int)(random % TABLE),
                         .other = (int)((random >> 20) % TABLE),
                         .passes = 1 + (int)((random >> 40) % MOST_PASSES)};
}

/* From half of the size to all of it. */
static long length_of(const struct work *work, int block)
{
    long half = (work->size + 1) / 2;
    return half + (long)(app_random(2, (uint64_t)block) % (uint64_t)(work->size - half + 1));
}

static unsigned item_of(int block, long index)
{
    return (unsigned)(app_random(3 + (uint64_t)block, (uint64_t)index) % 1000);
}

/* Waits until the buffer is full, or until it is empty. */
static void await(struct work *work, const struct buffer *buffer, bool full)
{
    pthread_mutex_lock(&work->mutex);
    while (buffer->full != full)
        pthread_cond_wait(&work->changed, &work->mutex);
    pthread_mutex_unlock(&work->mutex);
}

static void set(struct work *work, struct buffer *buffer, bool full)
{
    pthread_mutex_lock(&work->mutex);
    buffer->full = full;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->mutex);
}

static void load(const struct work *work, const struct buffer *buffer, struct task task)
{
    int pes = work->app->pes;
    CALL(shmem_uint_get)
    (buffer->one, work->table + task.one / pes * work->size, (size_t)length_of(work, task.one),
     task.one % pes);
    CALL(shmem_uint_get_nbi)
    (buffer->other, work->table + task.other / pes * work->size,
     (size_t)length_of(work, task.other), task.other % pes);
    CALL(shmem_quiet)();
}

/* The second thread. */
static void *load_all(void *pointer)
{
    struct work *work = pointer;
    long number = 0;
    for (long i = work->app->pe; i < work->tasks; i += work->app->pes) {
        struct buffer *buffer = &work->buffers[number++ % BUFFERS];
        await(work, buffer, false);
        load(work, buffer, task_of(i));
        set(work, buffer, true);
    }
    pthread_mutex_lock(&work->mutex);
    app_add_counts(work->calls);
    pthread_mutex_unlock(&work->mutex);
    return NULL;
}

/* Each item with each, as often as there are passes. */
static uint64_t solve(const struct work *work, const struct buffer *buffer, struct task task)
{
    long length_one = length_of(work, task.one), length_other = length_of(work, task.other);
    uint64_t sum = 0;
    for (int pass = 0; pass < task.passes; pass++)
        for (long i = 0; i < length_one; i++)
            for (long j = 0; j < length_other; j++)
                sum += (uint64_t)(buffer->one[i] + (unsigned)pass) * buffer->other[j];
    return sum;
}

/* The first thread. */
static void solve_all(struct work *work)
{
    const struct app *app = work->app;
    long number = 0, last = -1;
    for (long i = app->pe; i < work->tasks; i += app->pes) {
        struct task task = task_of(i);
        struct buffer *buffer = &work->buffers[number++ % BUFFERS];
        await(work, buffer, true);
        long result = (long)solve(work, buffer, task);
        set(work, buffer, false);
        CALL(shmem_long_atomic_add)(&work->result[task.one], result, task.one % app->pes);
        long ticket = CALL(shmem_long_atomic_fetch_add)(work->tickets, 1, app->pes - 1);
        work->wrong += ticket <= last || ticket >= work->tasks;
        last = ticket;
    }
}

/* Computes the result of all PEs on one PE, without communication: it needs only the sums of the
 * blocks. */
static uint64_t expected(const struct work *work)
{
    uint64_t sums[TABLE] = {0}, results[TABLE] = {0}, sum = (uint64_t)work->tasks;
    for (int block = 0; block < TABLE; block++)
        for (long i = 0; i < length_of(work, block); i++)
            sums[block] += item_of(block, i);
    for (long i = 0; i < work->tasks; i++) {
        struct task task = task_of(i);
        for (int pass = 0; pass < task.passes; pass++)
            results[task.one] +=
                (sums[task.one] + (uint64_t)(pass * length_of(work, task.one))) * sums[task.other];
    }
    for (int block = 0; block < TABLE; block++)
        sum += app_random(results[block], (uint64_t)block);
    return sum;
}

int main(int argc, char **argv)
{
    int level;
    struct work work = {.size = 600, .tasks = 1600};
    const struct app_option options[] = {
        {"size", &work.size, 1, 100000, "items of a block, at most"},
        {"steps", &work.tasks, 0, 1L << 30, "tasks of all PEs together"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin_threads("pairs", argv, options, &level);
    if (level != SHMEM_THREAD_MULTIPLE)
        app_fail(&app, 1, "the library has no SHMEM_THREAD_MULTIPLE");
    if (app.pe == 0)
        printf("pairs: %ld tasks, blocks of at most %ld items, %d PEs\n", work.tasks, work.size,
               app.pes);
    work.app = &app;
    work.calls = app_counters;
    pthread_mutex_init(&work.mutex, NULL);
    pthread_cond_init(&work.changed, NULL);
    work.table = app_memory(&app, (size_t)((TABLE / app.pes + 1) * work.size) * sizeof *work.table);
    work.result = app_memory(&app, TABLE * sizeof *work.result);
    work.tickets = app_memory(&app, sizeof *work.tickets);
    for (int block = app.pe; block < TABLE; block += app.pes)
        for (long i = 0; i < length_of(&work, block); i++)
            work.table[block / app.pes * work.size + i] = item_of(block, i);
    for (int i = 0; i < BUFFERS; i++) {
        work.buffers[i].one = calloc((size_t)work.size, sizeof(unsigned));
        work.buffers[i].other = calloc((size_t)work.size, sizeof(unsigned));
        if (!work.buffers[i].one || !work.buffers[i].other)
            app_fail(&app, 1, "no memory for buffers; make --size smaller");
    }
    CALL(shmem_barrier_all)();

    pthread_t loader;
    if (pthread_create(&loader, NULL, load_all, &work) != 0)
        app_fail(&app, 1, "the second thread cannot be started");
    solve_all(&work);
    pthread_join(loader, NULL);
    CALL(shmem_barrier_all)();

    uint64_t mine = work.wrong + (uint64_t)*work.tickets;
    for (int block = app.pe; block < TABLE; block += app.pes)
        mine += app_random((uint64_t)work.result[block], (uint64_t)block);
    for (int i = 0; i < BUFFERS; i++) {
        free(work.buffers[i].one);
        free(work.buffers[i].other);
    }
    uint64_t sum = app_sum(&app, mine);
    return app_end(&app, sum, app.pe == 0 ? expected(&work) : 0);
}
