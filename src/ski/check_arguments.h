/*
 * Checks the arguments of a call: their number, types and order.
 */
#ifndef SKAMPI_SKI_CHECK_ARGUMENTS_H
#define SKAMPI_SKI_CHECK_ARGUMENTS_H

#include "engine/measurement.h"
#include "engine/request.h"
#include "settings/table.h"
#include "ski/builtins.h"
#include "ski/check_state.h"

/* An error when there are too few or too many arguments. */
void arguments_count_builtin(struct checker *c, const struct expr *call,
                             const struct builtin *builtin);
void arguments_count_measurement(struct checker *c, const struct expr *call,
                                 const struct measurement *measurement);

/* An error when the type of argument i does not fit the wanted one. name is that of the parameter,
 * or NULL. */
void arguments_type(struct checker *c, const struct expr *call, size_t i, enum value_type type,
                    enum value_type wanted, const char *name);

/* An error when argument i is a number with a fraction where an integer is wanted. name is that of
 * the parameter, or NULL. */
void arguments_whole(struct checker *c, const struct expr *call, size_t i, enum value_type wanted,
                     const char *name);

/* An error when argument i is a number or a word that the setting refuses. */
void arguments_setting(struct checker *c, const struct expr *call, size_t i,
                       const struct setting *setting);

/* False, with an error, when argument i is a word without quotes and no variable, where a text is
 * wanted. */
bool arguments_quoted(struct checker *c, const struct expr *call, size_t i, enum value_type wanted);

/* Why no set of PEs could be measured like this, whatever it is: an error of the script. NULL, or a
 * text that the caller frees; *argument is then the index of the offending argument, or -1. The
 * request's own set does not count. */
char *arguments_refusal_everywhere(const struct measure_request *request, int *argument);

/* An error when literal arguments show that no set of PEs can be measured with them. */
void arguments_refused(struct checker *c, const struct expr *call,
                       const struct measurement *measurement);

/* An error when argument i is a number below what the parameter takes. */
void arguments_minimum(struct checker *c, const struct expr *call, size_t i,
                       const struct parameter *parameter);

/* A warning when size and iterations look swapped. */
void arguments_swapped(struct checker *c, const struct expr *call,
                       const struct measurement *measurement);

#endif
