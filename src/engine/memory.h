/*
 * Texts without which the engine cannot go on, and the memory for them. Any PE, alone.
 */
#ifndef SKAMPI_ENGINE_MEMORY_H
#define SKAMPI_ENGINE_MEMORY_H

#include <stdarg.h>

#include "base/memory.h"

/* As printf() has it; the caller frees it. */
__attribute__((format(printf, 1, 2))) char *format_text(const char *format, ...);
__attribute__((format(printf, 1, 0))) char *format_text_with(const char *format, va_list arguments);

#endif
