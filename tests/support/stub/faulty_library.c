/*
 * Preloaded: an OpenSHMEM whose locks, barriers, collectives, completion, allocations or end are
 * wrong in the way that SKAMPI_FAULT names, so that tests see whether the measurement functions
 * notice. What frees or clears sees to it that the library underneath stays whole.
 */
#define _GNU_SOURCE
#include "preloaded.h"

#include <signal.h>
#include <unistd.h>

#include <shmem.h>

/* Calls before a lock that is given twice, or a collective that never returns: the timed part. */
#define SOUND_LOCKS 200
#define SOUND_CALLS 20

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
    static long calls;
    calls++;
    if (fault("set_lock excludes nobody once") && calls == SOUND_LOCKS)
        pretend(lock);
    else if (!fault("set_lock excludes nobody"))
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
static int late_before; /* of them, those that the quiet before has left */

void shmem_putmem_nbi(void *target, const void *source, size_t bytes, int pe)
{
    REAL(void, "shmem_putmem_nbi", (void *, const void *, size_t, int));
    bool is_late = fault("quiet completes nothing") || fault("fence orders nothing") ||
                   fault("quiet completes late");
    if (is_late && late_count < MOST_LATE)
        late[late_count++] = (struct late){target, source, bytes, pe};
    else
        real(target, source, bytes, pe);
}

/* What comes late to this PE's own memory: the result of a collective that has returned. */
static unsigned char *arriving, *arrives_at;
static size_t arriving_bytes;

static void let_arrive(void)
{
    if (arriving)
        memcpy(arrives_at, arriving, arriving_bytes);
    free(arriving);
    arriving = NULL;
}

void shmem_quiet(void)
{
    REAL(void, "shmem_quiet", (void));
    int due = fault("quiet completes late") ? late_before : late_count;
    let_arrive();
    for (int i = 0; i < due && !fault("quiet completes nothing"); i++)
        shmem_putmem(late[i].target, late[i].source, late[i].bytes, late[i].pe);
    late_before = late_count -= due;
    memmove(late, late + due, (size_t)late_count * sizeof *late);
    real();
}

/* ---- Collectives ---- */

/* Takes back what has come to the target, until the next quiet. */
static void delay(unsigned char *target, const unsigned char *before, size_t bytes)
{
    arriving = malloc(bytes);
    arrives_at = target;
    arriving_bytes = bytes;
    memcpy(arriving, target, bytes);
    memcpy(target, before, bytes);
}

#define COLLECTIVE(name, parameters, arguments, bytes)                                             \
    void name parameters                                                                           \
    {                                                                                              \
        REAL(void, #name, parameters);                                                             \
        static long calls;                                                                         \
        let_arrive();                                                                              \
        while (fault(#name " never returns") && ++calls > SOUND_CALLS && shmem_my_pe() == 1)       \
            pause();                                                                               \
        unsigned char *before = malloc(bytes);                                                     \
        memcpy(before, target, bytes);                                                             \
        real arguments;                                                                            \
        if (fault(#name " returns early"))                                                         \
            delay((unsigned char *)target, before, bytes);                                         \
        free(before);                                                                              \
    }

COLLECTIVE(shmem_broadcast32,
           (void *target, const void *source, size_t elements, int root, int start, int stride,
            int size, long *sync),
           (target, source, elements, root, start, stride, size, sync), 4 * elements)
COLLECTIVE(shmem_int_sum_to_all,
           (int *target, const int *source, int elements, int start, int stride, int size,
            int *work, long *sync),
           (target, source, elements, start, stride, size, work, sync),
           sizeof(int) * (size_t)elements)

/* ---- The end ---- */

void shmem_finalize(void)
{
    REAL(void, "shmem_finalize", (void));
    if (fault("finalize crashes") && shmem_my_pe() == 1)
        raise(SIGSEGV);
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
