/* Helpers that the families of functions share: refusing arguments, returning arrays. */
#include "ski/builtin_family.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

struct value builtin_refuse(struct builtin_context *context, const char *format, ...)
{
    char message[512];
    va_list list;

    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    context->error = text_format("%s", message);
    return value_void();
}

bool builtin_in_range(struct builtin_context *context, const char *function, int64_t value,
                      int64_t low, int64_t high)
{
    if (value >= low && value <= high)
        return true;
    if (high == INT64_MAX)
        builtin_refuse(context, "%s(): %lld is out of range; it must be at least %lld", function,
                       (long long)value, (long long)low);
    else
        builtin_refuse(context, "%s(): %lld is out of range; allowed is %lld to %lld", function,
                       (long long)value, (long long)low, (long long)high);
    return false;
}

struct value builtin_array(struct builtin_context *context, const char *function,
                           struct int_array *array)
{
    if (array)
        return value_array(array);
    return builtin_refuse(context, "%s(): all arrays together would have more than %d elements",
                          function, INT_ARRAY_LIMIT);
}
