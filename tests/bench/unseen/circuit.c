/*
 * circuit.c -- voltages in a circuit over time, by Gaussian elimination
 *
 * In each time step the PEs solve a dense system of equations for the
 * voltages.  Rows are dealt out in turn.  A pivot row goes round the chain of
 * PEs: each PE hands it on by a put, a fence and a flag, before it works with
 * it.  The owner of the next pivot row treats that row first and sends it off.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NODES 240
#define POINTS 4         /* in a time step, for which conductances are computed */
#define COLS (NODES + 1) /* the last one is the right-hand side */

static double pivots[2][NODES][COLS]; /* in turn, in even and odd time steps */
static long arrived;                  /* pivot rows that the predecessor has sent */
static double checksum;

static double rows[NODES][COLS], original[NODES][COLS]; /* our rows */
static double voltage[NODES], voltageBefore[NODES];
static int me, npes, next;

static double nowMs(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* what a diode with a resistor in front of it conducts, from the voltage at both */
static double diode(double voltage)
{
    double inner = fmin(voltage, 0.3), change = 1;
    int i;

    /* Newton's method: the diode's current is that of the resistor */
    for (i = 0; i < 20 && fabs(change) > 1e-12; i++) {
        double e = 0.01 * exp(10 * inner);
        change = (e - 0.01 - (voltage - inner)) / (10 * e + 1);
        inner -= change;
    }
    return voltage > 1e-6 ? (voltage - inner) / voltage : 0;
}

/* the conductance between two nodes: a resistor and a diode in either direction; the mean of some
   points of the time step, as if voltages changed as they did in the step before */
static double conductance(int a, int b)
{
    double drop = voltage[a] - voltage[b], change = drop - (voltageBefore[a] - voltageBefore[b]);
    double sum = 0;
    int i;

    for (i = 0; i < POINTS; i++)
        sum += diode(fabs(drop + change * (i + 0.5) / POINTS));
    return (1 + (a * b + a + b) % 7) / (1.0 + 0.1 * abs(a - b)) + 0.2 * sum / POINTS;
}

/* one row of the equations of a time step: currents from other nodes, ground and capacitor */
static void assemble(double *row, int node, int step)
{
    double sum = 0.5, capacity = 20.0;
    int i;

    for (i = 0; i < NODES; i++)
        if (i != node) {
            double g = conductance(node, i);
            row[i] = -g;
            sum += g;
        }
    row[node] = sum + capacity;
    row[NODES] = capacity * voltage[node];
    if (node % 25 == 3)
        row[NODES] += 30.0 * sin(0.4 * step + node); /* current from outside */
}

/* hand a pivot row on to the next PE, which has all earlier ones already */
static void handOn(double (*pivot)[COLS], int k, int step)
{
    if (next == k % npes)
        return; /* it began there */
    shmem_double_put(&pivot[k][k], &pivot[k][k], COLS - (size_t)k, next);
    shmem_fence();
    shmem_long_p(&arrived, (long)step * NODES + k + 1, next);
}

static void eliminate(double *restrict row, const double *restrict pivot, int k)
{
    double factor = row[k] / pivot[k];
    int j;

    for (j = k; j < COLS; j++)
        row[j] -= factor * pivot[j];
}

/* our row with this number becomes a pivot row */
static void publish(double (*pivot)[COLS], int k, int step)
{
    memcpy(&pivot[k][k], &rows[k / npes][k], (COLS - (size_t)k) * sizeof(double));
    handOn(pivot, k, step);
}

/* after this, all PEs have all pivot rows */
static void factorize(double (*pivot)[COLS], int step)
{
    int k, i, mine = 0; /* our first row that is no pivot row yet */

    if (me == 0)
        publish(pivot, mine++, step);
    for (k = 0; k < NODES; k++) {
        if (k % npes != me) {
            shmem_long_wait_until(&arrived, SHMEM_CMP_GT, (long)step * NODES + k);
            handOn(pivot, k, step);
        }
        if (k + 1 < NODES && (k + 1) % npes == me) {
            /* it is our turn next: the others wait for this row */
            eliminate(rows[mine], pivot[k], k);
            publish(pivot, k + 1, step);
            mine++;
        }
        for (i = mine; i * npes + me < NODES; i++)
            eliminate(rows[i], pivot[k], k);
    }
}

static void substitute(double (*pivot)[COLS])
{
    int k, j;

    for (k = NODES - 1; k >= 0; k--) {
        double value = pivot[k][NODES];
        for (j = k + 1; j < NODES; j++)
            value -= pivot[k][j] * voltage[j];
        voltage[k] = value / pivot[k][k];
    }
}

/* how far our equations are from true */
static double residual(void)
{
    double worst = 0;
    int i, j;

    for (i = 0; i * npes + me < NODES; i++) {
        double sum = -original[i][NODES];
        for (j = 0; j < NODES; j++)
            sum += original[i][j] * voltage[j];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

int main(int argc, char *argv[])
{
    int steps = 13, step, i, bad = 0;
    double began, worst = 0;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    next = (me + 1) % npes;
    shmem_barrier_all();
    began = nowMs();

    for (step = 0; step < steps; step++) {
        /* who has all pivot rows of a step knows that all PEs are done with the step before,
           so two sets of pivot rows are enough */
        double(*pivot)[COLS] = pivots[step & 1];

        for (i = 0; i * npes + me < NODES; i++)
            assemble(rows[i], i * npes + me, step);
        memcpy(original, rows, sizeof rows);
        factorize(pivot, step);
        memcpy(voltageBefore, voltage, sizeof voltage);
        substitute(pivot);
        worst = fmax(worst, residual());
    }

    for (i = 0; i < NODES; i++)
        checksum += voltage[i] * (1 + i % 5);
    shmem_barrier_all();
    bad += !(worst < 1e-9) || !(fabs(checksum) < 1e6);
    bad += shmem_double_g(&checksum, next) != checksum;
    printf("circuit: PE %d, %d time steps, residual %.1e, checksum %.12g, %.1f ms, %s\n", me, steps,
           worst, checksum, nowMs() - began, bad ? "FAILED" : "ok");
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
