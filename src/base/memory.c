/* Memory that is never NULL: what the macros of the header call. */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STATUS_INTERNAL 1
#define LARGE_PAGE ((size_t)2 * 1024 * 1024)

static void (*on_exhausted)(const char *text);

void memory_on_exhausted(void (*handler)(const char *text))
{
    on_exhausted = handler;
}

void memory_exhausted_at(size_t bytes, const char *file, int line)
{
    char text[256], amount[48] = "";
    if (bytes > 0)
        snprintf(amount, sizeof amount, ": %zu bytes", bytes);
    snprintf(text, sizeof text, "out of memory%s at %s:%d", amount, file, line);
    if (on_exhausted)
        on_exhausted(text);
    fprintf(stderr, "skampi: error: %s\n", text);
    _Exit(STATUS_INTERNAL);
}

static void *checked(void *memory, size_t bytes, const char *file, int line)
{
    if (!memory)
        memory_exhausted_at(bytes, file, line);
    return memory;
}

/* The product, but at least 1, since malloc(0) may return NULL. SIZE_MAX, which no memory has,
 * where it does not fit into a size_t. */
static size_t bytes_of(size_t count, size_t size)
{
    if (count == 0 || size == 0)
        return 1;
    return count <= SIZE_MAX / size ? count * size : SIZE_MAX;
}

void *memory_resize_at(void *memory, size_t count, size_t size, const char *file, int line)
{
    size_t bytes = bytes_of(count, size);
    return checked(realloc(memory, bytes), bytes, file, line);
}

void *memory_zeroed_at(size_t count, size_t size, const char *file, int line)
{
    size_t bytes = bytes_of(count, size);
    return checked(calloc(1, bytes), bytes, file, line);
}

void *memory_extend_at(void *memory, size_t index, size_t *room, size_t size, const char *file,
                       int line)
{
    size_t larger = 2 * index + 16;
    memory = memory_resize_at(memory, larger, size, file, line);
    memset((char *)memory + *room * size, 0, (larger - *room) * size);
    *room = larger;
    return memory;
}

void *memory_large_at(size_t count, size_t size, const char *file, int line)
{
    size_t bytes = bytes_of(count, size);
    if (bytes < LARGE_PAGE)
        return checked(malloc(bytes), bytes, file, line);
    void *memory = NULL;
    if (posix_memalign(&memory, LARGE_PAGE, bytes) != 0)
        memory = NULL;
    checked(memory, bytes, file, line);
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes & ~(LARGE_PAGE - 1), MADV_HUGEPAGE); /* only faster */
#endif
    return memory;
}

char *memory_text_at(const char *text, size_t most, const char *file, int line)
{
    size_t length = strnlen(text, most);
    char *copy = checked(malloc(length + 1), length + 1, file, line);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

FILE *memory_stream_at(FILE *stream, const char *file, int line)
{
    return checked(stream, 0, file, line);
}
