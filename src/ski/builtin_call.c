/* What functions take, and what those of the language do with a call: refuse it, return arrays. */
#include "ski/builtin_call.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/text.h"

/* ---- What functions take ---- */

size_t signature_count(const struct signature *signature)
{
    size_t count = 0;

    while (count < MEASUREMENT_MAX_PARAMETERS && signature->types[count] != TYPE_UNKNOWN)
        count++;
    return count;
}

enum value_type signature_type(const struct signature *signature, size_t i)
{
    size_t count = signature_count(signature);

    if (signature->more && i >= count)
        return signature->types[count - 1];
    return i < count ? signature->types[i] : TYPE_UNKNOWN;
}

struct signature signature_of(const struct measurement *function)
{
    struct signature signature = {0};
    size_t count = measurement_parameter_count(function);

    for (size_t i = 0; i < count; i++)
        signature.types[i] = parameter_value_type(&function->parameters[i]);
    signature.optional = count - measurement_required_count(function);
    return signature;
}

/* ---- What they do with a call ---- */

struct value builtin_fail(struct builtin_call *call, char *error)
{
    call->error = error;
    return value_void();
}

struct value builtin_refuse(struct builtin_call *call, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    char *why = text_format_with(format, list);
    va_end(list);
    builtin_fail(call, text_format("%s(): %s", call->builtin->name, why));
    free(why);
    return value_void();
}

bool builtin_in_range(struct builtin_call *call, int64_t value, int64_t low, int64_t high)
{
    if (value >= low && value <= high)
        return true;
    if (high == INT64_MAX)
        builtin_refuse(call, "%lld is out of range; it must be at least %lld", (long long)value,
                       (long long)low);
    else
        builtin_refuse(call, "%lld is out of range; allowed is %lld to %lld", (long long)value,
                       (long long)low, (long long)high);
    return false;
}

bool builtin_has_element(struct builtin_call *call, size_t count)
{
    int64_t i = call->args[1].integer;

    if (i >= 0 && (uint64_t)i < count)
        return true;
    builtin_refuse(call, "there is no element %lld; the array has %zu, counted from 0",
                   (long long)i, count);
    return false;
}

struct value builtin_array(struct builtin_call *call, enum value_type item, int64_t count)
{
    if (!builtin_in_range(call, count, 0, INT_ARRAY_LIMIT))
        return value_void();
    struct value made = value_array(item, (size_t)count);
    if (made.type == TYPE_VOID)
        builtin_refuse(call, ARRAYS_TOO_LARGE, INT_ARRAY_LIMIT);
    return made;
}

struct value builtin_allocate(struct builtin_call *call)
{
    return builtin_array(call, call->builtin->result == TYPE_INT_ARRAY ? TYPE_INT : TYPE_DATATYPE,
                         call->args[0].integer);
}
