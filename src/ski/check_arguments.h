/*
 * The checker's state, and the arguments of one call: their number, types, ranges and order.
 * Private to check.c and check_arguments.c.
 */
#ifndef SKAMPI_SKI_CHECK_ARGUMENTS_H
#define SKAMPI_SKI_CHECK_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "objects/value.h"
#include "ski/builtin_call.h"
#include "ski/diag.h"
#include "ski/tree.h"

struct variable {
    bool global; /* the text up to here assigns it outside the blocks */
    enum value_type global_type;
    const struct stmt *block; /* the last one that assigned it */
    enum value_type local_type;
};

struct loop_level {
    const struct stmt *loop;
    const struct loop_level *outer;
};

struct checker {
    struct tree *tree;
    struct diag *diag;
    struct variable *variables;     /* by symbol */
    const struct stmt *block;       /* NULL outside */
    const struct loop_level *loops; /* the loops around the statement, the innermost first */
    bool refining;
};

/* Whether the name means a variable of the block that is checked. */
bool checker_is_local(const struct checker *c, int symbol);

/* The value of an expression that consists of numbers and operators only; false for any other one.
 */
bool checker_constant(const struct expr *expr, struct value *value);
bool checker_literal(const struct expr *expr, double *number);

/* An error when there are too few or too many arguments. */
void checker_arguments_count(struct checker *c, const struct expr *call,
                             const struct signature *signature);

/* An error when argument i, of this type, is not of the type that is wanted there. */
void checker_argument_fits(struct checker *c, const struct expr *call, size_t i,
                           enum value_type given, enum value_type wanted);

/* False, with an error, when argument i is a word without quotes and no variable, where a text is
 * wanted. */
bool checker_argument_quoted(struct checker *c, const struct expr *call, size_t i,
                             enum value_type wanted);

/* An error when literal arguments show that no set of PEs can be measured with them. */
void checker_arguments_refused(struct checker *c, const struct expr *call);

/* Warns of F(10, count) where F(count, iterations) is meant: a size stands in the place of the
 * iterations, and a number in the place of the size. */
void checker_arguments_swapped(struct checker *c, const struct expr *call);

#endif
