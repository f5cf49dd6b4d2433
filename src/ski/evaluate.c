/*
 * Evaluates expressions.
 */
#include "ski/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

/* ---- Calls ---- */

void args_release(struct value *args, size_t count)
{
    script_release(args, count);
    free(args);
}

static bool check_arity(struct interp *in, const struct expr *call,
                        const struct signature *parameters)
{
    size_t least, most;

    signature_arity(parameters, &least, &most);
    if (call->count >= least && call->count <= most)
        return true;
    size_t wanted = call->count < least ? least : most;
    const char *bound = least == most ? "" : call->count < least ? "at least " : "at most ";

    return script_fail(in, call->where, "%s() takes %s%zu argument%s, not %zu", call->text, bound,
                       wanted, wanted == 1 ? "" : "s", call->count);
}

/* Converts v to the type. Returns NULL, or what is wrong. */
static const char *convert(struct value *v, enum value_type type)
{
    double unit;

    if (type != TYPE_UNIT)
        return value_convert(v, type);
    if (v->type != TYPE_STRING)
        return value_convert(v, TYPE_REAL);
    unit = numbers_unit(v->as.string->text);
    if (unit == 0)
        return UNIT_WANTED;
    value_release(v);
    *v = value_real(unit);
    return NULL;
}

bool evaluate_args(struct interp *in, const struct expr *call, const struct signature *parameters,
                   struct value **made, char **refusal)
{
    struct value *args;
    bool ok = check_arity(in, call, parameters);

    if (!ok)
        return false;
    args = memory_zeroed(call->count, sizeof *args);
    for (size_t i = 0; i < call->count; i++)
        args[i] = value_void();
    for (size_t i = 0; ok && i < call->count; i++) {
        const char *error;

        ok = evaluate(in, call->args[i], &args[i]);
        if (!ok)
            break;
        error = convert(&args[i], signature_type(parameters, i));
        if (error && !refusal)
            ok = script_fail(in, call->args[i]->where, "argument %zu of %s(): %s (given: %s)",
                             i + 1, call->text, error, value_type_name(args[i].type));
        else if (error && !*refusal)
            *refusal = text_format("argument %zu: %s (given: %s)", i + 1, error,
                                   value_type_name(args[i].type));
    }
    if (ok)
        *made = args;
    else
        args_release(args, call->count);
    return ok;
}

bool evaluate_succeeded(struct interp *in, const struct expr *call)
{
    if (!in->call.error)
        return true;
    script_fail(in, call->where, "%s", in->call.error);
    free(in->call.error);
    in->call.error = NULL;
    return false;
}

bool evaluate_call(struct interp *in, const struct expr *call, struct value *v)
{
    struct value *args;

    if (call->measurement)
        return script_fail(in, call->where,
                           "%s() is a measurement function; call it as measure SET : %s()",
                           call->text, call->text);
    if (!call->builtin)
        return script_fail(in, call->where, "unknown function '%s'", call->text);
    if (call->builtin->iterator)
        return script_fail(in, call->where, "%s() is an iterator; use it only after for ... in",
                           call->text);
    if (!evaluate_args(in, call, &call->builtin->parameters, &args, NULL))
        return false;
    if (call->builtin->collective)
        script_agree(in, call->where, call->text);
    in->call.builtin = call->builtin;
    in->call.args = args;
    in->call.count = call->count;
    *v = call->builtin->call(&in->call);
    args_release(args, call->count);
    if (evaluate_succeeded(in, call))
        return true;
    value_release(v);
    return false;
}

/* ---- Arrays ---- */

/* An empty array of the type that the first element has, or NULL when there would be too many. */
static bool create_array(struct interp *in, const struct expr *expr, enum value_type first,
                         struct value *v)
{
    struct datatype_array *datatypes = NULL;
    struct int_array *integers = NULL;

    if (first == TYPE_DATATYPE)
        datatypes = datatype_array_create(expr->count);
    else
        integers = int_array_create(expr->count);
    if (!datatypes && !integers)
        return script_fail(in, expr->where, "all arrays together would have more than %d elements",
                           INT_ARRAY_LIMIT);
    *v = datatypes ? value_datatype_array(datatypes) : value_array(integers);
    return true;
}

