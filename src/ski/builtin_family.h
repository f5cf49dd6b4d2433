/*
 * Helpers and tables of the families of functions; private to builtin*.c.
 */
#ifndef SKAMPI_SKI_BUILTIN_FAMILY_H
#define SKAMPI_SKI_BUILTIN_FAMILY_H

#include "ski/builtin.h"

/* Tables that end with a nameless row. */
const struct builtin *builtins_settings(void);
extern const struct builtin builtins_sets[];
extern const struct builtin builtins_values[];
extern const struct builtin builtins_mpi[];

/* Stores the error and returns void. */
struct value builtin_refuse(struct builtin_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* False, with an error that names the function, when value is not within low to high. */
bool builtin_in_range(struct builtin_context *context, const char *function, int64_t value,
                      int64_t low, int64_t high);

/* Takes the array over; NULL, as int_array_create() gave it, becomes an error. */
struct value builtin_array(struct builtin_context *context, const char *function,
                           struct int_array *array);

/* The constants of MPI besides communicators; ends with a nameless row. */
extern const struct constant constants_mpi[];

#endif
