/*
 * Checks a script before it runs: binds names and reports errors that the text alone shows.
 */
#include "ski/script.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "ski/check_state.h"
#include "ski/function_names.h"
#include "ski/loop.h"

static void check_list(struct checker *c, const struct stmt_list *list);
static enum value_type check_value(struct checker *c, struct expr *expr);

/* ---- Expressions ---- */

static enum value_type check_name(struct checker *c, struct expr *expr)
{
    const struct variable *variable = &c->variables[expr->symbol];
    const struct constant *constant;

    expr->local = check_is_local(c, expr->symbol);
    if (expr->local)
        return variable->local_type;
    if (variable->global)
        return variable->global_type;
    constant = constant_find(expr->text);
    if (constant)
        return constant->type;
    if (!c->tree->incomplete)
        unknown_name(c, expr);
    return TYPE_UNKNOWN;
}

/* ---- Calls ---- */

/* Checks only the arguments: the function is unknown or misplaced. */
static void check_each(struct checker *c, const struct expr *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        check_value(c, expr->args[i]);
}

static void check_arguments(struct checker *c, const struct expr *call, const struct callee *callee)
{
    for (size_t i = 0; i < call->count; i++) {
        enum value_type wanted = signature_type(&callee->signature, i);

        if (!arguments_quoted(c, call, i, wanted))
            continue;
        enum value_type given = check_value(c, call->args[i]);

        if (wanted != TYPE_UNKNOWN)
            arguments_fit(c, call, i, given, callee);
    }
    arguments_count(c, call, callee);
}

static void check_builtin(struct checker *c, struct expr *call, const struct builtin *builtin)
{
    call->builtin = builtin;
    check_arguments(c, call,
                    &(struct callee){.signature = builtin->parameters, .builtin = builtin});
}

static void check_measurement(struct checker *c, struct expr *call,
                              const struct measurement *measurement)
{
    call->measurement = measurement;
    c->tree->communicates = c->tree->communicates ||
                            (measurement->api != API_NONE && measurement->timing != TIMING_ONCE);
    check_arguments(
        c, call,
        &(struct callee){.signature = signature_of(measurement), .measurement = measurement});
    arguments_refused(c, call, measurement);
    arguments_swapped(c, call, measurement);
}

/* A call outside measure, where only builtins are allowed. */
static enum value_type check_call(struct checker *c, struct expr *call)
{
    const struct builtin *builtin = builtin_find(call->text);

    if (builtin && !builtin->iterator) {
        check_builtin(c, call, builtin);
        return builtin->result;
    }
    if (builtin)
        diag_error(c->diag, call->where,
                   "'%s' is an iterator: use it only in 'for NAME in %s(...) do'", call->text,
                   call->text);
    else if (function_meant(call->text))
        diag_error(c->diag, call->where,
                   "'%s' is a measurement function: write 'measure COMMUNICATOR : %s(...)'",
                   call->text, call->text);
    else
        unknown_builtin(c, call, false);
    check_each(c, call);
    return TYPE_UNKNOWN;
}

/* ---- Operations ---- */

static enum value_type check_operation(struct checker *c, struct expr *expr)
{
    bool unary = expr->kind == EXPR_UNARY;
    enum value_type a = check_value(c, expr->args[0]);
    enum value_type b = unary ? a : check_value(c, expr->args[1]);
    const char *error = NULL;
    enum value_type type;

    if (a == TYPE_UNKNOWN || b == TYPE_UNKNOWN)
        return TYPE_UNKNOWN;
    type = value_operate_type(expr->op, a, b, &error);
    if (!error)
        return type;
    diag_error(c->diag, expr->where, "%s", error);
    return TYPE_UNKNOWN;
}

/* The first element decides the type of the array. */
static enum value_type check_array(struct checker *c, const struct expr *expr)
{
    enum value_type first = TYPE_INT;

