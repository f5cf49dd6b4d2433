/*
 * A script being run: its variables, the loops around the statement, and the error that ends it;
 * and the values of expressions.
 *
 * Errors are not thrown but handed up, so that all memory is given back before the job ends:
 * functions return false when the script has failed, with the error stored here. The
 * checker has found that all functions exist and get as many arguments as they take. Private to
 * evaluate.c, measure.c and interp.c.
 */
#ifndef SKAMPI_SKI_EVALUATE_H
#define SKAMPI_SKI_EVALUATE_H

#include "ski/builtins.h"
#include "ski/diag.h"
#include "ski/loop.h"
#include "ski/script.h"

#define STATUS_ASSERTION 1
#define STATUS_SCRIPT 2

/* Room for an error as it is shown. */
#define SCRIPT_ERROR_BYTES 4096

/* A loop in progress. */
struct frame {
    struct frame *outer;
    const struct stmt *stmt;
    const struct loop *loop; /* of an arithmetic one */
    bool unlimited;
    bool ends; /* after this round */
    bool cut;  /* the rest of the loop is left out, so that its points, which do not fit, are not
                  listed one by one */
    size_t rounds; /* before this one */
    /* What was asked for and measured in this round, including loops inside, and the bytes of
     * buffer that it needed, also in the round before. This shows whether a loop without end can
     * ever reach an end. */
    size_t asked, done;
    size_t least_demand, most_demand;
    size_t least_before, most_before;
    int stale;
};

/* A part of the block, 0 to 1. */
struct span {
    double begin, width;
};

struct interp {
    const struct tree *tree;
    const struct source *source;
    struct engine *engine;
    bool show_source;
    struct builtin_call call;       /* of a function, in progress */
    struct value *globals, *locals; /* by symbol; void before the first assignment */
    bool in_block;
    struct frame *loop; /* the innermost */
    struct span span;   /* being run, for the progress display */
    size_t missing;     /* measurements that were left out since the time limit was reached */
    size_t pending;     /* bytes printed since the last flush */
    char *error;
    struct position error_where;
    int error_status;
};

/* Stores the error and returns false. */
bool script_fail(struct interp *in, struct position where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The part of a span that is next; the caller restores the outer one afterwards. */
void script_enter_span(struct interp *in, struct span outer, double begin, double width);

/* False, as an error, when a test wants the script to stop (script_goes_on). */
bool script_may_go_on(struct interp *in, struct position where);

/* The error as it is shown, with its place and its line, for engine_fatal_text(); forgets it. */
void script_show_error(struct interp *in, char text[SCRIPT_ERROR_BYTES]);

/* Checks that all PEs execute one and the same collective statement; where and text say which. If
 * they do not, the job ends with an error instead of hanging. Collective. */
void script_agree(struct interp *in, struct position where, const char *text);

/* The variable that a name means; the checker decided which one. */
struct value *script_variable(struct interp *in, int symbol, bool local);
/* Takes the value over. */
void script_assign(struct interp *in, int symbol, struct value v);

/* Makes all of them void. */
void script_release(struct value *values, size_t count);

/* ---- Expressions; false when the script has failed ---- */

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

/* The arguments of a call, converted to the types that the function takes; of what is measured,
 * all, with the defaults of those that were not given. Given back by args_release(). If refusal is
 * not NULL, a value of a wrong type is no error: *refusal becomes the reason (allocated) why the
 * call cannot be made. */
bool evaluate_args(struct interp *in, const struct expr *call, struct value **made, char **refusal);
void args_release(struct value *args, size_t count);

/* Runs the statement measure. Collective over all PEs. False when the script has failed. */
bool script_measure(struct interp *in, const struct stmt *stmt);

#endif
