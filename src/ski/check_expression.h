/*
 * Types of expressions, and what is wrong with them.
 */
#ifndef SKAMPI_SKI_CHECK_EXPRESSION_H
#define SKAMPI_SKI_CHECK_EXPRESSION_H

#include "engine/measurement.h"
#include "ski/builtins.h"
#include "ski/check_state.h"

/* Its type, TYPE_UNKNOWN where the text does not decide it and for NULL. An expression may be a
 * call that returns nothing (TYPE_VOID); a value is none. */
enum value_type check_expression(struct checker *c, struct expr *expr);
enum value_type check_value(struct checker *c, struct expr *expr);

/* Errors when a value has not exactly that type, or is no number; what: "the step of a loop". */
void check_require(struct checker *c, struct expr *expr, enum value_type wanted, const char *what);
void check_require_number(struct checker *c, struct expr *expr, const char *what);

/* Calls of known functions, with their arguments. */
void check_builtin(struct checker *c, struct expr *call, const struct builtin *builtin);
void check_measurement(struct checker *c, struct expr *call, const struct measurement *measurement);
/* The arguments of a call that is wrong itself. */
void check_each(struct checker *c, const struct expr *expr);

#endif
