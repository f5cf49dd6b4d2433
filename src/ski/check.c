/*
 * Checks a script before it runs: binds names and reports errors that the text alone shows.
 *
 * The check makes one pass in the order of the text. It follows types where the text alone decides
 * them; after branches and within loops, the types of variables that may have been assigned count
 * as unknown.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/measurement.h"
#include "objects/value.h"
#include "ski/builtins.h"
#include "ski/check_arguments.h"
#include "ski/diag.h"
#include "ski/function_names.h"
#include "ski/loop.h"
#include "ski/script.h"
#include "ski/tree.h"

/* ---- Variables ---- */

/* The variable has a value of this type from here on. symbol -1: none, after an error. */
static void check_assign(struct checker *c, int symbol, enum value_type type)
{
    struct variable *variable;

    if (symbol < 0)
        return;
    variable = &c->variables[symbol];
    if (c->block) {
        variable->block = c->block;
        variable->local_type = type;
    } else {
        variable->global = true;
        variable->global_type = type;
    }
}

/* ---- Unknown names ---- */

/* Candidates for "did you mean". */
struct candidates {
    const char **names;
    size_t count, room;
};

static void add_candidate(struct candidates *candidates, const char *name)
{
    memory_extend(candidates->names, candidates->count, &candidates->room);
    candidates->names[candidates->count++] = name;
}

/* Reports "unknown WHAT 'name'" with the closest candidate, and releases the candidates. */
static void report_unknown(struct checker *c, const struct expr *expr, const char *what,
                           struct candidates *candidates)
{
    const char *meant = closest_name(expr->text, candidates->names, candidates->count);

    diag_error(c->diag, expr->where, "unknown %s '%s'%s%s%s", what, expr->text,
               meant ? ": did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    free(candidates->names);
}

/* Where a global is assigned after the place that reads it, or NULL. */
static const struct stmt *find_global(const struct checker *c, int symbol)
{
    for (size_t i = 0; i < c->tree->top.count; i++) {
        const struct stmt *stmt = c->tree->top.items[i];

        if (stmt->kind == STMT_ASSIGN && stmt->symbol == symbol)
            return stmt;
    }
    return NULL;
}

/* An error with the name that may have been meant, where a variable has no value. */
static void unknown_name(struct checker *c, const struct expr *expr)
{
    const struct stmt *block = c->variables[expr->symbol].block;
    struct candidates candidates = {0};
    const struct stmt *later;

    if (!diag_wants(c->diag, expr->where)) {
        diag_error(c->diag, expr->where, "unknown name");
        return;
    }
    later = find_global(c, expr->symbol);
    if (later) {
        diag_error(c->diag, expr->where, "'%s' has no value yet: it is assigned later, on line %d",
                   expr->text, later->where.line);
    } else if (block && block != c->block) {
        diag_error(c->diag, expr->where,
                   "'%s' is local to the block on line %d: assign it again here, or "
                   "before the blocks",
                   expr->text, block->where.line);
    } else if (builtin_find(expr->text) || function_meant(expr->text)) {
        diag_error(c->diag, expr->where, "'%s' is a function: call it as %s(...)", expr->text,
                   expr->text);
    } else {
        for (int i = 0; i < c->tree->symbol_count; i++)
            if (checker_is_local(c, i) || c->variables[i].global)
                add_candidate(&candidates, c->tree->symbols[i]);
        for (size_t i = 0; constant_at(i); i++)
            add_candidate(&candidates, constant_at(i)->name);
        report_unknown(c, expr, "name", &candidates);
    }
}

/* ---- Expressions ---- */

static void check_list(struct checker *c, const struct stmt_list *list);
static enum value_type check_value(struct checker *c, struct expr *expr);

static enum value_type check_name(struct checker *c, struct expr *expr)
{
    const struct variable *variable = &c->variables[expr->symbol];
    const struct constant *constant;

    expr->local = checker_is_local(c, expr->symbol);
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

static void check_arguments(struct checker *c, const struct expr *call,
                            const struct signature *signature)
{
    for (size_t i = 0; i < call->count; i++) {
        enum value_type wanted = signature_type(signature, i);

        if (!checker_argument_quoted(c, call, i, wanted))
            continue;
        enum value_type given = check_value(c, call->args[i]);

        if (wanted != TYPE_UNKNOWN)
            checker_argument_fits(c, call, i, given, wanted);
    }
    checker_arguments_count(c, call, signature);
}

static void unknown_builtin(struct checker *c, const struct expr *call, bool iterator)
{
    struct candidates candidates = {0};

    for (size_t i = 0; diag_wants(c->diag, call->where) && builtin_at(i); i++)
        if (builtin_at(i)->iterator == iterator)
            add_candidate(&candidates, builtin_at(i)->name);
    for (size_t i = 0; !iterator && diag_wants(c->diag, call->where) && measurement_at(i); i++)
        add_candidate(&candidates, measurement_at(i)->name);
    report_unknown(c, call, iterator ? "iterator" : "function", &candidates);
}

/* A call of a builtin; iterator: after "for NAME in", else where a value or a statement stands. */
static enum value_type check_call(struct checker *c, struct expr *call, bool iterator)
{
    const struct builtin *builtin = builtin_find(call->text);

