/*
 * The state of the check at a place in the script: variables, their types, the loops around it.
 */
#include "ski/check_state.h"

bool check_is_local(const struct checker *c, int symbol)
{
    return c->block && c->variables[symbol].block == c->block;
}

void check_assign(struct checker *c, int symbol, enum value_type type)
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

bool check_fits(enum value_type given, enum value_type wanted)
{
    bool numbers =
        (given == TYPE_INT || given == TYPE_REAL) && (wanted == TYPE_INT || wanted == TYPE_REAL);

    return given == TYPE_UNKNOWN || given == wanted || numbers;
}

bool check_constant(const struct expr *expr, struct value *value)
{
    struct value a, b = value_void();

    if (!expr)
        return false;
    switch (expr->kind) {
    case EXPR_INTEGER:
        *value = value_int(expr->integer);
        return true;
    case EXPR_REAL:
        *value = value_real(expr->real);
        return true;
    case EXPR_UNARY:
    case EXPR_BINARY:
        return check_constant(expr->args[0], &a) &&
               (expr->kind == EXPR_UNARY || check_constant(expr->args[1], &b)) &&
               !value_operate(expr->op, &a, expr->kind == EXPR_UNARY ? NULL : &b, value);
    default:
        return false;
    }
}

bool check_literal(const struct expr *expr, double *number)
{
    struct value value;

    if (!check_constant(expr, &value))
        return false;
    *number = value_real_of(&value);
    return true;
}
