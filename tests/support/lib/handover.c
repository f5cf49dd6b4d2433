/*
 * How far apart two processors are, again and again while other programs run on them: prints what a
 * hand-over of a cache line and back takes, in ns, every so many ms, until it is killed or its
 * parent ends; -1 where the two did not meet. Virtual processors move: at times they share a cache,
 * at times they do not, and then everything that they do together takes longer. handover.py says
 * what it means. With the right to real-time priority it takes less than 0.2 % of a processor.
 *
 *   handover PROCESSOR PROCESSOR MILLISECONDS
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { ROUNDS = 64, LOOKS = 256, PATIENCE_NS = 2000000, PRIORITY = 50 };

struct side {
    int processor;
    bool first;
};

static _Alignas(128) _Atomic int64_t turn;
static int64_t begin, period;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t at)
{
    struct timespec t = {at / 1000000000, at % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* False: the other one has not come. */
static bool await(int64_t wanted, int64_t end)
{
    for (int looks = 1; atomic_load(&turn) != wanted; looks++)
        if (looks % LOOKS == 0 && now_ns() > end)
            return false;
    return true;
}

/* What a round trip takes, in ns; -1: the two have not met. The first one is not timed, since one
 * of them comes later. */
static double meet(bool first, int64_t from, int64_t end)
{
    int64_t started = 0;
    for (int i = 0; i <= ROUNDS; i++) {
        int64_t mine = from + 2 * i + !first;
        if (i == 1)
            started = now_ns();
        if (!first && !await(mine, end))
            return -1;
        atomic_store(&turn, mine + 1);
        if (first && !await(mine + 2, end))
            return -1;
    }
    return (double)(now_ns() - started) / ROUNDS;
}

/* Without the right to real-time priority the two meet less often. */
static void settle(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("handover: sched_setaffinity");
        exit(1);
    }
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = PRIORITY});
}

static void *sample(void *argument)
{
    const struct side *side = argument;
    settle(side->processor);
    for (int64_t i = 0;; i++) {
        int64_t at = begin + i * period;
        sleep_until(at);
        double time = meet(side->first, (2 * ROUNDS + 4) * i, at + PATIENCE_NS);
        if (side->first && (printf("%.0f\n", time) < 0 || fflush(stdout) != 0))
            exit(1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4 || atoi(argv[3]) < 1) {
        fputs("Usage: handover PROCESSOR PROCESSOR MILLISECONDS\n", stderr);
        return 2;
    }
    struct side sides[] = {{atoi(argv[1]), true}, {atoi(argv[2]), false}};
    pthread_t other;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    period = (int64_t)atoi(argv[3]) * 1000000;
    begin = now_ns() + period;
    int error = pthread_create(&other, NULL, sample, &sides[1]);
    if (error != 0) {
        fprintf(stderr, "handover: pthread_create: error %d\n", error);
        return 1;
    }
    sample(&sides[0]);
}
