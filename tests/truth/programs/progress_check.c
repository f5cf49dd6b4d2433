/*
 * How long a get takes while its target is outside the library for the given number of
 * milliseconds, on PE 0: "target_away NANOSECONDS".
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
    int64_t away = (argc > 1 ? atoll(argv[1]) : 30) * 1000000;
    shmem_init();
    long *word = shmem_malloc(sizeof *word);
    *word = 0;
    /* Connections are made at the first use. */
    shmem_long_g(word, 1 - shmem_my_pe());
    shmem_barrier_all();
    int64_t start = now_ns();
    if (shmem_my_pe() == 0) {
        while (now_ns() < start + away / 10) {
        }
        start = now_ns();
        shmem_long_g(word, 1);
        printf("target_away %lld\n", (long long)(now_ns() - start));
        fflush(stdout);
    } else {
        while (now_ns() < start + away) {
        }
    }
    shmem_barrier_all();
    shmem_global_exit(0);
}
