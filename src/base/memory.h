/*
 * Memory without which nobody can go on: where there is none the job ends, in one way, whoever
 * asked. Any thread.
 */
#ifndef SKAMPI_BASE_MEMORY_H
#define SKAMPI_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* must(CALL) is the call, of malloc(), calloc(), realloc(), strdup(), strndup(), open_memstream()
 * or fmemopen(), but never gives NULL; must(NULL) is for calls that say otherwise that they had
 * none. No bytes are as good as one. */
#define must(call) must_##call

#define must_malloc(bytes) memory_resized(NULL, bytes, MEMORY_PLACE)
#define must_calloc(count, size) memory_cleared(count, size, MEMORY_PLACE)
#define must_realloc(memory, bytes) memory_resized(memory, bytes, MEMORY_PLACE)
#define must_strdup(text) memory_text(text, (size_t)-1, MEMORY_PLACE)
#define must_strndup(text, most) memory_text(text, most, MEMORY_PLACE)
#define must_open_memstream(text, length) memory_stream(open_memstream(text, length), MEMORY_PLACE)
#define must_fmemopen(memory, bytes, mode)                                                         \
    memory_stream(fmemopen(memory, bytes, mode), MEMORY_PLACE)
#define must_NULL memory_exhausted(0, MEMORY_PLACE)

#define MEMORY_PLACE __FILE__, __LINE__
void *memory_resized(void *memory, size_t bytes, const char *file, int line);
void *memory_cleared(size_t count, size_t size, const char *file, int line);
char *memory_text(const char *text, size_t most, const char *file, int line);
FILE *memory_stream(FILE *stream, const char *file, int line);
/* bytes 0: it is not known how many. */
_Noreturn void memory_exhausted(size_t bytes, const char *file, int line);

/* What ends the job with this text, which says how much memory there is not, and where in the
 * program; it can have no memory itself. Default: the text on standard error, and status 1. */
void memory_on_exhausted(void (*handler)(const char *text));

#endif
