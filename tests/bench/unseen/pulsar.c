/*
 * pulsar.c -- radio stations that look for a pulsar, two threads a PE
 *
 * Each PE is a station.  Its recorder thread makes and filters blocks of
 * samples, and tells the station to its left when a block is ready.  Its
 * correlator thread gets the blocks of the station to the right, and finds out
 * by how much the signal is late there.  Delays that were found are counted by
 * atomic operations.  Both threads call OpenSHMEM at the same time.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLES 1024 /* of a block */
#define TAPS 64      /* of the filter */
#define LAGS 256     /* delays between stations that are tried: from -LAGS / 2 */
#define SLOTS 4      /* blocks that a station keeps */

static signed char blocks[SLOTS][SAMPLES]; /* block b is in b % SLOTS */
static long ready;                         /* blocks that the station to the right has recorded */
static long taken;                         /* blocks that the station to the left has got from us */
static long counts[LAGS];                  /* blocks with this delay: PE b % npes counts block b */
static long numPulses;                     /* on PE 0 */

static int me, npes, left, right;
static long numBlocks;
static long recorded, correlated; /* blocks of this station that the threads are done with */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static long wrong, pulses;

static unsigned int mix(unsigned int a, unsigned int b)
{
    unsigned int h = a * 2654435761u ^ (b + 0x9e3779b9u) * 2246822519u;

    h = (h ^ h >> 15) * 2246822519u;
    h = (h ^ h >> 13) * 3266489917u;
    return h ^ h >> 16;
}

static double nowMs(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* samples by which the signal is late at a station */
static int delayOf(int station)
{
    return station * 5 % 17;
}

/* does the pulsar flash in this block? */
static int isPulse(long block)
{
    return block % 7 == 3;
}

/* a block: the sky's noise, late, and that of the station; then a filter that smooths it */
static void record(long block, signed char *to)
{
    float raw[SAMPLES + TAPS];
    int loud = isPulse(block) ? 4 : 1, i, k;

    for (i = 0; i < SAMPLES + TAPS; i++) {
        unsigned int t = (unsigned int)(block * SAMPLES + i - delayOf(me) + 1000);
        unsigned int sky = mix(t, 1), own = mix(t, (unsigned int)me + 2);
        raw[i] = (float)(loud * ((int)(sky & 0xff) - 128) + ((int)(own & 0xff) - 128) / 2);
    }
    for (i = 0; i < SAMPLES; i++) {
        float sum = 0;
        for (k = 0; k < TAPS; k++)
            sum += raw[i + k] * (1.0f / (float)(1 + k * k));
        sum = sum / 6;
        to[i] = (signed char)(sum > 127 ? 127 : sum < -127 ? -127 : sum);
    }
}

/* the delay from a to b for which they are most alike */
static int correlate(const signed char *a, const signed char *b)
{
    int lag, i, best = 0;
    long most = 0;

    for (lag = -LAGS / 2; lag < LAGS / 2; lag++) {
        int sum = 0;
        for (i = LAGS / 2; i < SAMPLES - LAGS / 2; i++)
            sum += a[i] * b[i + lag];
        if (sum > most) {
            most = sum;
            best = lag;
        }
    }
    return best;
}

static void finish(long *count)
{
    pthread_mutex_lock(&mutex);
    ++*count;
    pthread_cond_broadcast(&progress);
    pthread_mutex_unlock(&mutex);
}

static void await(const long *count, long least)
{
    pthread_mutex_lock(&mutex);
    while (*count < least)
        pthread_cond_wait(&progress, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *correlator(void *unused)
{
    signed char theirs[SAMPLES];
    long b;
    int lag, i;

    for (b = 0; b < numBlocks; b++) {
        const signed char *ours = blocks[b % SLOTS];
        long power = 0;

        await(&recorded, b + 1);
        shmem_long_wait_until(&ready, SHMEM_CMP_GE, b + 1);
        shmem_getmem(theirs, blocks[b % SLOTS], SAMPLES, right);
        shmem_long_p(&taken, b + 1, right);
        lag = correlate(ours, theirs);
        for (i = 0; i < SAMPLES; i++)
            power += abs(theirs[i]);
        finish(&correlated);
        wrong += lag != delayOf(right) - delayOf(me);
        /* the number that comes back is how many blocks had this delay before */
        wrong += shmem_long_atomic_fetch_add(&counts[lag + LAGS / 2], 1, (int)(b % npes)) < 0;
        if (power > 40L * SAMPLES) {
            pulses++;
            shmem_long_atomic_inc(&numPulses, 0);
        }
    }
    shmem_quiet();
    return unused;
}

int main(int argc, char *argv[])
{
    int steps = 1200, provided, i, bad = 0;
    long b, expected = 0, sum = 0;
    pthread_t thread;
    double began;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);
    numBlocks = steps;

    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0 ||
        provided != SHMEM_THREAD_MULTIPLE) {
        fprintf(stderr, "pulsar: needs SHMEM_THREAD_MULTIPLE\n");
        shmem_global_exit(2);
    }
    me = shmem_my_pe();
    npes = shmem_n_pes();
    left = (me + npes - 1) % npes;
    right = (me + 1) % npes;
    shmem_barrier_all();
    began = nowMs();
    if (pthread_create(&thread, NULL, correlator, NULL) != 0)
        shmem_global_exit(2);

    for (b = 0; b < numBlocks; b++) {
        /* both stations must be done with what was in this slot */
        await(&correlated, b + 1 - SLOTS);
        shmem_long_wait_until(&taken, SHMEM_CMP_GE, b + 1 - SLOTS);
        record(b, blocks[b % SLOTS]);
        expected += isPulse(b);
        finish(&recorded);
        shmem_fence();
        shmem_long_p(&ready, b + 1, left);
    }

    pthread_join(thread, NULL);
    shmem_barrier_all();
    for (i = 0; i < LAGS; i++)
        sum += counts[i];
    bad += wrong != 0 || pulses != expected;
    bad += sum != npes * ((numBlocks - me + npes - 1) / npes);
    bad += shmem_long_g(&numPulses, 0) != npes * expected;
    printf("pulsar: PE %d, %ld blocks, %ld pulses, %ld counted, %.1f ms, %s\n", me, numBlocks,
           pulses, sum, nowMs() - began, bad ? "FAILED" : "ok");
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
