/*
 * Preloaded: counts the calls of put, get and their strided relatives that a program makes itself,
 * by routine and number of elements (of putmem and getmem: bytes), and calls of long_p. Each call
 * of int_atomic_fetch_inc after others ends a line of the file SKAMPI_COUNTS.PE:
 *
 *   iput64/5=12 long_p/1=4
 *
 * What goes to the first block of shmem_align is left out: skampi talks to itself there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 256

static struct counted {
    const char *routine;
    size_t elements;
    long calls;
} counted[MOST];
static int kinds;
static int depth; /* the library calls its own public names */
static const char *own, *own_end;

static void count(const char *routine, size_t elements, const void *symmetric)
{
    const char *address = symmetric;
    if (depth > 1 || (address >= own && address < own_end))
        return;
    int i = 0;
    while (i < kinds &&
           (strcmp(counted[i].routine, routine) != 0 || counted[i].elements != elements))
        i++;
    if (i == MOST)
        abort();
    if (i == kinds)
        counted[kinds++] = (struct counted){routine, elements, 0};
    counted[i].calls++;
}

static void end_line(void)
{
    static FILE *file;
    char path[4096];
    if (kinds == 0)
        return;
    if (!file) {
        snprintf(path, sizeof path, "%s.%d", getenv("SKAMPI_COUNTS"), shmem_my_pe());
        file = fopen(path, "w");
    }
    for (int i = 0; i < kinds; i++)
        fprintf(file, "%s%s/%zu=%ld", i ? " " : "", counted[i].routine, counted[i].elements,
                counted[i].calls);
    fprintf(file, "\n");
    fflush(file);
    kinds = 0;
}

#define REAL(type, name, parameters)                                                               \
    static type(*real) parameters;                                                                 \
    if (!real) {                                                                                   \
        void *symbol = dlsym(RTLD_NEXT, "shmem_" name);                                            \
        memcpy(&real, &symbol, sizeof real);                                                       \
    }

#define COUNTED(name, n, symmetric, parameters, arguments)                                         \
    void shmem_##name parameters                                                                   \
    {                                                                                              \
        REAL(void, #name, parameters)                                                              \
        depth++;                                                                                   \
        count(#name, n, symmetric);                                                                \
        real arguments;                                                                            \
        depth--;                                                                                   \
    }
#define BLOCK(name, side)                                                                          \
    COUNTED(name, n, side, (void *target, const void *source, size_t n, int pe),                   \
            (target, source, n, pe))
#define STRIDED(name, side)                                                                        \
    COUNTED(name, n, side,                                                                         \
            (void *target, const void *source, ptrdiff_t to, ptrdiff_t from, size_t n, int pe),    \
            (target, source, to, from, n, pe))
#define SIZED(bits)                                                                                \
    BLOCK(put##bits, target)                                                                       \
    BLOCK(get##bits, source)                                                                       \
    STRIDED(iput##bits, target)                                                                    \
    STRIDED(iget##bits, source)

/* Lists of macros and what follows them are not C to clang-format. */
/* clang-format off */
SIZED(8) SIZED(16) SIZED(32) SIZED(64) SIZED(128)
BLOCK(putmem, target)
BLOCK(getmem, source)
COUNTED(long_p, 1, target, (long *target, long value, int pe), (target, value, pe))

        void *shmem_align(size_t alignment, size_t bytes)
{
    REAL(void *, "align", (size_t, size_t))
    depth++;
    char *block = real(alignment, bytes);
    depth--;
    if (!own && depth == 0) {
        own = block;
        own_end = block + bytes;
    }
    return block;
}

int shmem_int_atomic_fetch_inc(int *target, int pe)
{
    REAL(int, "int_atomic_fetch_inc", (int *, int))
    end_line();
    depth++;
    int value = real(target, pe);
    depth--;
    return value;
}
