/*
 * heatline.c -- implicit heat conduction along lines
 *
 * Thomas' algorithm on LINES tridiagonal systems whose unknowns are spread
 * over all PEs: elimination runs from PE to PE to the right, substitution
 * back to the left.  Lines travel in two bundles.  A bundle is a put, a
 * fence and an atomic increment of a counter that the receiver waits on.
 */
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 12
#define BUNDLES 2
#define EACH (LINES / BUNDLES)
#define CELLS 1000 /* of each line on each PE */

typedef struct {
    double value[EACH];
} Bundle;

static Bundle fromLeft[BUNDLES], fromRight[BUNDLES];
static int arrivedLeft[BUNDLES], arrivedRight[BUNDLES];
static double worstHere, worstAll, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long sync1[SHMEM_REDUCE_SYNC_SIZE];

static double u[CELLS][LINES]; /* right hand side, then solution */
static double ratio[CELLS];    /* c' of the elimination */

static void ship(Bundle *to, int *counter, const double *values, int pe)
{
    shmem_putmem(to, values, sizeof *to, pe);
    shmem_fence();
    shmem_int_atomic_inc(counter, pe);
}

int main(int argc, char *argv[])
{
    int steps = 700, me, npes, s, b, i, l, total, failed;
    double r = 1.0, before;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    total = CELLS * npes;
    for (i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync1[i] = SHMEM_SYNC_VALUE;

    /* -r u[i-1] + (1 + 2 r) u[i] - r u[i+1] = old[i], u = 0 outside */
    before = 0.0;
    for (i = -me * CELLS; i < CELLS; i++) {
        before = -r / (1.0 + 2.0 * r + r * before);
        if (i >= 0)
            ratio[i] = before;
    }
    /* line l: mode l + 1, which each step damps by a known factor */
    for (i = 0; i < CELLS; i++)
        for (l = 0; l < LINES; l++)
            u[i][l] = sin(M_PI * (l + 1) * (me * CELLS + i + 1) / (total + 1));
    shmem_barrier_all();

    for (s = 1; s <= steps; s++) {
        for (b = 0; b < BUNDLES; b++) {
            double left[EACH] = {0.0};
            if (me > 0) {
                shmem_int_wait_until(&arrivedLeft[b], SHMEM_CMP_GE, s);
                memcpy(left, fromLeft[b].value, sizeof left);
            }
            for (i = 0; i < CELLS; i++) {
                double *d = &u[i][b * EACH];
                /* 1 / (b - a c') is -c' / r, as c is -r */
                double f = -ratio[i] / r;
                for (l = 0; l < EACH; l++)
                    d[l] = left[l] = (d[l] + r * left[l]) * f;
            }
            if (me < npes - 1)
                ship(&fromLeft[b], &arrivedLeft[b], left, me + 1);
        }
        for (b = 0; b < BUNDLES; b++) {
            double right[EACH] = {0.0};
            if (me < npes - 1) {
                shmem_int_wait_until(&arrivedRight[b], SHMEM_CMP_GE, s);
                memcpy(right, fromRight[b].value, sizeof right);
            }
            for (i = CELLS - 1; i >= 0; i--) {
                double *d = &u[i][b * EACH];
                for (l = 0; l < EACH; l++)
                    d[l] = right[l] = d[l] - ratio[i] * right[l];
            }
            if (me > 0)
                ship(&fromRight[b], &arrivedRight[b], right, me - 1);
        }
    }

    for (l = 0; l < LINES; l++) {
        double half = sin(M_PI * (l + 1) / (2.0 * (total + 1)));
        double left = pow(1.0 + 4.0 * r * half * half, -steps);
        for (i = 0; i < CELLS; i++) {
            double want = left * sin(M_PI * (l + 1) * (me * CELLS + i + 1) / (total + 1));
            if (!(fabs(u[i][l] - want) <= worstHere))
                worstHere = fabs(u[i][l] - want);
        }
    }
    shmem_barrier_all();
    shmem_double_max_to_all(&worstAll, &worstHere, 1, 0, 0, npes, work, sync1);
    failed = !(worstAll < 1e-9);
    if (me == 0)
        printf("heatline: %d steps, largest error %.2e, %s\n", steps, worstAll,
               failed ? "FAILED" : "ok");
    shmem_finalize();
    return failed;
}
