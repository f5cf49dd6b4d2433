/*
 * spectrum.c -- largest eigenvalues by power iteration and deflation
 *
 * The symmetric matrix Q D Q (Q a reflection, D diagonal) is distributed by
 * rows.  Each iteration collects the vector and reduces a norm, a Rayleigh
 * quotient and a residual.  When FIND eigenvalues are known, it starts again
 * with the first and another vector.
 */
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 384
#define FIND 6

typedef struct {
    double square, rayleigh;
} Sums;

static double x[N], part[N];
static Sums sumsHere, sums;
static double offHere, off;
static double wrkSum[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 2], wrkMax[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long syncSum[SHMEM_REDUCE_SYNC_SIZE], syncMax[SHMEM_REDUCE_SYNC_SIZE],
    syncCollect[SHMEM_COLLECT_SYNC_SIZE];

static double *matrix; /* this PE's rows */
static double mirror[N];

static double eigenvalue(int k)
{
    return k <= FIND ? 8.0 * pow(0.8, k) : 1.5 * (k % 10 + 1) / 10.0;
}

static void fill(int first, int rows)
{
    int i, j, k;
    double vdv = 0.0;

    for (k = 0; k < N; k++)
        vdv += mirror[k] * mirror[k] * eigenvalue(k);
    /* (1 - 2 v v') D (1 - 2 v v') */
    for (i = 0; i < rows; i++)
        for (j = 0; j < N; j++) {
            int r = first + i;
            double e = r == j ? eigenvalue(j) : 0.0;
            e -= 2.0 * mirror[r] * mirror[j] * (eigenvalue(r) + eigenvalue(j));
            matrix[i * N + j] = e + 4.0 * mirror[r] * mirror[j] * vdv;
        }
}

static void startVector(int which)
{
    unsigned seed = 4711u + 101u * (unsigned)which;
    double norm = 0.0;
    int i;

    for (i = 0; i < N; i++) {
        seed = seed * 1103515245u + 12345u;
        x[i] = 0.1 + (double)(seed >> 16 & 0x7fff) / 32768.0;
        norm += x[i] * x[i];
    }
    for (i = 0; i < N; i++)
        x[i] /= sqrt(norm);
}

int main(int argc, char *argv[])
{
    int steps = 300, me, npes, rows, first, i, j, s, have = 0, found = 0, bad = 0;
    double norm = 0.0, worst = 0.0;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (N % npes != 0)
        shmem_global_exit(2);
    rows = N / npes;
    first = me * rows;
    for (i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        syncSum[i] = syncMax[i] = SHMEM_SYNC_VALUE;
    for (i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++)
        syncCollect[i] = SHMEM_SYNC_VALUE;
    matrix = malloc((size_t)rows * N * sizeof *matrix);
    for (i = 0; i < N; i++) {
        mirror[i] = 1.0 + (i * 37 % 64) / 64.0;
        norm += mirror[i] * mirror[i];
    }
    for (i = 0; i < N; i++)
        mirror[i] /= sqrt(norm);
    fill(first, rows);
    startVector(0);
    shmem_barrier_all();

    for (s = 0; s < steps; s++) {
        sumsHere.square = sumsHere.rayleigh = offHere = 0.0;
        for (i = 0; i < rows; i++) {
            double y = 0.0;
            for (j = 0; j < N; j++)
                y += matrix[i * N + j] * x[j];
            part[i] = y;
            sumsHere.square += y * y;
            sumsHere.rayleigh += y * x[first + i];
        }
        shmem_double_sum_to_all(&sums.square, &sumsHere.square, 2, 0, 0, npes, wrkSum, syncSum);
        for (i = 0; i < rows; i++) {
            double d = fabs(part[i] - sums.rayleigh * x[first + i]);
            if (!(d <= offHere))
                offHere = d;
            part[i] /= sqrt(sums.square);
        }
        shmem_double_max_to_all(&off, &offHere, 1, 0, 0, npes, wrkMax, syncMax);
        shmem_fcollect64(x, part, (size_t)rows, 0, 0, npes, syncCollect);
        if (off < 1e-6) {
            double error = fabs(sums.rayleigh - eigenvalue(have));
            if (!(error <= worst))
                worst = error;
            found++;
            for (i = 0; i < rows; i++)
                for (j = 0; j < N; j++)
                    matrix[i * N + j] -= sums.rayleigh * x[first + i] * x[j];
            if (++have == FIND) {
                have = 0;
                fill(first, rows);
            }
            /* nobody may still be collecting into x when it changes */
            shmem_barrier_all();
            startVector(found);
        }
    }

    bad = found < steps / 120 || !(worst < 1e-7);
    if (me == 0)
        printf("spectrum: %d eigenvalues, error %.1e, %s\n", found, worst, bad ? "FAILED" : "ok");
    free(matrix);
    shmem_barrier_all();
    shmem_finalize();
    return bad;
}
