/* Lets allocations and writes of the tracer fail. FAULT_CALL is malloc or pwritev, FAULT_HOW what a
 * write does (interrupt, short, full), FAULT_AT and FAULT_TO which calls, from 1 on, FAULT_PE on
 * which PE. FAULT_COUNT: a file to which one line for each allocation is written, the same for
 * those that the same calls of functions led to. */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static ElfW(Addr) first, behind;
static long allocations, writes;
enum { MOST_PATHS = 10000, DEPTH = 24 };
static unsigned long paths[MOST_PATHS];

static int look(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(object->dlpi_name, "libshmemtrace.so"))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
            first = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
            behind = first + object->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

/* What gcov allocates from then on, in the tracer's library, is not the tracer's. */
static void forget(void)
{
    first = behind = 0;
}

__attribute__((constructor)) static void find(void)
{
    dl_iterate_phdr(look, NULL);
    atexit(forget);
    backtrace((void *[1]){NULL}, 1); /* allocates when it is called for the first time */
}

static int is_tracer(const void *address)
{
    return (ElfW(Addr))address >= first && (ElfW(Addr))address < behind;
}

/* The functions of the tracer that have called each other, as a number. */
static unsigned long path(void)
{
    void *frames[DEPTH];
    int count = backtrace(frames, DEPTH);
    unsigned long number = 0;
    for (int i = 0; i < count; i++)
        if (is_tracer(frames[i]))
            number = number * 1000003 + ((ElfW(Addr))frames[i] - first);
    return number;
}

static long from_environment(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static int is_hit(const char *call, const void *caller, long *count)
{
    const char *wanted = getenv("FAULT_CALL");
    if (!is_tracer(caller))
        return 0;
    long number = ++*count, at = from_environment("FAULT_AT", 0);
    if (count == &allocations && number <= MOST_PATHS && getenv("FAULT_COUNT"))
        paths[number - 1] = path();
    return wanted && strcmp(wanted, call) == 0 && number >= at &&
           number <= from_environment("FAULT_TO", at) &&
           from_environment("OMPI_COMM_WORLD_RANK", 0) == from_environment("FAULT_PE", 0);
}

void *malloc(size_t bytes)
{
    return is_hit("malloc", __builtin_return_address(0), &allocations) ? NULL
                                                                       : __libc_malloc(bytes);
}
void *calloc(size_t count, size_t size)
{
    return is_hit("malloc", __builtin_return_address(0), &allocations) ? NULL
                                                                       : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t bytes)
{
    return is_hit("malloc", __builtin_return_address(0), &allocations)
               ? NULL
               : __libc_realloc(memory, bytes);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at)
{
    const char *how = getenv("FAULT_HOW");
    if (is_hit("pwritev", __builtin_return_address(0), &writes) && how) {
        if (strcmp(how, "short") == 0)
            return pwrite(file, parts[0].iov_base, (parts[0].iov_len + 1) / 2, at);
        errno = strcmp(how, "interrupt") == 0 ? EINTR : strcmp(how, "full") == 0 ? ENOSPC : EIO;
        return -1;
    }
    ssize_t all = 0;
    for (int i = 0; i < count; i++) {
        ssize_t done = pwrite(file, parts[i].iov_base, parts[i].iov_len, at + all);
        if (done < 0)
            return all ? all : -1;
        all += done;
        if (done < (ssize_t)parts[i].iov_len)
            break;
    }
    return all;
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off_t at)
    __attribute__((alias("pwritev")));

__attribute__((destructor)) static void tell(void)
{
    const char *name = getenv("FAULT_COUNT");
    if (!name || allocations == 0 ||
        from_environment("OMPI_COMM_WORLD_RANK", 0) != from_environment("FAULT_PE", 0))
        return;
    FILE *file = fopen(name, "w");
    if (!file)
        return;
    for (long i = 0; i < allocations && i < MOST_PATHS; i++)
        fprintf(file, "%lx\n", paths[i]);
    fclose(file);
}
