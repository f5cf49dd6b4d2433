/*
 * Checks expressions and finds their types.
 */
#ifndef SKAMPI_SKI_CHECK_EXPRESSION_H
#define SKAMPI_SKI_CHECK_EXPRESSION_H

#include "engine/measurement.h"
#include "ski/builtins.h"
#include "ski/check_state.h"

/* The type, TYPE_UNKNOWN where the text does not decide it and for NULL. check_expression() accepts
 * a call that returns nothing (TYPE_VOID), check_value() does not. */
enum value_type check_expression(struct checker *c, struct expr *expr);
enum value_type check_value(struct checker *c, struct expr *expr);

/* Reports a value that does not have exactly the wanted type, or is not a number. what names it in
 * the message, as in "the step of a loop". */
void check_require(struct checker *c, struct expr *expr, enum value_type wanted, const char *what);
void check_require_number(struct checker *c, struct expr *expr, const char *what);

/* Checks the call of a known function and its arguments. */
void check_builtin(struct checker *c, struct expr *call, const struct builtin *builtin);
void check_measurement(struct checker *c, struct expr *call, const struct measurement *measurement);
/* Checks only the arguments: the function is unknown or misplaced. */
void check_each(struct checker *c, const struct expr *expr);

#endif
