/*
 * All functions and constants of the language.
 */
#ifndef SKAMPI_SKI_BUILTINS_H
#define SKAMPI_SKI_BUILTINS_H

#include "ski/builtin.h"

const struct builtin *builtin_find(const char *name);
const struct builtin *builtin_at(size_t i); /* NULL after the last */

const struct constant *constant_find(const char *name);
const struct constant *constant_at(size_t i);

#endif
