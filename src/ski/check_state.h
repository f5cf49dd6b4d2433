/*
 * The state of the check at a place in the script: variables, their types, the loops around it.
 *
 * The check makes one pass in the order of the text. It follows types where the text alone decides
 * them; after branches and within loops, the types of variables that may have been assigned count
 * as unknown. Private to check.c and check_*.c.
 */
#ifndef SKAMPI_SKI_CHECK_STATE_H
#define SKAMPI_SKI_CHECK_STATE_H

#include "ski/diag.h"
#include "ski/tree.h"
#include "ski/value.h"

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
bool check_is_local(const struct checker *c, int symbol);
/* The variable has a value of this type from here on. symbol -1: none, after an error. */
void check_assign(struct checker *c, int symbol, enum value_type type);

/* Whether a value of one type can be given where another is wanted. */
bool check_fits(enum value_type given, enum value_type wanted);
/* The value of an expression that consists of numbers and operators only; false for any other one.
 */
bool check_constant(const struct expr *expr, struct value *value);
bool check_literal(const struct expr *expr, double *number);

/* An error with the name that may have been meant: for a variable without a value, a function, what
 * measure calls, an iterator. */
void unknown_name(struct checker *c, const struct expr *expr);
void unknown_function(struct checker *c, const struct expr *call);
void unknown_measurement(struct checker *c, const struct expr *call);
void unknown_iterator(struct checker *c, const struct expr *call);

#endif
