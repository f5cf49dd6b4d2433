/*
 * queens.c -- the queens problem as a bag of tasks on every PE
 *
 * One thread of each PE fetches tasks (placements of the first two queens),
 * now from this PE's bag, now from that's; the other solves them and adds the
 * number of solutions where the task came from.  Both threads use the default
 * context, and hand tasks over by a short queue.
 */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 12
#define SOLUTIONS 14200L
#define TASKMAX (SIZE * SIZE)
#define QUEUE 8

typedef struct {
    unsigned columns, down, up; /* taken, as bits of the next row */
} Task;

typedef struct {
    Task task;
    int which, pe;
} Order;

static long bag; /* number of the next task */
static Task task[TASKMAX];
static long found[TASKMAX], times[TASKMAX];
static int tasks, myPe, nPes;
static long limit = 1000; /* tasks in each bag */

static long place(unsigned columns, unsigned down, unsigned up)
{
    const unsigned all = (1u << SIZE) - 1u;
    unsigned open = all & ~(columns | down | up);
    long n = 0;

    if (columns == all)
        return 1;
    while (open) {
        unsigned bit = open & -open;
        open ^= bit;
        n += place(columns | bit, (down | bit) << 1, (up | bit) >> 1);
    }
    return n;
}

/* filled by the first thread, emptied by the second */
static Order order[QUEUE];
static unsigned head, tail;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void enqueue(Order o)
{
    pthread_mutex_lock(&mutex);
    while (head - tail == QUEUE)
        pthread_cond_wait(&changed, &mutex);
    order[head++ % QUEUE] = o;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

static Order dequeue(void)
{
    Order o;

    pthread_mutex_lock(&mutex);
    while (head == tail)
        pthread_cond_wait(&changed, &mutex);
    o = order[tail++ % QUEUE];
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return o;
}

static void fetch(void)
{
    Order o;
    int at = myPe, left = nPes;
    char empty[256] = {0};

    while (left > 0) {
        o.pe = at++ % nPes;
        if (empty[o.pe])
            continue;
        long draw = shmem_long_atomic_fetch_inc(&bag, o.pe);
        if (draw >= limit) {
            empty[o.pe] = 1;
            left--;
            continue;
        }
        o.which = (int)(draw % tasks);
        shmem_getmem(&o.task, &task[o.which], sizeof o.task, o.pe);
        enqueue(o);
    }
    o.pe = -1;
    enqueue(o);
}

static void *solve(void *unused)
{
    Order o;

    (void)unused;
    while ((o = dequeue()).pe >= 0) {
        long n = place(o.task.columns, o.task.down, o.task.up);
        shmem_long_atomic_add(&times[o.which], 1, o.pe);
        shmem_long_atomic_fetch_add(&found[o.which], n, o.pe);
    }
    return NULL;
}

int main(int argc, char *argv[])
{
    pthread_t thread;
    int i, a, b, provided = 0, bad = 0;
    long sum = 0, once = 0;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            limit = atol(argv[++i]);

    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0)
        return 2;
    myPe = shmem_my_pe();
    nPes = shmem_n_pes();
    if (provided != SHMEM_THREAD_MULTIPLE || nPes > 256)
        shmem_global_exit(2);
    for (a = 0; a < SIZE; a++)
        for (b = 0; b < SIZE; b++)
            if (abs(a - b) > 1) {
                unsigned p = 1u << a, q = 1u << b;
                task[tasks++] = (Task){p | q, (p << 1 | q) << 1, (p >> 1 | q) >> 1};
            }
    shmem_barrier_all();

    if (pthread_create(&thread, NULL, solve, NULL) != 0)
        shmem_global_exit(2);
    fetch();
    pthread_join(thread, NULL);
    shmem_quiet();
    shmem_barrier_all();

    for (i = 0; i < tasks; i++) {
        long n = place(task[i].columns, task[i].down, task[i].up);
        once += n;
        sum += found[i];
        bad += times[i] != limit / tasks + (i < limit % tasks) || found[i] != n * times[i];
    }
    bad += once != SOLUTIONS;
    printf("queens: PE %d, %ld tasks, %ld solutions, %s\n", myPe, limit, sum,
           bad ? "FAILED" : "ok");
    shmem_finalize();
    return bad != 0;
}
