/*
 * The state of the check at a place in the script: variables, their types, the loops around it; and
 * what to say of names that mean nothing there.
 */
#include "ski/check_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/memory.h"
#include "ski/builtins.h"
#include "ski/function_names.h"

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

/* ---- Unknown names ---- */

/* Candidates for "did you mean". */
struct candidates {
    const char **names;
    size_t count, room;
};

static void candidates_add(struct candidates *candidates, const char *name)
{
    memory_extend(candidates->names, candidates->count, &candidates->room);
    candidates->names[candidates->count++] = name;
}

static void add_variables(struct candidates *candidates, const struct checker *c)
{
    for (int i = 0; i < c->tree->symbol_count; i++)
        if (check_is_local(c, i) || c->variables[i].global)
            candidates_add(candidates, c->tree->symbols[i]);
    for (size_t i = 0; constant_at(i); i++)
        candidates_add(candidates, constant_at(i)->name);
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

void unknown_name(struct checker *c, const struct expr *expr)
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
        add_variables(&candidates, c);
        report_unknown(c, expr, "name", &candidates);
    }
}

void unknown_builtin(struct checker *c, const struct expr *call, bool iterator)
{
    struct candidates candidates = {0};

    for (size_t i = 0; diag_wants(c->diag, call->where) && builtin_at(i); i++)
        if (builtin_at(i)->iterator == iterator)
            candidates_add(&candidates, builtin_at(i)->name);
    for (size_t i = 0; !iterator && diag_wants(c->diag, call->where) && measurement_at(i); i++)
        candidates_add(&candidates, measurement_at(i)->name);
    report_unknown(c, call, iterator ? "iterator" : "function", &candidates);
}

void unknown_measurement(struct checker *c, const struct expr *call)
{
    char *suggestion = diag_wants(c->diag, call->where) ? function_suggestion(call->text) : NULL;

    diag_error(c->diag, call->where, "unknown measurement function '%s'%s", call->text,
               suggestion && *suggestion ? suggestion : "; skampi --list shows all of them");
    free(suggestion);
}
