#include "engine/memory.h"

#include <stdio.h>

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
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        must(NULL);
    char *text = must(malloc((size_t)length + 1));
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}