    for (size_t i = 0; i < expr->count; i++) {
        enum value_type type = check_value(c, expr->args[i]);

        if (i == 0 && (type == TYPE_UNKNOWN || type == TYPE_DATATYPE))
            first = type;
        if (first == TYPE_UNKNOWN || type == TYPE_UNKNOWN || type == first)
            continue;
        diag_error(c->diag, expr->args[i]->where,
                   first == TYPE_INT ? "an element of an array must be %s, this is %s"
                                     : "an element of this array must be %s, this is %s",
                   value_type_text(first), value_type_text(type));
    }
    if (first == TYPE_UNKNOWN)
        return TYPE_UNKNOWN;
    return first == TYPE_DATATYPE ? TYPE_DATATYPE_ARRAY : TYPE_INT_ARRAY;
}

/* ---- Any expression ---- */

/* The type, TYPE_UNKNOWN where the text does not decide it and for NULL; TYPE_VOID of a call that
 * returns nothing, which check_value() does not accept. */
static enum value_type check_expression(struct checker *c, struct expr *expr)
{
    if (!expr)
        return TYPE_UNKNOWN;
    switch (expr->kind) {
    case EXPR_INTEGER:
        return TYPE_INT;
    case EXPR_REAL:
        return TYPE_REAL;
    case EXPR_STRING:
        return TYPE_STRING;
    case EXPR_NAME:
        return check_name(c, expr);
    case EXPR_CALL:
        return check_call(c, expr);
    case EXPR_ARRAY:
        return check_array(c, expr);
    case EXPR_UNARY:
    case EXPR_BINARY:
        return check_operation(c, expr);
    }
    return TYPE_UNKNOWN;
}

static enum value_type check_value(struct checker *c, struct expr *expr)
{
    enum value_type type = check_expression(c, expr);

    if (type != TYPE_VOID)
        return type;
    diag_error(c->diag, expr->where, "%s() returns no value", expr->text);
    return TYPE_UNKNOWN;
}

/* Reports a value that does not have exactly the wanted type, or is not a number. what names it in
 * the message, as in "the step of a loop". */
static void check_require(struct checker *c, struct expr *expr, enum value_type wanted,
                          const char *what)
{
    enum value_type type = check_value(c, expr);

    if (type != TYPE_UNKNOWN && type != wanted)
        diag_error(c->diag, expr->where, "%s must be %s, this is %s", what, value_type_text(wanted),
                   value_type_text(type));
}

/* Returns the type, TYPE_UNKNOWN after an error. */
static enum value_type check_number(struct checker *c, struct expr *expr, const char *what)
{
    enum value_type type = check_value(c, expr);

    if (check_fits(type, TYPE_REAL))
        return type;
    diag_error(c->diag, expr->where, "%s must be a number, this is %s", what,
               value_type_text(type));
    return TYPE_UNKNOWN;
}

/* ---- Types that are no longer known ---- */

static void forget(struct checker *c, int symbol)
{
    if (symbol < 0)
        return;
    if (check_is_local(c, symbol))
        c->variables[symbol].local_type = TYPE_UNKNOWN;
    else if (!c->block)
        c->variables[symbol].global_type = TYPE_UNKNOWN;
}

/* The type of every variable that these statements assign is unknown from here on. */
static void forget_assigned(struct checker *c, const struct stmt_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct stmt *stmt = list->items[i];

        forget(c, stmt->symbol);
        forget_assigned(c, &stmt->body);
        forget_assigned(c, &stmt->otherwise);
    }
}

/* ---- Loops ---- */

/* Why a loop could never end, as far as its literal numbers show it. For an expression that is no
 * literal, a number is assumed with which the loop ends. */
static const char *endless_loop(const struct stmt *stmt)
{
    struct loop loop = {.multiplicative = stmt->multiplicative, .unlimited = !stmt->to};
    bool known = check_constant(stmt->from, &loop.start);

    if (!stmt->step || !check_constant(stmt->step, &loop.step))
        return NULL;
    if (!known)
        loop.start = value_int(1);
    if (!known || !check_constant(stmt->to, &loop.end))
        loop.end = loop.start;
    return loop_begin(&loop);
}

