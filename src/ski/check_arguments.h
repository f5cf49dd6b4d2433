/*
 * Checks the arguments of a call: their number, types and order.
 */
#ifndef SKAMPI_SKI_CHECK_ARGUMENTS_H
#define SKAMPI_SKI_CHECK_ARGUMENTS_H

#include "engine/measurement.h"
#include "ski/builtins.h"
#include "ski/check_state.h"

/* Errors: too few or too many. */
void arguments_count_builtin(struct checker *c, const struct expr *call,
                             const struct builtin *builtin);
void arguments_count_measurement(struct checker *c, const struct expr *call,
                                 const struct measurement *measurement);

/* An error when the type of argument i does not fit the wanted one. name: of the parameter, or
 * NULL. */
void arguments_type(struct checker *c, const struct expr *call, size_t i, enum value_type type,
                    enum value_type wanted, const char *name);

/* An error when argument i is a number below what the parameter takes. */
void arguments_minimum(struct checker *c, const struct expr *call, size_t i,
                       const struct parameter *parameter);

/* A warning when size and iterations look swapped. */
void arguments_swapped(struct checker *c, const struct expr *call,
                       const struct measurement *measurement);

#endif
