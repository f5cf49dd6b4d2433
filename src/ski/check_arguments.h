/*
 * Whether the arguments of a call are as many and such as the function takes, and in that order.
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

/* An error when argument i, whose type is known as type, is not of the wanted one. name: of the
 * parameter, or NULL. */
void arguments_type(struct checker *c, const struct expr *call, size_t i, enum value_type type,
                    enum value_type wanted, const char *name);

/* An error when argument i is a number below what the parameter takes. */
void arguments_minimum(struct checker *c, const struct expr *call, size_t i,
                       const struct parameter *parameter);

/* A warning when size and iterations look swapped. */
void arguments_swapped(struct checker *c, const struct expr *call,
                       const struct measurement *measurement);

#endif
