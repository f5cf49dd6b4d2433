/*
 * forest.c -- which catalogue entries belong together?
 *
 * A stream of sample vectors is compared with a catalogue.  The two entries
 * nearest to a sample are joined in a union-find forest that is distributed
 * cyclically and changed with compare-and-swap only.  Each join that succeeds
 * is also appended to a journal on PE 0, under a ticket lock.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES 2400
#define DIMS 24
#define PE_MAX 32

typedef struct {
    int a, b;
} Pair;

static long parent[ENTRIES]; /* entry e: parent[e / npes] on PE e % npes */
static long snapshot[ENTRIES + PE_MAX];
static long ticketNext, ticketServed; /* PE 0 */
static long journalLength;            /* PE 0 */
static Pair journal[ENTRIES];         /* PE 0 */
static long collectSync[SHMEM_COLLECT_SYNC_SIZE];
static float catalogue[ENTRIES][DIMS];
static int myPe, nPes;

static unsigned lcg(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void vectorFrom(unsigned seed, float *v)
{
    int d;

    seed = seed * 2654435761u + 12345u;
    for (d = 0; d < DIMS; d++)
        v[d] = (float)(lcg(&seed) % 10000) / 10000.0f;
}

static Pair nearestTwo(const float *v)
{
    float first = 1e30f, second = 1e30f;
    Pair p = {-1, -1};
    int e, d;

    for (e = 0; e < ENTRIES; e++) {
        float dist = 0.0f;
        for (d = 0; d < DIMS; d++) {
            float diff = v[d] - catalogue[e][d];
            dist += diff * diff;
        }
        if (dist < first) {
            second = first;
            p.b = p.a;
            first = dist;
            p.a = e;
        } else if (dist < second) {
            second = dist;
            p.b = e;
        }
    }
    return p;
}

static long findRoot(long e)
{
    long at = e, up;
    int hops = 0;

    while ((up = shmem_long_atomic_fetch(&parent[at / nPes], at % nPes)) != at) {
        at = up;
        hops++;
    }
    if (hops > 2) /* any ancestor will do as a parent */
        shmem_long_atomic_set(&parent[e / nPes], at, e % nPes);
    return at;
}

static int join(Pair p)
{
    long a = p.a, b = p.b;

    for (;;) {
        long t;
        a = findRoot(a);
        b = findRoot(b);
        if (a == b)
            return 0;
        if (a < b) {
            t = a;
            a = b;
            b = t;
        }
        if (shmem_long_atomic_compare_swap(&parent[a / nPes], a, b, a % nPes) == a)
            return 1;
    }
}

static void record(Pair p)
{
    long ticket = shmem_long_atomic_fetch_inc(&ticketNext, 0);
    long length;

    if (myPe == 0)
        shmem_long_wait_until(&ticketServed, SHMEM_CMP_EQ, ticket);
    else
        while (shmem_long_atomic_fetch(&ticketServed, 0) != ticket)
            ;
    length = shmem_long_g(&journalLength, 0);
    shmem_putmem(&journal[length], &p, sizeof p, 0);
    shmem_long_p(&journalLength, length + 1, 0);
    shmem_quiet();
    shmem_long_atomic_inc(&ticketServed, 0);
}

static int localRoot(const int *up, int e)
{
    while (up[e] != e)
        e = up[e];
    return e;
}

int main(int argc, char *argv[])
{
    int steps = 300, s, e, i, bad = 0, chunk, roots = 0;
    Pair *pairs;
    int *up;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);

    shmem_init();
    myPe = shmem_my_pe();
    nPes = shmem_n_pes();
    if (nPes > PE_MAX)
        shmem_global_exit(2);
    for (i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++)
        collectSync[i] = SHMEM_SYNC_VALUE;
    for (e = 0; e < ENTRIES; e++)
        vectorFrom(e, catalogue[e]);
    chunk = (ENTRIES + nPes - 1) / nPes;
    for (i = 0; i < chunk; i++)
        parent[i] = i * nPes + myPe;
    pairs = malloc((size_t)(steps > 0 ? steps : 1) * sizeof *pairs);
    shmem_barrier_all();

    for (s = 0; s < steps; s++) {
        float v[DIMS];
        vectorFrom(1000000u + (unsigned)s * (unsigned)nPes + (unsigned)myPe, v);
        pairs[s] = nearestTwo(v);
        if (join(pairs[s]))
            record(pairs[s]);
    }

    shmem_barrier_all();
    shmem_fcollect64(snapshot, parent, (size_t)chunk, 0, 0, nPes, collectSync);
    up = malloc(ENTRIES * sizeof *up);
    for (e = 0; e < ENTRIES; e++) {
        up[e] = (int)snapshot[e % nPes * chunk + e / nPes];
        roots += up[e] == e;
    }
    for (s = 0; s < steps; s++)
        bad += localRoot(up, pairs[s].a) != localRoot(up, pairs[s].b);
    if (myPe == 0) {
        /* the journal, replayed, must give the same forest without one cycle */
        int *again = malloc(ENTRIES * sizeof *again);
        for (e = 0; e < ENTRIES; e++)
            again[e] = e;
        for (i = 0; i < journalLength; i++) {
            int a = localRoot(again, journal[i].a), b = localRoot(again, journal[i].b);
            bad += a == b;
            again[a > b ? a : b] = a > b ? b : a;
        }
        for (e = 0; e < ENTRIES; e++)
            bad += localRoot(again, e) != localRoot(up, e);
        bad += journalLength != ENTRIES - roots;
        printf("forest: %d trees, %ld joins, %s\n", roots, journalLength, bad ? "FAILED" : "ok");
        free(again);
    }
    free(up);
    free(pairs);
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