/* Warns of a loop such as "10 to 1", whose literal numbers show that it does nothing. */
static void warn_of_empty(struct checker *c, const struct stmt *stmt)
{
    struct loop loop = {.multiplicative = stmt->multiplicative};
    struct value first, multiple = value_int(0);
    const char *error, *remedy = stmt->multiplicative ? "use the inverse of the factor"
                                 : stmt->step         ? "change the sign of the step"
                                                      : "give a step below 0";

    loop.step = value_int(1);
    if (!check_constant(stmt->from, &loop.start) || !check_constant(stmt->to, &loop.end) ||
        (stmt->step && !check_constant(stmt->step, &loop.step)) ||
        (stmt->multiple_of && !check_constant(stmt->multiple_of, &multiple)) ||
        multiple.type != TYPE_INT)
        return;
    loop.multiple_of = multiple.as.integer;
    if (!loop_begin(&loop) && !loop_next(&loop, &first, &error) && !error)
        diag_warning(c->diag, stmt->step ? stmt->step->where : stmt->from->where,
                     "this loop does nothing: its step leads away from its end; %s, or swap "
                     "start and end",
                     remedy);
}

static enum value_type check_range(struct checker *c, struct stmt *stmt)
{
    enum value_type type = check_number(c, stmt->from, "the start of a loop");
    const char *error;
    double value;

    check_number(c, stmt->to, "the end of a loop");
    check_number(c, stmt->step, "the step of a loop");
    check_require(c, stmt->multiple_of, TYPE_INT, "the number after 'multipleof'");
    error = endless_loop(stmt);
    if (error)
        diag_error(c->diag, stmt->step->where, "%s", error);
    if (check_literal(stmt->multiple_of, &value) && value < 1)
        diag_error(c->diag, stmt->multiple_of->where,
                   "the number after 'multipleof' must be at least 1");
    warn_of_empty(c, stmt);
    return type;
}

static enum value_type check_items(struct checker *c, const struct stmt *stmt)
{
    enum value_type common = TYPE_UNKNOWN;

    for (size_t i = 0; i < stmt->list_count; i++) {
        enum value_type type = check_value(c, stmt->list[i]);

        common = i == 0 || type == common ? type : TYPE_UNKNOWN;
    }
    return common;
}

static enum value_type check_iterator(struct checker *c, struct expr *call)
{
    const struct builtin *builtin;

    if (!call)
        return TYPE_UNKNOWN;
    builtin = builtin_find(call->text);
    if (builtin && builtin->iterator) {
        check_builtin(c, call, builtin);
        return builtin->result;
    }
    if (builtin || function_meant(call->text))
        diag_error(c->diag, call->where,
                   "'%s' is not an iterator and cannot follow 'in'; for a list of values write "
                   "'in [...]'",
                   call->text);
    else
        unknown_builtin(c, call, true);
    check_each(c, call);
    return TYPE_UNKNOWN;
}

static enum value_type check_header(struct checker *c, struct stmt *stmt)
{
    if (stmt->kind == STMT_FOR_LIST)
        return check_items(c, stmt);
    if (stmt->kind == STMT_FOR_CALL)
        return check_iterator(c, stmt->expr);
    return check_range(c, stmt);
}

