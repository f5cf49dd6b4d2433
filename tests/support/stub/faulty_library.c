/*
 * Preloaded: an OpenSHMEM whose locks or allocations are wrong in the way that SKAMPI_FAULT names,
 * so that tests see whether the measurement functions notice. What frees or clears sees to it that
 * the library underneath stays whole.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REAL(type, name, parameters)                                                               \
    static type(*real) parameters;                                                                 \
    if (!real) {                                                                                   \
        void *symbol = dlsym(RTLD_NEXT, name);                                                     \
        memcpy(&real, &symbol, sizeof real);                                                       \
    }

static bool fault(const char *name)
{
    const char *chosen = getenv("SKAMPI_FAULT");
    return chosen && strcmp(chosen, name) == 0;
}

/* ---- Locks ---- */

#define MOST_LOCKS 64

static volatile long *pretended[MOST_LOCKS]; /* said to be acquired, but not so */
static bool inside;                          /* between set_lock and clear_lock */

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
    inside = true;
    if (!fault("set_lock excludes nobody"))
        real(lock);
}

void shmem_clear_lock(volatile long *lock)
{
    REAL(void, "shmem_clear_lock", (volatile long *));
    inside = false;
    if (!fault("set_lock excludes nobody") && !was_pretended(lock))
        real(lock);
}

/* Without exclusion, all read before anybody writes. */
void shmem_long_p(long *target, long value, int pe)
{
    REAL(void, "shmem_long_p", (long *, long, int));
    if (inside && fault("set_lock excludes nobody"))
        shmem_barrier_all();
    real(target, value, pe);
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
