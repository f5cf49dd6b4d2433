/*
 * Allocation that never returns NULL: if memory runs out, the job ends with one message. Any
 * thread. Callers free what they get with free().
 *
 * The message names the file and line of the call, which is why these are macros. A request
 * for 0 bytes gets one byte.
 */
#ifndef SKAMPI_BASE_MEMORY_H
#define SKAMPI_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* As malloc(), calloc() and realloc(). */
#define memory_allocate(bytes) memory_resize_at(NULL, 1, bytes, __FILE__, __LINE__)
#define memory_zeroed(count, size) memory_zeroed_at(count, size, __FILE__, __LINE__)
#define memory_resize(memory, bytes) memory_resize_at(memory, 1, bytes, __FILE__, __LINE__)
#define memory_resize_array(memory, count, size)                                                   \
    memory_resize_at(memory, count, size, __FILE__, __LINE__)

/* Gives an array room for the element of that index; what is new is zero. room: a pointer to the
 * number of elements for which there is room, a size_t. */
#define memory_extend(array, index, room)                                                          \
    ((size_t)(index) < *(room)                                                                     \
         ? (void)0                                                                                 \
         : (void)((array) =                                                                        \
                      memory_extend_at(array, index, room, sizeof *(array), __FILE__, __LINE__)))

/* The same, and the address of that element. */
#define memory_element(array, index, room) (memory_extend(array, index, room), &(array)[index])

/* Appends an element to an array of `count` elements, which has no room for more. */
#define memory_append(array, count, ...)                                                           \
    ((array) = memory_resize_array(array, (count) + 1, sizeof *(array)),                           \
     (void)((array)[(count)++] = __VA_ARGS__))

/* The same for arrays that grow often: room is as in memory_extend(). */
#define memory_push(array, count, room, ...)                                                       \
    (memory_extend(array, count, room), (void)((array)[(count)++] = __VA_ARGS__))

/* For large tables that are used in no order: in huge pages if the system has them, which saves TLB
 * misses. Not zeroed. */
#define memory_large(count, size) memory_large_at(count, size, __FILE__, __LINE__)

/* As strdup() and strndup(). */
#define memory_text(text) memory_text_at(text, (size_t)-1, __FILE__, __LINE__)
#define memory_text_part(text, most) memory_text_at(text, most, __FILE__, __LINE__)

/* As open_memstream() and fmemopen(). */
#define memory_stream(text, length)                                                                \
    memory_stream_at(open_memstream(text, length), __FILE__, __LINE__)
#define memory_stream_in(memory, bytes, mode)                                                      \
    memory_stream_at(fmemopen(memory, bytes, mode), __FILE__, __LINE__)

/* For callers of functions that report lack of memory in their own way. Does not return. */
#define memory_missing() memory_exhausted_at(0, __FILE__, __LINE__)

void *memory_resize_at(void *memory, size_t count, size_t size, const char *file, int line);
void *memory_zeroed_at(size_t count, size_t size, const char *file, int line);
void *memory_extend_at(void *memory, size_t index, size_t *room, size_t size, const char *file,
                       int line);
void *memory_large_at(size_t count, size_t size, const char *file, int line);
char *memory_text_at(const char *text, size_t most, const char *file, int line);
FILE *memory_stream_at(FILE *stream, const char *file, int line);
/* bytes 0: the amount is unknown. */
_Noreturn void memory_exhausted_at(size_t bytes, const char *file, int line);

/* The handler ends the job with this text: how much memory was asked for, and where in the program.
 * It must not allocate itself. Default: the text on standard error, and status 1. */
void memory_on_exhausted(void (*handler)(const char *text));

#endif
