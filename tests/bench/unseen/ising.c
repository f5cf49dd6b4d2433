/*
 * ising.c -- a magnet of spins that keeps its energy (the Q2R automaton)
 *
 * Spins of two colours alternate as on a chessboard.  A spin flips if that
 * does not change the energy: if two of its four neighbours point up.  All
 * spins of a colour flip at once.  PEs have strips of columns; only spins of
 * the colour that has just changed go to the neighbours, by strided puts.
 * Now and then a PE also samples the next strip by strided gets.  Half way
 * time turns round, so everything must come back as it was.
 */
#define _POSIX_C_SOURCE 200809L
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS 20    /* even */
#define COLS 20000 /* of each PE, even */
#define WIDTH (COLS + 2)
#define EVERY 4 /* steps from one sample to the next */
#define SAMPLES (ROWS / 4)

static int spin[ROWS][WIDTH]; /* 0 or 1; the outer columns belong to the neighbours */
static long flag[2];          /* by side: half steps whose spins came from there */
static long energy, total;
static long work[1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE], syncs[2][SHMEM_REDUCE_SYNC_SIZE];
static int me, npes, left, right;
static long halfSteps;

static int startSpin(int row, long col)
{
    unsigned int h = (unsigned int)row * 2654435761u ^ (unsigned int)(col + 17) * 2246822519u;

    h = (h ^ h >> 15) * 3266489917u;
    h = (h ^ h >> 13) * 668265263u;
    return (h >> 11) % 100 < 28;
}

static double nowMs(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void flip(int colour)
{
    int y, x;

    for (y = 0; y < ROWS; y++) {
        const int *above = spin[(y + ROWS - 1) % ROWS], *below = spin[(y + 1) % ROWS];
        int *row = spin[y];
        for (x = 1 + (y + 1 + colour) % 2; x <= COLS; x += 2)
            row[x] ^= above[x] + below[x] + row[x - 1] + row[x + 1] == 2;
    }
}

/* the first row of a column (1 to COLS) with a spin of this colour */
static int firstRow(int column, int colour)
{
    return (column + colour) % 2;
}

/* send the spins of a colour in our outer columns; what comes is complete after receive() */
static void send(int colour)
{
    int first = firstRow(1, colour), last = firstRow(COLS, colour);

    shmem_int_iput(&spin[first][COLS + 1], &spin[first][1], 2 * WIDTH, 2 * WIDTH, ROWS / 2, left);
    shmem_int_iput(&spin[last][0], &spin[last][COLS], 2 * WIDTH, 2 * WIDTH, ROWS / 2, right);
    shmem_fence();
    halfSteps++;
    shmem_long_p(&flag[1], halfSteps, left);
    shmem_long_p(&flag[0], halfSteps, right);
}

static void receive(void)
{
    shmem_long_wait_until(&flag[0], SHMEM_CMP_GE, halfSteps);
    shmem_long_wait_until(&flag[1], SHMEM_CMP_GE, halfSteps);
}

/* correlate a column with spins in the middle of the next strip: those must be of the colour that
   does not change before we send ours */
static long sample(int colour)
{
    int got[SAMPLES], column = COLS / 2, first = firstRow(column, colour), i;
    long sum = 0;

    shmem_int_iget(got, &spin[first][column], 1, 4 * WIDTH, SAMPLES, right);
    for (i = 0; i < SAMPLES; i++)
        sum += (i + 1) * (2 * got[i] - 1) * (2 * spin[first + 4 * i][column] - 1);
    return sum;
}

/* each PE counts the unequal neighbours to the right of and below its spins */
static long ownEnergy(void)
{
    long sum = 0;
    int y, x;

    for (y = 0; y < ROWS; y++) {
        const int *row = spin[y], *below = spin[(y + 1) % ROWS];
        for (x = 1; x <= COLS; x++)
            sum += (row[x] ^ row[x + 1]) + (row[x] ^ below[x]);
    }
    return sum;
}

static long totalEnergy(int which)
{
    energy = ownEnergy();
    shmem_long_sum_to_all(&total, &energy, 1, 0, 0, npes, work, syncs[which % 2]);
    return total;
}

int main(int argc, char *argv[])
{
    int steps = 160, half, s, i, y, x, bad = 0;
    long before, middle, after, changed = 0, there = 0, back = 0, own, least, most;
    double began;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);
    half = steps / 2;

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    left = (me + npes - 1) % npes;
    right = (me + 1) % npes;
    for (i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        syncs[0][i] = syncs[1][i] = SHMEM_SYNC_VALUE;
    for (y = 0; y < ROWS; y++)
        for (x = 0; x < WIDTH; x++)
            spin[y][x] =
                startSpin(y, ((long)me * COLS + x - 1 + (long)npes * COLS) % ((long)npes * COLS));
    shmem_barrier_all();
    began = nowMs();
    before = totalEnergy(0);
    least = most = energy;

    for (s = 0; s < half; s++) {
        flip(0);
        send(0);
        receive();
        flip(1);
        if (s % EVERY == 0)
            there += (s + 1) * sample(0);
        send(1);
        receive();
        own = ownEnergy(); /* energy wanders from strip to strip */
        least = own < least ? own : least;
        most = own > most ? own : most;
    }
    middle = totalEnergy(1);
    for (y = 0; y < ROWS; y++)
        for (x = 1; x <= COLS; x++)
            changed += spin[y][x] != startSpin(y, (long)me * COLS + x - 1);
    /* the last flips first */
    for (s = half - 1; s >= 0; s--) {
        flip(1);
        if (s % EVERY == 0) /* now the other colour is as it was when we went there */
            back += (s + 1) * sample(0);
        send(1);
        receive();
        flip(0);
        send(0);
        receive();
    }

    after = totalEnergy(2);
    bad += there != back || before != middle || before != after || (half > 2 && changed < COLS);
    for (y = 0; y < ROWS; y++)
        for (x = 0; x < WIDTH; x++)
            bad += spin[y][x] != startSpin(y, ((long)me * COLS + x - 1 + (long)npes * COLS) %
                                                  ((long)npes * COLS));
    printf("ising: PE %d, %d steps, energy %ld, here %ld to %ld, %ld flipped, %.1f ms, %s\n", me,
           2 * half, after, least, most, changed, nowMs() - began, bad ? "FAILED" : "ok");
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
