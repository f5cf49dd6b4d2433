/*
 * Threads of each PE count samples by class. The samples of a task lie on the next PE: a thread
 * gets them, sorts them into classes, and adds what it found to counters that are spread over the
 * PEs. With contexts, each thread has one of its own.
 */
#include "app.h"

#include <pthread.h>

#define CLASSES 4
#define MOST_THREADS 16

struct work {
    const struct app *app;
    long size, steps, rounds, threads;
    bool contexts;
    int level;         /* of threads, that the library has */
    unsigned *samples; /* of the tasks of the PE before this one */
    long *counts;      /* by class; each class has its place on one PE */
    long *done;        /* tasks, on PE 0 */
    pthread_mutex_t mutex;
    struct app_counter *calls; /* of the first thread */
};

struct worker {
    struct work *work;
    long number;
    bool failed;
};

static unsigned sample_of(long task, long index)
{
    return (unsigned)app_random((uint64_t)task, (uint64_t)index);
}

static int class_of(unsigned sample, long rounds)
{
    for (long i = 0; i < rounds; i++)
        sample = sample * 1664525u + 1013904223u;
    return (int)(sample >> 30);
}

/* One task, whose samples begin there. */
static void count_samples(const struct work *work, shmem_ctx_t context, long task, long begin,
                          unsigned *samples)
{
    const struct app *app = work->app;
    long found[CLASSES] = {0};
    CALL(shmem_ctx_uint_get)
    (context, samples, work->samples + begin, (size_t)work->size, (app->pe + 1) % app->pes);
    for (long i = 0; i < work->size; i++)
        found[class_of(samples[i], work->rounds)]++;
    for (int i = 0; i < CLASSES; i++) {
        int class = (int)((i + task) % CLASSES);
        CALL(shmem_ctx_long_atomic_add)
        (context, &work->counts[class], found[class], class % app->pes);
    }
    CALL(shmem_ctx_long_atomic_fetch_add)(context, work->done, 1, 0);
}

/* The tasks of one thread: every n-th of its PE. */
static void *work_on(void *pointer)
{
    struct worker *worker = pointer;
    struct work *work = worker->work;
    const struct app *app = work->app;
    shmem_ctx_t context = SHMEM_CTX_DEFAULT;
    unsigned *samples = calloc((size_t)work->size, sizeof *samples);
    long first = app_first(app, work->steps, app->pe);
    worker->failed =
        !samples || (work->contexts && CALL(shmem_ctx_create)(SHMEM_CTX_PRIVATE, &context) != 0);
    for (long task = first + worker->number;
         !worker->failed && task < app_first(app, work->steps, app->pe + 1); task += work->threads)
        count_samples(work, context, task, (task - first) * work->size, samples);
    if (!worker->failed && work->contexts)
        CALL(shmem_ctx_destroy)(context);
    free(samples);
    if (worker->number > 0) {
        pthread_mutex_lock(&work->mutex);
        app_add_counts(work->calls);
        pthread_mutex_unlock(&work->mutex);
    }
    return NULL;
}

static void work_together(struct work *work)
{
    pthread_t threads[MOST_THREADS];
    struct worker workers[MOST_THREADS];
    bool failed = false;
    for (long i = 0; i < work->threads; i++)
        workers[i] = (struct worker){.work = work, .number = i};
    for (long i = 1; i < work->threads; i++)
        if (pthread_create(&threads[i], NULL, work_on, &workers[i]) != 0)
            app_fail(work->app, 1, "thread %ld cannot be started; take fewer --threads", i);
    work_on(&workers[0]);
    for (long i = 1; i < work->threads; i++)
        pthread_join(threads[i], NULL);
    for (long i = 0; i < work->threads; i++)
        failed = failed || workers[i].failed;
    if (failed)
        app_fail(work->app, 1, "no memory or context for a thread; take fewer --threads");
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct work *work)
{
    uint64_t counts[CLASSES] = {0}, sum = (uint64_t)work->steps;
    for (long task = 0; task < work->steps; task++)
        for (long i = 0; i < work->size; i++)
            counts[class_of(sample_of(task, i), work->rounds)]++;
    for (int i = 0; i < CLASSES; i++)
        sum += app_random(counts[i], (uint64_t)i);
    return sum;
}

int main(int argc, char **argv)
{
    long contexts = 1;
    struct work work = {.size = 128, .steps = 400, .rounds = 4, .threads = 2};
    const struct app_option options[] = {
        {"size", &work.size, 1, 1L << 20, "samples of a task"},
        {"steps", &work.steps, 0, 1L << 30, "tasks of all PEs together"},
        {"rounds", &work.rounds, 0, LONG_MAX / 2, "computation of a sample"},
        {"threads", &work.threads, 1, MOST_THREADS, "of each PE"},
        {"contexts", &contexts, 0, 1, "whether threads have contexts (0: the default context)"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin_threads("workers", argv, options, &work.level);
    work.app = &app;
    work.calls = app_counters;
    work.contexts = contexts > 0;
    pthread_mutex_init(&work.mutex, NULL);
    if (app.pe == 0)
        printf("workers: %ld tasks of %ld samples, %ld threads%s, %d PEs\n", work.steps, work.size,
               work.threads, work.contexts ? " with contexts" : "", app.pes);
    if (work.level != SHMEM_THREAD_MULTIPLE)
        work.threads = 1;

    size_t most = (size_t)((work.steps / app.pes + 1) * work.size);
    work.samples = app_memory(&app, most * sizeof *work.samples);
    work.counts = app_memory(&app, CLASSES * sizeof *work.counts);
    work.done = app_memory(&app, sizeof *work.done);
    int before = (app.pe + app.pes - 1) % app.pes;
    long first = app_first(&app, work.steps, before);
    for (long task = first; task < app_first(&app, work.steps, before + 1); task++)
        for (long i = 0; i < work.size; i++)
            work.samples[(task - first) * work.size + i] = sample_of(task, i);
    CALL(shmem_barrier_all)();

    work_together(&work);
    CALL(shmem_barrier_all)();

    uint64_t mine = (uint64_t)*work.done;
    for (int i = 0; i < CLASSES; i++)
        if (i % app.pes == app.pe)
            mine += app_random((uint64_t)work.counts[i], (uint64_t)i);
    uint64_t sum = app_sum(&app, mine);
    return app_end(&app, sum, app.pe == 0 ? expected(&work) : 0);
}
