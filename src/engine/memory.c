#define _GNU_SOURCE /* vasprintf */
#include "engine/memory.h"

#include <stdio.h>

#include "comm/comm.h"

void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "skampi: error: out of memory\n");
        comm_abort(1); /* as after any error of its own */
    }
    return memory;
}

char *format_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text_with(format, arguments);
    va_end(arguments);
    return text;
}

char *format_text_with(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        text = must(NULL);
    return text;
}