static void check_loop(struct checker *c, struct stmt *stmt)
{
    const struct loop_level around = {stmt, c->loops};
    bool was_refining = c->refining;
    enum value_type type;

    if (stmt->kind == STMT_AUTOREFINE && was_refining)
        diag_error(c->diag, stmt->where,
                   "'autorefine' cannot be inside another 'autorefine': write 'for'");
    type = check_header(c, stmt);
    c->refining = was_refining || stmt->kind == STMT_AUTOREFINE;
    forget_assigned(c, &stmt->body);
    check_assign(c, stmt->symbol, type);
    c->loops = &around;
    check_list(c, &stmt->body);
    c->loops = around.outer;
    forget_assigned(c, &stmt->body);
    if (stmt->kind != STMT_FOR && stmt->kind != STMT_AUTOREFINE)
        forget(c, stmt->symbol);
    c->refining = was_refining;
}

/* ---- measure ---- */

static void check_measured(struct checker *c, struct expr *expr)
{
    const struct measurement *measurement;

    if (!expr)
        return;
    if (expr->kind != EXPR_CALL) {
        bool name = expr->kind == EXPR_NAME && function_meant(expr->text);

        diag_error(c->diag, expr->where,
                   "expected the call of a measurement function after ':', such as %s(...)",
                   name ? expr->text : "Shmem_Put_Round");
        return;
    }
    measurement = function_meant(expr->text);
    if (measurement) {
        check_measurement(c, expr, measurement);
        return;
    }
    if (builtin_find(expr->text))
        diag_error(c->diag, expr->where,
                   "'%s' is not a measurement function: it cannot be measured", expr->text);
    else
        unknown_measurement(c, expr);
    check_each(c, expr);
}

static void check_measure(struct checker *c, struct stmt *stmt)
{
    enum value_type type = check_value(c, stmt->set);

    if (type != TYPE_UNKNOWN && type != TYPE_COMM)
        diag_error(c->diag, stmt->set->where,
                   "expected a communicator between 'measure' and ':', such as comm(2); this is "
                   "%s",
                   value_type_text(type));
    check_measured(c, stmt->expr);
}

/* ---- Other statements ---- */

static void check_if(struct checker *c, struct stmt *stmt)
{
    check_require(c, stmt->expr, TYPE_INT, "the condition of 'if'");
    check_list(c, &stmt->body);
    forget_assigned(c, &stmt->body);
    check_list(c, &stmt->otherwise);
    forget_assigned(c, &stmt->otherwise);
}

static void check_assert(struct checker *c, const struct stmt *stmt)
{
    if (stmt->list_count != 2)
        return;
    check_require(c, stmt->list[0], TYPE_INT, "the condition of assert");
    check_require(c, stmt->list[1], TYPE_STRING, "the text of assert");
}

static void check_block(struct checker *c, struct stmt *stmt)
{
    const struct stmt *outer = c->block;

    c->block = stmt;
    check_list(c, &stmt->body);
    c->block = outer;
}

static void check_statement(struct checker *c, struct stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_ASSIGN:
        check_assign(c, stmt->symbol, check_value(c, stmt->expr));
        break;
    case STMT_CALL:
        check_expression(c, stmt->expr);
        break;
    case STMT_PRINT:
    case STMT_PRINT_ALL:
        for (size_t i = 0; i < stmt->list_count; i++)
            check_value(c, stmt->list[i]);
        break;
    case STMT_FLUSH:
        break;
    case STMT_MEASURE:
        check_measure(c, stmt);
        break;
    case STMT_ASSERT:
        check_assert(c, stmt);
        break;
    case STMT_FOR:
    case STMT_AUTOREFINE:
    case STMT_FOR_LIST:
    case STMT_FOR_CALL:
        check_loop(c, stmt);
        break;
    case STMT_IF:
        check_if(c, stmt);
        break;
    case STMT_BLOCK:
        check_block(c, stmt);
        break;
    }
}

static void check_list(struct checker *c, const struct stmt_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        check_statement(c, list->items[i]);
}

void tree_check(struct tree *tree, struct diag *diag)
{
    struct checker checker = {.tree = tree, .diag = diag};

    checker.variables = memory_zeroed((size_t)tree->symbol_count, sizeof *checker.variables);
    check_list(&checker, &tree->top);
    free(checker.variables);
}
