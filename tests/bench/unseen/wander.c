/*
 * wander.c -- holonomy of random walks on a distributed graph
 *
 * Walkers carry a square matrix from node to node; each node reflects it at
 * its own vector.  Graph (compressed rows) and vectors are spread in blocks
 * over the PEs, and each hop needs three dependent rounds of gets, which the
 * walkers of a PE make together.
 */
#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 1500 /* on each PE */
#define DEGMAX 9
#define DIM 88
#define WALKERS 6

typedef struct {
    int32_t node;
    uint32_t seed;
    double m[DIM][DIM];
    double probe[DIM]; /* what m makes of (1, 1, ...), by another way */
} Walker;

static int32_t *rowStart, *neighbour;
static double *reflector; /* NODES x DIM */
static Walker walker[WALKERS];
static int total;

static uint32_t scramble(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static int degreeOf(int node)
{
    return 2 + (int)(scramble((uint32_t)node + 17u) % (DEGMAX - 1));
}

static int neighbourOf(int node, int which)
{
    uint32_t h = scramble((uint32_t)node * 16u + (uint32_t)which + 5u);
    /* nearby, every other time */
    return h & 1 ? (int)((uint32_t)node + (h >> 8) % 50u) % total
                 : (int)((h >> 1) % (uint32_t)total);
}

static void reflectorOf(int node, double *v)
{
    double norm = 0.0;
    int d;

    for (d = 0; d < DIM; d++) {
        v[d] = (double)scramble((uint32_t)(node * DIM + d) ^ 0xabcdefu) / 4294967296.0 - 0.5;
        norm += v[d] * v[d];
    }
    for (d = 0; d < DIM; d++)
        v[d] /= sqrt(norm);
}

static void reflect(double m[DIM][DIM], const double *v)
{
    double p[DIM] = {0.0};
    int i, j;

    for (i = 0; i < DIM; i++)
        for (j = 0; j < DIM; j++)
            p[j] += v[i] * m[i][j];
    for (i = 0; i < DIM; i++)
        for (j = 0; j < DIM; j++)
            m[i][j] -= 2.0 * v[i] * p[j];
}

int main(int argc, char *argv[])
{
    int steps = 400, me, npes, s, w, i, j, k, bad = 0;
    double worst = 0.0;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    total = NODES * npes;
    rowStart = shmem_malloc((NODES + 1) * sizeof *rowStart);
    neighbour = shmem_malloc(NODES * DEGMAX * sizeof *neighbour);
    reflector = shmem_malloc(NODES * DIM * sizeof *reflector);
    if (!rowStart || !neighbour || !reflector)
        shmem_global_exit(2);
    rowStart[0] = 0;
    for (i = 0; i < NODES; i++) {
        int node = me * NODES + i, degree = degreeOf(node);
        for (j = 0; j < degree; j++)
            neighbour[rowStart[i] + j] = neighbourOf(node, j);
        rowStart[i + 1] = rowStart[i] + degree;
        reflectorOf(node, reflector + i * DIM);
    }
    for (w = 0; w < WALKERS; w++) {
        walker[w].seed = scramble((uint32_t)(me * WALKERS + w) + 99u);
        walker[w].node = (int32_t)(walker[w].seed % (uint32_t)total);
        for (i = 0; i < DIM; i++) {
            walker[w].m[i][i] = 1.0;
            walker[w].probe[i] = 1.0;
        }
    }
    shmem_barrier_all();

    for (s = 0; s < steps; s++) {
        int32_t range[WALKERS][2], next[WALKERS];
        double v[WALKERS][DIM];

        for (w = 0; w < WALKERS; w++)
            shmem_int32_get_nbi(range[w], &rowStart[walker[w].node % NODES], 2,
                                walker[w].node / NODES);
        shmem_quiet();
        for (w = 0; w < WALKERS; w++) {
            walker[w].seed = walker[w].seed * 1664525u + 1013904223u;
            i = range[w][0] + (int)((walker[w].seed >> 10) % (uint32_t)(range[w][1] - range[w][0]));
            shmem_get32_nbi(&next[w], &neighbour[i], 1, walker[w].node / NODES);
        }
        shmem_quiet();
        for (w = 0; w < WALKERS; w++)
            shmem_getmem_nbi(v[w], &reflector[next[w] % NODES * DIM], sizeof v[w], next[w] / NODES);
        shmem_quiet();
        for (w = 0; w < WALKERS; w++) {
            walker[w].node = next[w];
            reflect(walker[w].m, v[w]);
        }
    }
    shmem_barrier_all();

    /* the same walks without communication, with one vector instead of a matrix */
    for (w = 0; w < WALKERS; w++) {
        uint32_t seed = scramble((uint32_t)(me * WALKERS + w) + 99u);
        int node = (int)(seed % (uint32_t)total);

        for (s = 0; s < steps; s++) {
            double v[DIM], p = 0.0;

            seed = seed * 1664525u + 1013904223u;
            node = neighbourOf(node, (int)((seed >> 10) % (uint32_t)degreeOf(node)));
            reflectorOf(node, v);
            for (k = 0; k < DIM; k++)
                p += v[k] * walker[w].probe[k];
            for (k = 0; k < DIM; k++)
                walker[w].probe[k] -= 2.0 * v[k] * p;
        }
        bad += node != walker[w].node;
        for (i = 0; i < DIM; i++) {
            double sum = 0.0;
            for (j = 0; j < DIM; j++)
                sum += walker[w].m[i][j];
            worst = fmax(worst, fabs(sum - walker[w].probe[i]));
        }
    }
    bad += !(worst < 1e-8);
    printf("wander: PE %d, first walker is at node %d, error %.1e, %s\n", me, (int)walker[0].node,
           worst, bad ? "FAILED" : "ok");
    shmem_free(reflector);
    shmem_free(neighbour);
    shmem_free(rowStart);
    shmem_finalize();
    return bad != 0;
}