/* Puts an item (taken over) into the array v. */
static bool fill_array(struct interp *in, const struct expr *expr, struct value *v, size_t i,
                       struct value item)
{
    if (v->type == TYPE_DATATYPE_ARRAY && item.type == TYPE_DATATYPE) {
        v->as.datatypes->items[i] = item.as.datatype;
        return true;
    }
    if (v->type == TYPE_INT_ARRAY && item.type == TYPE_INT) {
        v->as.array->items[i] = item.as.integer;
        return true;
    }
    script_fail(in, expr->args[i]->where, "an array holds %s (given: %s)%s",
                v->type == TYPE_INT_ARRAY ? "integers" : "datatypes if its first element is one",
                value_type_name(item.type),
                item.type == TYPE_REAL ? "; convert a double with round()" : "");
    value_release(&item);
    return false;
}

static bool evaluate_array(struct interp *in, const struct expr *expr, struct value *v)
{
    struct value made = value_void(), item;

    if (expr->count == 0)
        return create_array(in, expr, TYPE_INT, v);
    for (size_t i = 0; i < expr->count; i++) {
        bool ok = evaluate(in, expr->args[i], &item);

        if (ok && i == 0 && !create_array(in, expr, item.type, &made)) {
            value_release(&item);
            ok = false;
        }
        if (ok)
            ok = fill_array(in, expr, &made, i, item);
        if (!ok) {
            value_release(&made);
            return false;
        }
    }
    *v = made;
    return true;
}

/* ---- Any expression ---- */

static bool evaluate_operation(struct interp *in, const struct expr *expr, struct value *v)
{
    struct value a, b = value_void();
    const char *error = NULL;
    bool ok = evaluate(in, expr->args[0], &a);

    if (ok && expr->kind == EXPR_BINARY)
        ok = evaluate(in, expr->args[1], &b);
    if (ok)
        error = value_operate(expr->op, &a, expr->kind == EXPR_BINARY ? &b : NULL, v);
    value_release(&a);
    value_release(&b);
    if (error)
        return script_fail(in, expr->where, "%s", error);
    return ok;
}

bool evaluate(struct interp *in, const struct expr *expr, struct value *v)
{
    bool ok = true;

    *v = value_void();
    switch (expr->kind) {
    case EXPR_INTEGER:
        *v = value_int(expr->integer);
        break;
    case EXPR_REAL:
        *v = value_real(expr->real);
        break;
    case EXPR_STRING:
        *v = value_string(expr->text, strlen(expr->text));
        break;
    case EXPR_NAME:
        *v = value_copy(script_variable(in, expr->symbol, expr->local));
        if (v->type == TYPE_VOID)
            ok = script_fail(in, expr->where, "variable '%s' has no value yet; assign one first",
                             expr->text);
        break;
    case EXPR_CALL:
        ok = evaluate_call(in, expr, v);
        if (ok && v->type == TYPE_VOID)
            ok = script_fail(in, expr->where, "%s() returns no value", expr->text);
        break;
    case EXPR_ARRAY:
        ok = evaluate_array(in, expr, v);
        break;
    case EXPR_UNARY:
    case EXPR_BINARY:
        ok = evaluate_operation(in, expr, v);
        break;
    }
    if (!ok)
        *v = value_void();
    return ok;
}

bool evaluate_integer(struct interp *in, const struct expr *expr, const char *remedy, int64_t *i)
{
    struct value v;

    if (!evaluate(in, expr, &v))
        return false;
    if (v.type != TYPE_INT) {
        enum value_type given = v.type;

        value_release(&v);
        return script_fail(in, expr->where, "%s (given: %s)", remedy, value_type_name(given));
    }
    *i = v.as.integer;
    return true;
}

bool evaluate_condition(struct interp *in, const struct expr *expr, bool *holds)
{
    int64_t i = 0;

    if (!evaluate_integer(
            in, expr,
            "a condition must be an integer; compare a double with something, as in x != 0.0", &i))
        return false;
    *holds = i != 0;
    return true;
}
