/*
 * A few functions, constants and measurement functions in the place of the real tables, so that
 * tests of the front end depend on none of them.
 */
#include <string.h>

#include "engine/measurement.h"
#include "ski/builtins.h"

static const struct builtin builtins[] = {
    {.name = "sqrt", .parameters = TAKES(TYPE_REAL), .result = TYPE_REAL},
    {.name = "floor", .parameters = TAKES(TYPE_REAL), .result = TYPE_INT},
    {.name = "min_int", .parameters = TAKES(TYPE_INT, TYPE_INT), .result = TYPE_INT},
    {.name = "largest", .parameters = TAKES(TYPE_INT), .parameters.more = true, .result = TYPE_INT},
    {.name = "atoi", .parameters = TAKES(TYPE_STRING), .result = TYPE_INT},
    {.name = "comm", .parameters = TAKES(TYPE_INT), .result = TYPE_COMM},
    {.name = "get_comm_size", .parameters = TAKES(TYPE_COMM), .result = TYPE_INT},
    {.name = "get_np", .parameters = TAKES_NOTHING, .result = TYPE_INT},
    {.name = "set_unit", .parameters = TAKES(TYPE_REAL), .result = TYPE_VOID},
    {.name = "alloc_int_array", .parameters = TAKES(TYPE_INT), .result = TYPE_INT_ARRAY},
    {.name = "int_array_get", .parameters = TAKES(TYPE_INT_ARRAY, TYPE_INT), .result = TYPE_INT},
    {.name = "range",
     .parameters = TAKES(TYPE_INT, TYPE_INT),
     .result = TYPE_INT,
     .iterator = true},
};

static const struct constant constants[] = {
    {.name = "MPI_COMM_WORLD", .type = TYPE_COMM},
};

static const struct measurement measurements[] = {
    {.name = "Shmem_Put_Round",
     .routine = "shmem_put",
     .parameters = {{.name = "count", .type = PARAMETER_INT},
                    {.name = "iterations", .type = PARAMETER_ITERATIONS}}},
    {.name = "Shmem_Put_Full_Single",
     .parameters = {{.name = "count", .type = PARAMETER_INT, .minimum = 1},
                    {.name = "iterations", .type = PARAMETER_ITERATIONS},
                    {.name = "rank", .type = PARAMETER_RANK}}},
    {.name = "Shmem_Pause", .parameters = {{.name = "seconds", .type = PARAMETER_DOUBLE}}},
    {.name = "Shmem_Named",
     .parameters = {{.name = "name", .type = PARAMETER_STRING},
                    {.name = "sizes", .type = PARAMETER_INT_ARRAY}}},
    {.name = "Shmem_Barrier", .routine = "shmem_barrier_all shmem_barrier"},
    {0},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const struct builtin *builtin_at(size_t i)
{
    return i < COUNT(builtins) ? &builtins[i] : NULL;
}

const struct builtin *builtin_find(const char *name)
{
    for (size_t i = 0; i < COUNT(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

const struct constant *constant_at(size_t i)
{
    return i < COUNT(constants) ? &constants[i] : NULL;
}

const struct constant *constant_find(const char *name)
{
    for (size_t i = 0; i < COUNT(constants); i++)
        if (strcmp(constants[i].name, name) == 0)
            return &constants[i];
    return NULL;
}

const struct measurement *const measurement_families[] = {measurements, NULL};
const char *const measurement_family_names[] = {"stub"};
