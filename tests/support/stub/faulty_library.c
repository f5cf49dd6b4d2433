/*
 * Preloaded: an OpenSHMEM whose locks, barriers, completion or allocations are wrong in the way
 * that SKAMPI_FAULT names, so that tests see whether the measurement functions notice. What frees
 * or clears sees to it that the library underneath stays whole.
 */
#define _GNU_SOURCE
#include "preloaded.h"

#include <shmem.h>

/* ---- Locks ---- */

#define MOST_LOCKS 64

static volatile long *pretended[MOST_LOCKS]; /* said to be acquired, but not so */

static void pretend(volatile long *lock)
{
    for (int i = 0; i < MOST_LOCKS; i++)
        if (!pretended[i] || pretended[i] == lock) {
            pretended[i] = lock;
            return;
        }
}

static bool was_pretended(volatile long *lock)
{
    for (int i = 0; i < MOST_LOCKS; i++)
        if (pretended[i] == lock) {
            pretended[i] = NULL;
            return true;
        }
    return false;
}

void shmem_set_lock(volatile long *lock)
{
    REAL(void, "shmem_set_lock", (volatile long *));
    if (!fault("set_lock excludes nobody"))
        real(lock);
}

void shmem_clear_lock(volatile long *lock)
{
    REAL(void, "shmem_clear_lock", (volatile long *));
    if (!fault("set_lock excludes nobody") && !was_pretended(lock))
        real(lock);
}

int shmem_test_lock(volatile long *lock)
{
    REAL(int, "shmem_test_lock", (volatile long *));
    if (fault("test_lock never acquires"))
        return 1;
    int held = real(lock);
    if (!held || !fault("test_lock always acquires"))
        return held;
    pretend(lock);
    return 0;
}

/* ---- Barriers ---- */

/* Only calls by skampi itself, and not the one by which it starts, which nothing can replace. */
static bool returns_at_once(const char *name, const void *caller)
{
    static long calls;
    const char *chosen = getenv("SKAMPI_FAULT");
    size_t length = strlen(name);
    Dl_info from;
    if (!dladdr(caller, &from) || !from.dli_fname || strstr(from.dli_fname, ".so"))
        return false;
    return calls++ > 0 && chosen && strncmp(chosen, name, length) == 0 &&
           strcmp(chosen + length, " synchronizes nobody") == 0;
}

#define RETURNS_AT_ONCE(name, parameters, arguments)                                               \
    void name parameters                                                                           \
    {                                                                                              \
        REAL(void, #name, parameters);                                                             \
        if (!returns_at_once(#name, __builtin_return_address(0)))                                  \
            real arguments;                                                                        \
    }

RETURNS_AT_ONCE(shmem_barrier_all, (void), ())
RETURNS_AT_ONCE(shmem_sync_all, (void), ())
RETURNS_AT_ONCE(shmem_barrier, (int start, int stride, int size, long *sync),
                (start, stride, size, sync))
RETURNS_AT_ONCE(shmem_sync, (int start, int stride, int size, long *sync),
                (start, stride, size, sync))

/* ---- Completion ---- */

#define MOST_LATE 64

static struct late {
    void *target;
    const void *source;
    size_t bytes;
    int pe;
} late[MOST_LATE];
static int late_count;

void shmem_putmem_nbi(void *target, const void *source, size_t bytes, int pe)
{
    REAL(void, "shmem_putmem_nbi", (void *, const void *, size_t, int));
    bool is_late = fault("quiet completes nothing") || fault("fence orders nothing");
    if (is_late && late_count < MOST_LATE)
        late[late_count++] = (struct late){target, source, bytes, pe};
    else
        real(target, source, bytes, pe);
}

void shmem_quiet(void)
{
    REAL(void, "shmem_quiet", (void));
    for (int i = 0; i < late_count && !fault("quiet completes nothing"); i++)
        shmem_putmem(late[i].target, late[i].source, late[i].bytes, late[i].pe);
    late_count = 0;
    real();
}

/* ---- Memory ---- */

#define SHIFT 8

static long allocations;
static void *shifted; /* the only block that is not where it really begins */

void *shmem_malloc(size_t size)
{
    REAL(void *, "shmem_malloc", (size_t));
    if (fault("memory runs out") && ++allocations > 5)
        return NULL;
    unsigned char *block = real(size + SHIFT);
    if (!fault("malloc is not symmetric") || shmem_my_pe() != 1)
        return block;
    return shifted = block + SHIFT;
}

void *shmem_calloc(size_t count, size_t size)
{
    REAL(void *, "shmem_calloc", (size_t, size_t));
    unsigned char *block = real(count, size);
    if (block && fault("calloc leaves a byte"))
        block[count * size - 1] = 1;
    return block;
}

void *shmem_align(size_t alignment, size_t size)
{
    REAL(void *, "shmem_align", (size_t, size_t));
    unsigned char *block = real(alignment, size + SHIFT);
    if (!block || size > 1000 || !fault("align is off"))
        return block; /* what is larger is the engine's own */
    return shifted = block + SHIFT;
}

void *shmem_realloc(void *block, size_t size)
{
    REAL(void *, "shmem_realloc", (void *, size_t));
    unsigned char *larger = real(block, size);
    if (larger && fault("realloc forgets"))
        memset(larger, 0, size);
    return larger;
}

void shmem_free(void *block)
{
    REAL(void, "shmem_free", (void *));
    if (block && block == shifted) {
        block = (unsigned char *)block - SHIFT;
        shifted = NULL;
    }
    real(block);
}
