/*
 * The state of the check at a place in the script: variables, their types, the loops around it.
 *
 * The check makes one pass in the order of the text. It follows types where the text alone decides
 * them; after branches and within loops, the types of variables that may have been assigned count
 * as unknown. Private to check.c, check_arguments.c and measure.c.
 */
#ifndef SKAMPI_SKI_CHECK_H
#define SKAMPI_SKI_CHECK_H

#include "engine/measurement.h"
#include "engine/request.h"
#include "ski/builtins.h"
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
/* Whether a value of one type can be given where another is wanted. */
bool check_fits(enum value_type given, enum value_type wanted);
/* The value of an expression that consists of numbers and operators only; false for any other one.
 */
bool check_constant(const struct expr *expr, struct value *value);
bool check_literal(const struct expr *expr, double *number);

/* ---- The arguments of a call, whose function is known: their number, types and order ---- */

/* An error when there are too few or too many arguments. */
void arguments_count(struct checker *c, const struct expr *call, const struct signature *);
/* An error when argument i, of this type, is not of the type that is wanted there. */
void arguments_fit(struct checker *c, const struct expr *call, size_t i, enum value_type given,
                   enum value_type wanted);

/* False, with an error, when argument i is a word without quotes and no variable, where a text is
 * wanted. */
bool arguments_quoted(struct checker *c, const struct expr *call, size_t i, enum value_type wanted);

/* Why no set of PEs could be measured like this, whatever it is: an error of the script. NULL, or a
 * text that the caller frees; *argument is then the index of the offending argument, or -1. The
 * request's own set does not count. */
char *arguments_refusal_everywhere(const struct measure_request *request, int *argument);

/* An error when literal arguments show that no set of PEs can be measured with them. */
void arguments_refused(struct checker *c, const struct expr *call);

/* A warning when size and iterations look swapped. */
void arguments_swapped(struct checker *c, const struct expr *call);

#endif