    if (builtin && builtin->iterator == iterator) {
        call->builtin = builtin;
        check_arguments(c, call, &builtin->parameters);
        return builtin->result;
    }
    if (iterator && (builtin || function_meant(call->text)))
        diag_error(c->diag, call->where,
                   "'%s' is not an iterator and cannot follow 'in'; for a list of values write "
                   "'in [...]'",
                   call->text);
    else if (builtin)
        diag_error(c->diag, call->where,
                   "'%s' is an iterator: use it only in 'for NAME in %s(...) do'", call->text,
                   call->text);
    else if (function_meant(call->text))
        diag_error(c->diag, call->where,
                   "'%s' is a measurement function: write 'measure COMMUNICATOR : %s(...)'",
                   call->text, call->text);
    else
        unknown_builtin(c, call, iterator);
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
        return check_call(c, expr, false);
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

/* Reports a value that does not have the wanted type; TYPE_REAL stands for any number. what names
 * the value in the message, as in "the step of a loop". Returns the type, TYPE_UNKNOWN after an
 * error. */
static enum value_type check_require(struct checker *c, struct expr *expr, enum value_type wanted,
                                     const char *what)
{
    enum value_type type = check_value(c, expr);

    if (type == TYPE_UNKNOWN || type == wanted || (type == TYPE_INT && wanted == TYPE_REAL))
        return type;
    diag_error(c->diag, expr->where, "%s must be %s, this is %s", what,
               wanted == TYPE_REAL ? "a number" : value_type_text(wanted), value_type_text(type));
    return TYPE_UNKNOWN;
}

/* ---- Types that are no longer known ---- */

static void forget(struct checker *c, int symbol)
{
    if (symbol < 0)
        return;
    if (checker_is_local(c, symbol))
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
    bool known = checker_constant(stmt->from, &loop.start);

    if (!stmt->step || !checker_constant(stmt->step, &loop.step))
        return NULL;
    if (!known)
        loop.start = value_int(1);
    if (!known || !checker_constant(stmt->to, &loop.end))
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
    if (!checker_constant(stmt->from, &loop.start) || !checker_constant(stmt->to, &loop.end) ||
        (stmt->step && !checker_constant(stmt->step, &loop.step)) ||
        (stmt->multiple_of && !checker_constant(stmt->multiple_of, &multiple)) ||
        multiple.type != TYPE_INT)
        return;
    loop.multiple_of = multiple.integer;
    if (!loop_begin(&loop) && !loop_next(&loop, &first, &error) && !error)
        diag_warning(c->diag, stmt->step ? stmt->step->where : stmt->from->where,
                     "this loop does nothing: its step leads away from its end; %s, or swap "
                     "start and end",
                     remedy);
}

static enum value_type check_range(struct checker *c, struct stmt *stmt)
{
    enum value_type type = check_require(c, stmt->from, TYPE_REAL, "the start of a loop");
    const char *error;
    double value;

    check_require(c, stmt->to, TYPE_REAL, "the end of a loop");
    check_require(c, stmt->step, TYPE_REAL, "the step of a loop");
    check_require(c, stmt->multiple_of, TYPE_INT, "the number after 'multipleof'");
    error = endless_loop(stmt);
    if (error)
        diag_error(c->diag, stmt->step->where, "%s", error);
    if (checker_literal(stmt->multiple_of, &value) && value < 1)
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

/* The type of the loop's variable. */
static enum value_type check_header(struct checker *c, struct stmt *stmt)
{
    if (stmt->kind == STMT_FOR_LIST)
        return check_items(c, stmt);
    if (stmt->kind == STMT_FOR_CALL)
        return stmt->expr ? check_call(c, stmt->expr, true) : TYPE_UNKNOWN;
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

static void unknown_measurement(struct checker *c, const struct expr *call)
{
    char *suggestion = diag_wants(c->diag, call->where) ? function_suggestion(call->text) : NULL;

    diag_error(c->diag, call->where, "unknown measurement function '%s'%s", call->text,
               suggestion && *suggestion ? suggestion : "; skampi --list shows all of them");
    free(suggestion);
}

/* What stands behind the colon. */
static void check_measured(struct checker *c, struct expr *expr)
{
    const struct measurement *function =
        expr->kind == EXPR_CALL || expr->kind == EXPR_NAME ? function_meant(expr->text) : NULL;

    if (expr->kind != EXPR_CALL) {
        diag_error(c->diag, expr->where,
                   "expected the call of a measurement function after ':', such as %s(...)",
                   function ? expr->text : "Shmem_Put_Round");
        return;
    }
    if (function) {
        struct signature signature = signature_of(function);

        expr->measurement = function;
        c->tree->communicates =
            c->tree->communicates || (function->api != API_NONE && function->timing != TIMING_ONCE);
        check_arguments(c, expr, &signature);
        checker_arguments_refused(c, expr);
        checker_arguments_swapped(c, expr);
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
    if (stmt->expr)
        check_measured(c, stmt->expr);
}

/* ---- Other statements ---- */

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
        if (stmt->list_count == 2) {
            check_require(c, stmt->list[0], TYPE_INT, "the condition of assert");
            check_require(c, stmt->list[1], TYPE_STRING, "the text of assert");
        }
        break;
    case STMT_FOR:
    case STMT_AUTOREFINE:
    case STMT_FOR_LIST:
    case STMT_FOR_CALL:
        check_loop(c, stmt);
        break;
    case STMT_IF:
        check_require(c, stmt->expr, TYPE_INT, "the condition of 'if'");
        check_list(c, &stmt->body);
        forget_assigned(c, &stmt->body);
        check_list(c, &stmt->otherwise);
        forget_assigned(c, &stmt->otherwise);
        break;
    case STMT_BLOCK:
        c->block = stmt;
        check_list(c, &stmt->body);
        c->block = NULL; /* blocks do not nest */
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
