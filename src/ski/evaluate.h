/*
 * Evaluates expressions.
 *
 * All return false when the script has failed.
 */
#ifndef SKAMPI_SKI_EVALUATE_H
#define SKAMPI_SKI_EVALUATE_H

#include "ski/script_state.h"

/* The caller releases *v, which is void on failure. */
bool evaluate(struct interp *in, const struct expr *expr, struct value *v);

/* Evaluates to an integer; remedy is the message when the value is none. */
bool evaluate_integer(struct interp *in, const struct expr *expr, const char *remedy, int64_t *i);
bool evaluate_condition(struct interp *in, const struct expr *expr, bool *holds);

/* A call of a function of the language, whose value may be void. */
bool evaluate_call(struct interp *in, const struct expr *call, struct value *v);
/* Turns the error that a builtin left in the context, if any, into the script's error. True without
 * an error. */
bool evaluate_succeeded(struct interp *in, const struct expr *call);

/* The arguments of a call, converted to the types that the function takes; given back by
 * args_release(). If refusal is not NULL, a value of a wrong type is no error: *refusal becomes the
 * reason (allocated) why the call cannot be made. */
bool evaluate_args(struct interp *in, const struct expr *call, const struct signature *parameters,
                   struct value **made, char **refusal);
void args_release(struct value *args, size_t count);

#endif
