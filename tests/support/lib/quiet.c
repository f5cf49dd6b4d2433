/*
 * How much else this processor does: prints, after a fifth of a second, three numbers, the share of
 * time that was taken away in pieces of more than 1 us, the spread (10th to 90th percentile) of the
 * time of one reading of the clock in ns, and that of a piece of work as a share of its median.
 * One copy a processor at a time; quiet.py says what is quiet.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLICES = 300, READINGS = 4000, WORK = 200000 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double spread(double *x)
{
    qsort(x, SLICES, sizeof x[0], compare);
    return x[SLICES * 9 / 10] - x[SLICES / 10];
}

int main(int argc, char **argv)
{
    static double reading[SLICES], work[SLICES];
    int64_t begin = now_ns(), lost = 0;
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &cpu);
    if (sched_setaffinity(0, sizeof cpu, &cpu) != 0) {
        perror("sched_setaffinity");
        return 1;
    }
    for (int i = 0; i < SLICES; i++) {
        int64_t first = now_ns(), last = first, gone = 0;
        for (int j = 0; j < READINGS; j++) {
            int64_t next = now_ns();
            if (next - last > 1000)
                gone += next - last;
            last = next;
        }
        reading[i] = (double)(last - first - gone) / READINGS;
        volatile uint64_t x = 1;
        for (int j = 0; j < WORK; j++)
            x = x * 5 + 1;
        work[i] = (double)(now_ns() - last);
        lost += gone;
    }
    double share = (double)lost / (double)(now_ns() - begin), readings = spread(reading);
    double works = spread(work);
    printf("%.4f %.2f %.4f\n", share, readings, works / work[SLICES / 2]);
    return 0;
}
