/*
 * Preloaded into skampi: a library whose start or end hangs, or memory that runs out, as
 * SKAMPI_FAULT says. "hang FUNCTION": that function never returns. "memory": from the
 * SKAMPI_FAULT_AT-th request of the program itself (not of its libraries) on, malloc(), calloc()
 * and realloc() give nothing. "heap": its SKAMPI_FAULT_AT-th request of symmetric memory fails;
 * "heap, together": after all PEs have asked for it. "pes NUMBER": so many are said to be there.
 * "boot": another identity of the kernel. "close": closing a file that is called full.json, every
 * time. SKAMPI_FAULT_PE: on this PE alone.
 */
#define _GNU_SOURCE
#include "preloaded.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static bool wrong, memory;
static long at, requests;
static uintptr_t first, last; /* of the program's own code */

static int note_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            first = info->dlpi_addr + part->p_vaddr;
            last = first + part->p_memsz;
        }
    }
    return 1; /* the first is the program */
}

__attribute__((constructor)) static void choose(void)
{
    char program[4096];
    const char *pe = getenv("SKAMPI_FAULT_PE"), *rank = getenv("OMPI_COMM_WORLD_RANK"),
               *number = getenv("SKAMPI_FAULT_AT"), *fault = getenv("SKAMPI_FAULT");
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *name = strrchr(program, '/');
    wrong =
        name && strcmp(name, "/skampi") == 0 && fault && (!pe || (rank && strcmp(pe, rank) == 0));
    at = number ? atol(number) : 1;
    dl_iterate_phdr(note_program, NULL);
    memory = wrong && strcmp(fault, "memory") == 0;
}

static void hang(const char *function)
{
    const char *fault = getenv("SKAMPI_FAULT");
    while (wrong && fault && strncmp(fault, "hang ", 5) == 0 && strcmp(fault + 5, function) == 0)
        pause();
}

#define HANGING(type, name, parameters, call)                                                      \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(type, #name, parameters)                                                              \
        hang(#name);                                                                               \
        real call;                                                                                 \
    }

HANGING(void, shmem_init, (void), ())
HANGING(void, shmem_barrier_all, (void), ())
HANGING(void, shmem_finalize, (void), ())

static bool none(void *caller)
{
    if (!memory || (uintptr_t)caller < first || (uintptr_t)caller >= last ||
        __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED) < at)
        return false;
    errno = ENOMEM;
    return true;
}

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

void *malloc(size_t bytes)
{
    return none(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return none(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return none(__builtin_return_address(0)) ? NULL : __libc_realloc(block, bytes);
}

static bool begins(const char *name)
{
    const char *chosen = getenv("SKAMPI_FAULT");
    return wrong && chosen && strncmp(chosen, name, strlen(name)) == 0;
}

void *shmem_align(size_t alignment, size_t bytes)
{
    REAL(void *, "shmem_align", (size_t, size_t))
    static long asked;
    bool fails = begins("heap") && ++asked == at;
    void *memory = fails && !begins("heap, together") ? NULL : real(alignment, bytes);
    return fails ? NULL : memory;
}

int shmem_n_pes(void)
{
    REAL(int, "shmem_n_pes", (void))
    return begins("pes ") ? atoi(getenv("SKAMPI_FAULT") + strlen("pes ")) : real();
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(FILE *, "fopen", (const char *, const char *))
    bool identity = strcmp(path, "/proc/sys/kernel/random/boot_id") == 0;
    return real(identity && begins("boot") ? "/proc/sys/kernel/random/uuid" : path, mode);
}

int close(int descriptor)
{
    REAL(int, "close", (int))
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = begins("close") ? readlink(link, path, sizeof path - 1) : 0;
    path[length > 0 ? length : 0] = '\0';
    int status = real(descriptor);
    if (!strstr(path, "/full.json"))
        return status;
    errno = EIO;
    return -1;
}
