/*
 * Memory and texts without which the engine cannot go on: where there is no memory for them the job
 * ends. Any PE, alone.
 */
#ifndef SKAMPI_ENGINE_MEMORY_H
#define SKAMPI_ENGINE_MEMORY_H

#include <stdarg.h>

/* What an allocation gave, which is not NULL. */
void *must(void *memory);

/* As printf() has it; the caller frees it. */
__attribute__((format(printf, 1, 2))) char *format_text(const char *format, ...);
__attribute__((format(printf, 1, 0))) char *format_text_with(const char *format, va_list arguments);

#endif
