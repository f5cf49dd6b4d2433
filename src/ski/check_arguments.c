/*
 * Checks the arguments of a call: their number, types and order.
 */
#define _GNU_SOURCE /* strcasestr */
#include "ski/check_arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"

/* ---- Number ---- */

static void report_arity(struct checker *c, const struct expr *call, size_t wanted,
                         const char *bound, const char *parameters)
{
    bool few = call->count < wanted;
    struct position where = call->where;

    if (!few && call->args[wanted])
        where = call->args[wanted]->where;
    diag_error(c->diag, where, "too %s arguments: %s takes %s%zu argument%s%s%s%s, you gave %zu",
               few ? "few" : "many", call->text, bound, wanted, words_plural(wanted),
               *parameters != '\0' ? " (" : "", parameters, *parameters != '\0' ? ")" : "",
               call->count);
}

/* The same for functions with optional arguments. */
static void report_bounds(struct checker *c, const struct expr *call, size_t least, size_t most,
                          const char *parameters)
{
    bool few = call->count < least;
    const char *bound = few ? "at least " : "at most ";

    report_arity(c, call, few ? least : most, least == most ? "" : bound, parameters);
}

static const char *between(const char *letters, const char *letter)
{
    return letter == letters ? "" : letter[-1] == '?' ? " " : ", ";
}

/* "integer, double": the parameters of a builtin for a message. */
static char *describe_builtin(const struct builtin *builtin)
{
    struct text text = {0};

    for (const char *letter = builtin->parameters; *letter != '\0'; letter++)
        if (*letter == '+')
            text_append(&text, ", ...");
        else if (*letter == '?')
            text_append(&text, "; optional:");
        else
            text_append(&text, "%s%s", between(builtin->parameters, letter),
                        value_type_name((enum value_type) * letter));
    return text_take(&text);
}

void arguments_count_builtin(struct checker *c, const struct expr *call,
                             const struct builtin *builtin)
{
    size_t least, most;

    builtin_arity(builtin->parameters, &least, &most);
    if (call->count >= least && call->count <= most)
        return;
    char *description = describe_builtin(builtin);

    report_bounds(c, call, least, most, description);
    free(description);
}

static char *describe_measurement(const struct measurement *measurement)
{
    struct text text = {0};

    for (size_t i = 0; i < measurement_parameter_count(measurement); i++)
        text_append(&text, "%s%s%s", i > 0 ? ", " : "", measurement->parameters[i].name,
                    measurement->parameters[i].otherwise ? " if you want" : "");
    return text_take(&text);
}

void arguments_count_measurement(struct checker *c, const struct expr *call,
                                 const struct measurement *measurement)
{
    size_t wanted = measurement_parameter_count(measurement);
    size_t least = measurement_required_count(measurement);

    if (call->count >= least && call->count <= wanted)
        return;
    char *description = describe_measurement(measurement);

    report_bounds(c, call, least, wanted, description);
    free(description);
}

/* ---- Types and ranges ---- */

void arguments_type(struct checker *c, const struct expr *call, size_t i, enum value_type type,
                    enum value_type wanted, const char *name)
{
    const struct expr *argument = call->args[i];
    const char *what = wanted == TYPE_REAL ? "a number" : check_type_text(wanted);

    if (check_fits(type, wanted))
        return;
    if (name)
        diag_error(c->diag, argument->where, "argument %zu of %s (%s) must be %s, this is %s",
                   i + 1, call->text, name, what, check_type_text(type));
    else
        diag_error(c->diag, argument->where, "argument %zu of %s must be %s, this is %s", i + 1,
                   call->text, what, check_type_text(type));
}

void arguments_minimum(struct checker *c, const struct expr *call, size_t i,
                       const struct parameter *parameter)
{
    double value;

    if (value_type_of(parameter->type) != TYPE_INT || !check_literal(call->args[i], &value) ||
        round(value) >= (double)parameter->minimum)
        return;
    diag_error(c->diag, call->args[i]->where, "argument %zu of %s (%s) must be at least %lld",
               i + 1, call->text, parameter->name, (long long)parameter->minimum);
}

/* ---- Order ---- */

/* Whether a name has one of these words in it, whatever their case. */
static bool speaks_of(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

/* A variable that holds numbers of bytes or elements: by its name, or because only these can end
 * the loop to ... that it is swept by. */
static bool is_size_variable(const struct checker *c, const struct expr *expr)
{
    static const char *const words[] = {"count", "size", "byte", "len", "elem"};

    if (!expr || expr->kind != EXPR_NAME)
        return false;
    for (const struct around *around = c->loops; around; around = around->outer) {
        const struct stmt *loop = around->loop;
        bool arithmetic = loop->kind == STMT_FOR || loop->kind == STMT_AUTOREFINE;

        if (loop->symbol == expr->symbol && arithmetic && !loop->to)
            return true;
    }
    return speaks_of(expr->text, words, sizeof words / sizeof *words);
}

/* A number, or a name that does not look like a size. */
static bool is_number_of_times(const struct expr *expr)
{
    static const char *const words[] = {"iter", "rep"};
    double value;

    return check_literal(expr, &value) ||
           (expr && expr->kind == EXPR_NAME &&
            speaks_of(expr->text, words, sizeof words / sizeof *words));
}

static bool is_size(const struct parameter *parameter)
{
    return parameter->type == PARAMETER_INT &&
           (strcmp(parameter->unit, "bytes") == 0 || strcmp(parameter->unit, "elements") == 0);
}

/* F(10, count) instead of F(count, iterations): the size in the place of the iterations, and a
 * number in its place. */
void arguments_swapped(struct checker *c, const struct expr *call,
                       const struct measurement *measurement)
{
    size_t n = measurement_parameter_count(measurement);

    if (call->count != n)
        return;
    for (size_t i = 0; i < n; i++) {
        if (measurement->parameters[i].type != PARAMETER_ITERATIONS ||
            !is_size_variable(c, call->args[i]))
            continue;
        for (size_t k = 0; k < n; k++) {
            if (!is_size(&measurement->parameters[k]) || !is_number_of_times(call->args[k]))
                continue;
            char *description = describe_measurement(measurement);

            diag_warning(c->diag, call->args[i]->where,
                         "'%s' is passed as the %s and a number as the %s: are they swapped? The "
                         "function is %s(%s)",
                         call->args[i]->text, measurement->parameters[i].name,
                         measurement->parameters[k].name, call->text, description);
            free(description);
            return;
        }
    }
}
