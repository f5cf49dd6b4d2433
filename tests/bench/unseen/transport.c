/*
 * transport.c -- optimal transport by Sinkhorn's iteration, with logarithms
 *
 * What is at some places has to go to other places, at the least cost, blurred
 * a little.  Each PE has some rows of the plan (sources), which it scales.
 * For columns (targets) it needs the other PEs' sums: an alltoall brings them
 * to the PE of the column, and a collect brings the new scale to all.  PE 0
 * decides from the error (a reduction) how much to blur, and broadcasts it.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 145 /* sources, and targets */
#define MAX_PES 64
#define CHECK 2 /* iterations from one look at the error to the next */
#define LEAST_BLUR 0.004

static double partial[2 * (N + MAX_PES)], merged[2 * (N + MAX_PES)]; /* maxima and sums */
static double rowScale[N], colScale[N], newScale[N];
static double error, totalError, blur, newBlur, colSum[N], allColSum[N], cost, totalCost;
static double work[N / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long alltoallSync[2][SHMEM_ALLTOALL_SYNC_SIZE], collectSync[2][SHMEM_COLLECT_SYNC_SIZE];
static long bcastSync[2][SHMEM_BCAST_SYNC_SIZE], reduceSync[2][SHMEM_REDUCE_SYNC_SIZE];

static double from[N], to[N], supply[N], demand[N]; /* places, in order, and amounts */
static int me, npes, first, end;                    /* our rows, and our columns, too */

static double nowMs(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int firstOf(int pe)
{
    return N * pe / npes;
}

static double distance(int i, int j)
{
    return (from[i] - to[j]) * (from[i] - to[j]);
}

static void makeProblem(void)
{
    double sum[2] = {0, 0};
    int i;

    for (i = 0; i < N; i++) {
        from[i] = (i + 0.4 * sin(3.0 * i)) / N;
        to[i] = 0.2 + 0.9 * pow((i + 0.5) / N, 1.3);
        sum[0] += supply[i] = 1 + 0.8 * cos(9.0 * i / N);
        sum[1] += demand[i] = 0.3 + (i * 7 % 11) / 10.0;
    }
    for (i = 0; i < N; i++) {
        supply[i] /= sum[0];
        demand[i] /= sum[1];
    }
}

/* without blur, on a line: whatever is leftmost goes to the leftmost place that is free */
static double leastCost(void)
{
    double have = supply[0], need = demand[0], sum = 0;
    int i = 0, j = 0;

    while (i < N && j < N) {
        double amount = have < need ? have : need;
        sum += amount * distance(i, j);
        have -= amount;
        need -= amount;
        if (have <= need && ++i < N)
            have += supply[i];
        else if (have > need && ++j < N)
            need += demand[j];
    }
    return sum;
}

/* scale our rows; the error is what they were wrong by */
static void scaleRows(void)
{
    int i, j;

    error = 0;
    for (i = first; i < end; i++) {
        double term[N], most = -HUGE_VAL, sum = 0, scale;
        for (j = 0; j < N; j++) {
            term[j] = (colScale[j] - distance(i, j)) / blur;
            most = term[j] > most ? term[j] : most;
        }
        for (j = 0; j < N; j++)
            sum += exp(term[j] - most);
        scale = blur * (log(supply[i]) - most - log(sum));
        error += supply[i] * fabs(exp((rowScale[i] - scale) / blur) - 1);
        rowScale[i] = scale;
    }
}

/* for each column, the maximum and the sum over our rows, where the alltoall wants them */
static void sumColumns(int block)
{
    int pe, i, j;

    for (pe = 0; pe < npes; pe++)
        for (j = firstOf(pe); j < firstOf(pe + 1); j++) {
            double term[N], most = -HUGE_VAL, sum = 0;
            double *here = &partial[pe * block + 2 * (j - firstOf(pe))];
            for (i = first; i < end; i++) {
                term[i] = (rowScale[i] - distance(i, j)) / blur;
                most = term[i] > most ? term[i] : most;
            }
            for (i = first; i < end; i++)
                sum += exp(term[i] - most);
            here[0] = most;
            here[1] = sum;
        }
}

static void scaleColumns(int block)
{
    int pe, j;

    for (j = first; j < end; j++) {
        double most = -HUGE_VAL, sum = 0;
        for (pe = 0; pe < npes; pe++)
            most = fmax(most, merged[pe * block + 2 * (j - first)]);
        for (pe = 0; pe < npes; pe++) {
            const double *part = &merged[pe * block + 2 * (j - first)];
            sum += part[1] * exp(part[0] - most);
        }
        newScale[j - first] = blur * (log(demand[j]) - most - log(sum));
    }
}

int main(int argc, char *argv[])
{
    int steps = 680, step, i, j, block, bad = 0;
    double began, least, worst = 0;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (npes > MAX_PES)
        shmem_global_exit(2);
    for (i = 0; i < 2; i++) {
        for (j = 0; j < SHMEM_ALLTOALL_SYNC_SIZE; j++)
            alltoallSync[i][j] = SHMEM_SYNC_VALUE;
        for (j = 0; j < SHMEM_COLLECT_SYNC_SIZE; j++)
            collectSync[i][j] = SHMEM_SYNC_VALUE;
        for (j = 0; j < SHMEM_BCAST_SYNC_SIZE; j++)
            bcastSync[i][j] = SHMEM_SYNC_VALUE;
        for (j = 0; j < SHMEM_REDUCE_SYNC_SIZE; j++)
            reduceSync[i][j] = SHMEM_SYNC_VALUE;
    }
    first = firstOf(me);
    end = firstOf(me + 1);
    block = 2 * ((N + npes - 1) / npes); /* of the alltoall: two numbers a column */
    makeProblem();
    least = leastCost();
    blur = 0.1;
    shmem_barrier_all();
    began = nowMs();

    for (step = 0; step < steps; step++) {
        scaleRows();
        sumColumns(block);
        shmem_alltoall64(merged, partial, (size_t)block, 0, 0, npes, alltoallSync[step % 2]);
        scaleColumns(block);
        shmem_collect64(colScale, newScale, (size_t)(end - first), 0, 0, npes,
                        collectSync[step % 2]);
        if (step % CHECK == CHECK - 1) {
            int which = step / CHECK % 2;
            shmem_double_sum_to_all(&totalError, &error, 1, 0, 0, npes, work, reduceSync[which]);
            if (me == 0) /* sharper, as soon as the rows are nearly right */
                newBlur = totalError < 0.02 ? fmax(0.7 * blur, LEAST_BLUR) : blur;
            shmem_broadcast64(&newBlur, &newBlur, 1, 0, 0, 0, npes, bcastSync[which]);
            if (step + 1 < steps)
                blur = newBlur;
        }
    }

    /* columns are exact, rows nearly, and the cost is hardly more than the least one */
    error = 0;
    for (i = first; i < end; i++) {
        double sum = 0;
        for (j = 0; j < N; j++) {
            double amount = exp((rowScale[i] + colScale[j] - distance(i, j)) / blur);
            sum += amount;
            colSum[j] += amount;
            cost += amount * distance(i, j);
        }
        error += fabs(sum - supply[i]);
    }
    shmem_barrier_all();
    shmem_double_sum_to_all(allColSum, colSum, N, 0, 0, npes, work, reduceSync[0]);
    shmem_double_sum_to_all(&totalError, &error, 1, 0, 0, npes, work, reduceSync[1]);
    shmem_barrier_all();
    shmem_double_sum_to_all(&totalCost, &cost, 1, 0, 0, npes, work, reduceSync[0]);
    for (j = 0; j < N; j++)
        worst = fmax(worst, fabs(allColSum[j] - demand[j]));
    bad += !(worst < 1e-12) || !(totalError < (steps < 100 ? 1 : 0.03));
    bad += !(totalCost > least - totalError) || !(totalCost < least + 2 * blur + totalError);
    printf("transport: PE %d, %d iterations, blur %.4f, cost %.6f, least %.6f, row error %.1e, "
           "%.1f ms, %s\n",
           me, steps, blur, totalCost, least, totalError, nowMs() - began, bad ? "FAILED" : "ok");
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
