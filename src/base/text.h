/*
 * Text that grows by appending, and memory that is never NULL: running out of it ends the process.
 * Any PE.
 */
#ifndef SKAMPI_BASE_TEXT_H
#define SKAMPI_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *data; /* NUL-terminated once something was appended */
    size_t length, capacity;
};

void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_append_bytes(struct text *text, const char *bytes, size_t count);

/* The text as one allocated string that the caller frees; the text is empty afterwards. */
char *text_take(struct text *text);
void text_release(struct text *text);

/* One formatted string that the caller frees. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Control characters become '?', all or all but newlines: what a script's strings hold must neither
 * break the lines of an output nor reach a terminal. */
void text_disarm(char *text, bool newlines_too);

/* As malloc() and calloc(); freed with free(). */
void *memory_allocate(size_t bytes);
void *memory_zeroed(size_t count, size_t bytes);

#endif
