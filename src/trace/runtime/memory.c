/* What base/memory.h promises, inside an application: memory that is never NULL. If the
 * application's memory is used up, a reserve serves, so that the tracer neither ends the program
 * nor leaves other PEs waiting for this one. Large memory, and memory that the tracer can do
 * without, is allocated by malloc() and checked. */
#include "base/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/runtime/tracer.h"

/* Lists of all PEs at 100,000 of them, several times. Pages that are not used cost nothing. */
#define RESERVE_BYTES ((size_t)8 << 20)
#define GRAIN 16

static _Alignas(GRAIN) unsigned char reserve[RESERVE_BYTES];
static atomic_size_t used;

/* Before each piece. */
struct piece {
    _Alignas(GRAIN) size_t bytes; /* whole grains */
};

static void *take(size_t bytes)
{
    size_t whole = bytes <= RESERVE_BYTES ? (bytes + GRAIN - 1) / GRAIN * GRAIN : RESERVE_BYTES;
    size_t all = sizeof(struct piece) + whole, at = atomic_fetch_add(&used, all);
    if (at + all > RESERVE_BYTES) {
        atomic_fetch_sub(&used, all);
        return NULL;
    }
    struct piece *piece = (struct piece *)(void *)(reserve + at);
    piece->bytes = whole;
    return piece + 1;
}

static bool is_taken(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)reserve < RESERVE_BYTES;
}

void __real_free(void *memory);

/* Replaces free() in all of this library (by the linker's --wrap). Of the reserve, only the last
 * piece can be used again. */
void __wrap_free(void *memory)
{
    if (!is_taken(memory)) {
        __real_free(memory);
        return;
    }
    const struct piece *piece = (const struct piece *)memory - 1;
    size_t begin = (size_t)((const unsigned char *)piece - reserve);
    size_t end = begin + sizeof *piece + piece->bytes;
    atomic_compare_exchange_strong(&used, &end, begin);
}

void memory_exhausted_at(size_t bytes, const char *file, int line)
{
    tracer_say("out of memory, and the reserve is used up: %zu bytes at %s:%d", bytes, file, line);
    _exit(1);
}

void memory_on_exhausted(void (*handler)(const char *text))
{
    (void)handler; /* there is one way only */
}

static void *checked(void *memory, size_t bytes, const char *file, int line)
{
    void *found = memory ? memory : take(bytes);
    if (!found)
        memory_exhausted_at(bytes, file, line);
    return found;
}

/* The product, at least 1; SIZE_MAX if it is too large for a number. */
static size_t bytes_of(size_t count, size_t size)
{
    if (count == 0 || size == 0)
        return 1;
    return count <= SIZE_MAX / size ? count * size : SIZE_MAX;
}

void *memory_resize_at(void *memory, size_t count, size_t size, const char *file, int line)
{
    size_t bytes = bytes_of(count, size);
    void *grown = is_taken(memory) ? malloc(bytes) : realloc(memory, bytes);
    if (grown && !is_taken(memory))
        return grown;
    grown = checked(grown, bytes, file, line);
    size_t before = !memory            ? 0
                    : is_taken(memory) ? ((struct piece *)memory - 1)->bytes
                                       : malloc_usable_size(memory);
    memcpy(grown, memory ? memory : "", before < bytes ? before : bytes);
    __wrap_free(memory);
    return grown;
}

void *memory_zeroed_at(size_t count, size_t size, const char *file, int line)
{
    size_t bytes = bytes_of(count, size);
    return memset(checked(malloc(bytes), bytes, file, line), 0, bytes);
}

void *memory_large_at(size_t count, size_t size, const char *file, int line)
{
    size_t bytes = bytes_of(count, size);
    return checked(malloc(bytes), bytes, file, line);
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
    if (!stream)
        memory_exhausted_at(0, file, line);
    return stream;
}
