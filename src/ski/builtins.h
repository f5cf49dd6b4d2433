/*
 * All functions and constants of the language.
 */
#ifndef SKAMPI_SKI_BUILTINS_H
#define SKAMPI_SKI_BUILTINS_H

#include "ski/builtin_call.h"

const struct builtin *builtin_find(const char *name);
const struct builtin *builtin_at(size_t i); /* NULL after the last */

/* A predefined name such as MPI_COMM_WORLD. It is an ordinary global, which a script may assign. */
struct constant {
    const char *name;
    enum value_type type;
    int64_t integer; /* of an integer; of a communicator: its PEs, from 0 on, -1: all */
};

const struct constant *constant_find(const char *name);
const struct constant *constant_at(size_t i); /* NULL after the last */
struct value constant_value(const struct constant *, const struct engine *);

#endif
