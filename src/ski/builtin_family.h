/*
 * The functions of the language, one family a file: private to the files builtins*.c.
 */
#ifndef SKAMPI_SKI_BUILTIN_FAMILY_H
#define SKAMPI_SKI_BUILTIN_FAMILY_H

#include "ski/builtins.h"

/* Tables that end with a nameless row. */
extern const struct builtin builtins_settings[];
extern const struct builtin builtins_sets[];
extern const struct builtin builtins_values[];

/* Stores the error and returns void. */
struct value builtin_refuse(struct builtin_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* False, with an error that names the function, when value is not within low to high. */
bool builtin_in_range(struct builtin_context *context, const char *function, int64_t value,
                      int64_t low, int64_t high);

/* Takes the array over; NULL, as int_array_create() gave it, becomes an error. */
struct value builtin_array(struct builtin_context *context, const char *function,
                           struct int_array *array);

/* A number that nobody can foresee, equal on all PEs. Collective. */
uint64_t builtin_random(struct builtin_context *context);
/* The next of a sequence, between 0 and bound (included). */
uint64_t builtin_random_next(uint64_t *state, uint64_t bound);

#endif
