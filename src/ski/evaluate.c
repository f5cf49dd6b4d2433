/*
 * A script being run: its variables and its error; the values of expressions.
 */
#include "ski/evaluate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

bool (*script_goes_on)(void);

bool script_fail(struct interp *in, struct position where, const char *format, ...)
{
    char message[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    in->error = text_format("%s", message);
    in->error_where = where;
    in->error_status = STATUS_SCRIPT;
    return false;
}

void script_enter_span(struct interp *in, struct span outer, double begin, double width)
{
    in->span.begin = outer.begin + begin * outer.width;
    in->span.width = width * outer.width;
}

bool script_may_go_on(struct interp *in, struct position where)
{
    return !script_goes_on || script_goes_on() || script_fail(in, where, "stopped");
}

void script_show_error(struct interp *in, char text[SCRIPT_ERROR_BYTES])
{
    char *allocated = diag_format(in->source, in->error_where, in->error);

    /* Copied, because nobody can free the allocated text once the job ends. */
    snprintf(text, SCRIPT_ERROR_BYTES, "%s", allocated);
    free(allocated);
    free(in->error);
    in->error = NULL;
}

void script_agree(struct interp *in, struct position where, const char *text)
{
    int numbers[3] = {where.file, where.line, where.column};
    char shown[SCRIPT_ERROR_BYTES];
    uint64_t tag = hash_bytes(HASH_EMPTY, numbers, sizeof numbers);

    if (engine_agree(in->engine, hash_bytes(tag, text, strlen(text))))
        return;
    script_fail(in, where,
                "the PEs run different parts of the script, or use different values: all PEs must "
                "reach the same measure, flush and communicator calls with the same values");
    script_show_error(in, shown);
    engine_fatal_text(in->engine, in->error_status, shown);
}

struct value *script_variable(struct interp *in, int symbol, bool local)
{
    return local ? &in->locals[symbol] : &in->globals[symbol];
}

void script_assign(struct interp *in, int symbol, struct value v)
{
    struct value *slot = in->in_block ? &in->locals[symbol] : &in->globals[symbol];

    value_release(slot);
    *slot = v;
}

void script_release(struct value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        value_release(&values[i]);
}

/* ---- Calls ---- */

void args_release(struct value *args, size_t count)
{
    script_release(args, count);
    free(args);
}

/* Converts v to the type. Returns NULL, or what is wrong. */
static const char *convert(struct value *v, enum value_type type)
{
    double unit;

    if (type != TYPE_UNIT)
        return value_convert(v, type);
    if (v->type != TYPE_STRING)
        return value_convert(v, TYPE_REAL);
    unit = numbers_unit(v->string);
    if (unit == 0)
        return UNIT_WANTED;
    value_release(v);
    *v = value_real(unit);
    return NULL;
}

bool evaluate_args(struct interp *in, const struct expr *call, struct value **made, char **refusal)
{
    const struct measurement *measured = call->measurement;
    struct signature parameters = measured ? signature_of(measured) : call->builtin->parameters;
    size_t count = measured ? measurement_parameter_count(measured) : call->count;
    struct value *args = memory_zeroed(count, sizeof *args);
    bool ok = true;

    for (size_t i = 0; ok && i < count; i++) {
        enum value_type type = signature_type(&parameters, i);
        const char *error;

        if (i >= call->count) {
            args[i] = value_default(type, measured->parameters[i].otherwise);
            continue;
        }
        ok = evaluate(in, call->args[i], &args[i]);
        error = ok ? convert(&args[i], type) : NULL;
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
        args_release(args, count);
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

    if (!evaluate_args(in, call, &args, NULL))
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

/* Puts an item (taken over) into the array v. */
static bool fill_array(struct interp *in, const struct expr *expr, struct value *v, size_t i,
                       struct value item)
{
    if (v->type == TYPE_DATATYPE_ARRAY && item.type == TYPE_DATATYPE) {
        v->datatypes->items[i] = item.datatype;
        return true;
    }
    if (v->type == TYPE_INT_ARRAY && item.type == TYPE_INT) {
        v->array->items[i] = item.integer;
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
    struct value item = value_int(0);
    bool ok = expr->count == 0 || evaluate(in, expr->args[0], &item);

    if (!ok)
        return false;
    *v = value_array(item.type, expr->count); /* the first item decides what it holds */
    ok = v->type != TYPE_VOID || script_fail(in, expr->where, ARRAYS_TOO_LARGE, INT_ARRAY_LIMIT);
    if (!ok)
        value_release(&item);
    for (size_t i = 0; ok && i < expr->count; i++)
        ok = (i == 0 || evaluate(in, expr->args[i], &item)) && fill_array(in, expr, v, i, item);
    if (!ok)
        value_release(v);
    return ok;
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
        *v = value_string(expr->text);
        break;
    case EXPR_NAME:
        *v = value_copy(script_variable(in, expr->symbol, expr->local));
        if (v->type == TYPE_VOID)
            ok = script_fail(in, expr->where, "variable '%s' has no value yet; assign one first",
                             expr->text);
        break;
    case EXPR_CALL:
        ok = evaluate_call(in, expr, v);
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
    *i = v.integer;
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
