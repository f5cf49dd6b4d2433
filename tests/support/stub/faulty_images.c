/*
 * Preloaded: an OpenSHMEM that is late or wrong in the way that SKAMPI_FAULT names, for what a
 * runtime of Coarray Fortran does.
 *
 *   late puts        is no fault: data arrive with the next quiet, fence or barrier, not before
 *   late quiet       ... with the next put, fence or barrier: a quiet completes nothing
 *   atomics succeed  swap and compare-and-swap say what whoever calls them hopes for, and do
 * nothing add is lost      fetch-and-add now and then does nothing malloc repeats   gives the same
 * block twice
 */
#define _GNU_SOURCE
#include "preloaded.h"

#include <shmem.h>

/* ---- Puts that are late ---- */

#define MOST_LATE 64

static struct late {
    void *target, *data;
    size_t bytes;
    int pe;
} late[MOST_LATE];
static int late_count;

static void real_put(void *target, const void *source, size_t bytes, int pe)
{
    REAL(void, "shmem_putmem", (void *, const void *, size_t, int));
    real(target, source, bytes, pe);
}

static void arrive(void)
{
    int count = late_count;
    late_count = 0;
    for (int i = 0; i < count; i++) {
        real_put(late[i].target, late[i].data, late[i].bytes, late[i].pe);
        free(late[i].data);
    }
}

void shmem_putmem(void *target, const void *source, size_t bytes, int pe)
{
    if (!fault("late puts") && !fault("late quiet")) {
        real_put(target, source, bytes, pe);
        return;
    }
    if (late_count == MOST_LATE || fault("late quiet"))
        arrive();
    void *data = malloc(bytes + 1);
    memcpy(data, source, bytes);
    late[late_count++] = (struct late){target, data, bytes, pe};
}

#define COMPLETES(name)                                                                            \
    void name(void)                                                                                \
    {                                                                                              \
        REAL(void, #name, (void));                                                                 \
        arrive();                                                                                  \
        real();                                                                                    \
    }

COMPLETES(shmem_fence)
COMPLETES(shmem_barrier_all)

void shmem_quiet(void)
{
    REAL(void, "shmem_quiet", (void));
    if (!fault("late quiet"))
        arrive();
    real();
}

/* ---- Atomics ---- */

long shmem_long_atomic_swap(long *target, long value, int pe)
{
    REAL(long, "shmem_long_atomic_swap", (long *, long, int));
    return fault("atomics succeed") ? 0 : real(target, value, pe);
}

long shmem_long_atomic_compare_swap(long *target, long wanted, long value, int pe)
{
    REAL(long, "shmem_long_atomic_compare_swap", (long *, long, long, int));
    return fault("atomics succeed") ? wanted : real(target, wanted, value, pe);
}

long shmem_long_atomic_fetch_add(long *target, long value, int pe)
{
    REAL(long, "shmem_long_atomic_fetch_add", (long *, long, int));
    static int calls;
    return real(target, fault("add is lost") && ++calls % 10 == 0 ? 0 : value, pe);
}

/* ---- Memory ---- */

#define SMALL 4096 /* what is larger is the engine's own */

static void *given_twice;
static int calls_of_malloc;

void *shmem_malloc(size_t size)
{
    REAL(void *, "shmem_malloc", (size_t));
    static void *last;
    static size_t last_size;
    if (!fault("malloc repeats") || size > SMALL)
        return real(size);
    if (!given_twice && last && size <= last_size && ++calls_of_malloc % 3 == 0) {
        shmem_barrier_all();
        return given_twice = last;
    }
    last_size = size;
    return last = real(size);
}

void shmem_free(void *block)
{
    REAL(void, "shmem_free", (void *));
    if (block && block == given_twice) {
        given_twice = NULL;
        return;
    }
    real(block);
}
