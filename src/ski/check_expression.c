/*
 * Checks expressions and finds their types.
 */
#include "ski/check_expression.h"

#include "ski/check_arguments.h"
#include "ski/function_names.h"
#include "ski/unknown.h"

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

void check_each(struct checker *c, const struct expr *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        check_value(c, expr->args[i]);
}

void check_builtin(struct checker *c, struct expr *call, const struct builtin *builtin)
{
    const struct signature *parameters = &builtin->parameters;
    size_t least, most;

    signature_arity(parameters, &least, &most);
    call->builtin = builtin;
    for (size_t i = 0; i < call->count; i++) {
        enum value_type wanted = i < most ? signature_type(parameters, i) : TYPE_UNKNOWN;

        if (!arguments_quoted(c, call, i, wanted))
            continue;
        enum value_type type = check_value(c, call->args[i]);

        if (i >= most)
            continue;
        arguments_type(c, call, i, type, wanted, NULL);
        arguments_whole(c, call, i, wanted, NULL);
        if (builtin->settings)
            arguments_setting(c, call, i, &builtin->settings[i]);
    }
    arguments_count_builtin(c, call, builtin);
}

void check_measurement(struct checker *c, struct expr *call, const struct measurement *measurement)
{
    size_t wanted = measurement_parameter_count(measurement);

    call->measurement = measurement;
    c->tree->communicates = c->tree->communicates ||
                            (measurement->api != API_NONE && measurement->timing != TIMING_ONCE);
    for (size_t i = 0; i < call->count; i++) {
        const struct parameter *parameter = i < wanted ? &measurement->parameters[i] : NULL;
        enum value_type type = parameter ? value_type_of(parameter->type) : TYPE_UNKNOWN;

        if (!arguments_quoted(c, call, i, type))
            continue;
        enum value_type given = check_value(c, call->args[i]);

        if (!parameter)
            continue;
        arguments_type(c, call, i, given, type, parameter->name);
        arguments_whole(c, call, i, type, parameter->name);
        arguments_minimum(c, call, i, parameter);
    }
    arguments_count_measurement(c, call, measurement);
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
        unknown_function(c, call);
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

enum value_type check_expression(struct checker *c, struct expr *expr)
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

enum value_type check_value(struct checker *c, struct expr *expr)
{
    enum value_type type = check_expression(c, expr);

    if (type != TYPE_VOID)
        return type;
    diag_error(c->diag, expr->where, "%s() returns no value", expr->text);
    return TYPE_UNKNOWN;
}

void check_require(struct checker *c, struct expr *expr, enum value_type wanted, const char *what)
{
    enum value_type type = check_value(c, expr);

    if (type != TYPE_UNKNOWN && type != wanted)
        diag_error(c->diag, expr->where, "%s must be %s, this is %s", what, value_type_text(wanted),
                   value_type_text(type));
}

void check_require_number(struct checker *c, struct expr *expr, const char *what)
{
    enum value_type type = check_value(c, expr);

    if (!check_fits(type, TYPE_REAL))
        diag_error(c->diag, expr->where, "%s must be a number, this is %s", what,
                   value_type_text(type));
}
