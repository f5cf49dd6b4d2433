/*
 * All functions and constants of the language: the tables of the families, one after the other; and
 * what functions do with a call.
 */
#include "ski/builtins.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "objects/mpi_constant.h"

/* ---- Functions ---- */

const struct builtin *builtin_at(size_t i)
{
    const struct builtin *const families[] = {builtins_settings(), builtins_sets, builtins_values,
                                              builtins_mpi, builtins_io};

    for (size_t family = 0; family < sizeof families / sizeof *families; family++)
        for (const struct builtin *b = families[family]; b->name; b++)
            if (i-- == 0)
                return b;
    return NULL;
}

const struct builtin *builtin_find(const char *name)
{
    const struct builtin *b = NULL;

    for (size_t i = 0; (b = builtin_at(i)) && strcmp(b->name, name) != 0;)
        i++;
    return b;
}

/* ---- Constants ---- */

/* All of them, from tables that do not change. */
static struct {
    struct constant *of;
    size_t count, room;
} constants;

static void add_constant(const char *name, enum value_type type, int64_t integer)
{
    memory_extend(constants.of, constants.count, &constants.room);
    constants.of[constants.count++] = (struct constant){name, type, integer};
}

static void make_constants(void)
{
    const struct operation *operation;
    const char *name;
    int64_t integer;

    add_constant("MPI_COMM_WORLD", TYPE_COMM, -1);
    add_constant("MPI_COMM_SELF", TYPE_COMM, 1); /* a set is the same on all PEs */
    add_constant("MPI_COMM_NULL", TYPE_COMM, 0);
    for (size_t i = 0; (name = datatype_name_at(i)); i++)
        add_constant(name, TYPE_DATATYPE, 0);
    for (size_t i = 0; (operation = operation_at(i)); i++)
        add_constant(operation_name(operation), TYPE_OPERATION, 0);
    add_constant("MPI_INFO_NULL", TYPE_INFO, 0);
    for (size_t i = 0; (name = mpi_constant_at(i, &integer)); i++)
        add_constant(name, TYPE_INT, integer);
}

const struct constant *constant_at(size_t i)
{
    if (constants.count == 0)
        make_constants();
    return i < constants.count ? &constants.of[i] : NULL;
}

const struct constant *constant_find(const char *name)
{
    const struct constant *constant;

    for (size_t i = 0; (constant = constant_at(i)); i++)
        if (strcmp(constant->name, name) == 0)
            return constant;
    return NULL;
}

struct value constant_value(const struct constant *constant, const struct engine *engine)
{
    int pes = (int)constant->integer;

    switch (constant->type) {
    case TYPE_COMM:
        return value_set(pe_set_strided(0, 1, pes < 0 ? engine_pes(engine) : pes));
    case TYPE_DATATYPE:
        return value_datatype(datatype_predefined(constant->name));
    case TYPE_OPERATION:
        return value_operation(operation_find(constant->name));
    case TYPE_INFO:
        return value_info(info_null());
    default:
        return value_int(constant->integer);
    }
}

/* ---- For the families ---- */

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
    int64_t i = call->args[1].as.integer;

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
                         call->args[0].as.integer);
}
