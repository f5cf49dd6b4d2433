/* All functions and constants of the language: the tables of the families, one after the other. */
#include "ski/builtins.h"

#include <string.h>

#include "base/memory.h"
#include "objects/mpi_constant.h"

/* ---- Functions ---- */

/* All of them, from tables that do not change. */
static struct {
    const struct builtin **of;
    size_t count, room;
} functions;

static void make_functions(void)
{
    const struct builtin *const families[] = {builtins_settings(), builtins_sets, builtins_values,
                                              builtins_mpi, builtins_io};

    for (size_t family = 0; family < sizeof families / sizeof *families; family++)
        for (const struct builtin *b = families[family]; b->name; b++) {
            memory_extend(functions.of, functions.count, &functions.room);
            functions.of[functions.count++] = b;
        }
}

const struct builtin *builtin_at(size_t i)
{
    if (functions.count == 0)
        make_functions();
    return i < functions.count ? functions.of[i] : NULL;
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
