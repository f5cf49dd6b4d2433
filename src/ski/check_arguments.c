/*
 * What the checker knows before a script runs of the value of an expression, and what it finds
 * wrong with the arguments of one call by it.
 */
#define _GNU_SOURCE /* strcasestr */
#include "ski/check_arguments.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "engine/measurement.h"
#include "engine/request.h"
#include "settings/table.h"
#include "ski/builtins.h"
#include "ski/diag.h"
#include "ski/script.h"

/* ---- Variables and constants ---- */

bool checker_is_local(const struct checker *c, int symbol)
{
    return c->block && c->variables[symbol].block == c->block;
}

bool checker_constant(const struct expr *expr, struct value *value)
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
        return checker_constant(expr->args[0], &a) &&
               (expr->kind == EXPR_UNARY || checker_constant(expr->args[1], &b)) &&
               !value_operate(expr->op, &a, expr->kind == EXPR_UNARY ? NULL : &b, value);
    default:
        return false;
    }
}

bool checker_literal(const struct expr *expr, double *number)
{
    struct value value;

    if (!checker_constant(expr, &value))
        return false;
    *number = value_real_of(&value);
    return true;
}

/* ---- The number of arguments ---- */

/* "integer, double": the parameters of a builtin for a message. */
static char *describe_builtin(const struct signature *parameters)
{
    struct text text = {0};

    size_t count = signature_count(parameters);

    for (size_t i = 0; i < count; i++) {
        bool first_optional = parameters->optional > 0 && i == count - parameters->optional;
        const char *before = i == 0 ? "" : ", ";

        if (first_optional)
            before = "; optional: ";
        text_append(&text, "%s%s", before, value_type_name(parameters->types[i]));
    }
    if (parameters->more)
        text_append(&text, ", ...");
    return text_take(&text);
}

static char *describe_measurement(const struct measurement *measurement)
{
    struct text text = {0};

    for (size_t i = 0; i < measurement_parameter_count(measurement); i++)
        text_append(&text, "%s%s%s", i > 0 ? ", " : "", measurement->parameters[i].name,
                    measurement->parameters[i].otherwise ? " if you want" : "");
    return text_take(&text);
}

void checker_arguments_count(struct checker *c, const struct expr *call,
                             const struct signature *signature)
{
    size_t count = signature_count(signature), least = count - signature->optional;
    size_t most = signature->more ? SIZE_MAX : count;
    bool few = call->count < least;
    size_t wanted = few ? least : most;

    if (!few && call->count <= most)
        return;
    char *parameters =
        call->measurement ? describe_measurement(call->measurement) : describe_builtin(signature);

    diag_error(c->diag, few || !call->args[most] ? call->where : call->args[most]->where,
               "too %s arguments: %s takes %s%zu argument%s%s%s%s, you gave %zu",
               few ? "few" : "many", call->text,
               least == most ? ""
               : few         ? "at least "
                             : "at most ",
               wanted, numbers_plural(wanted), *parameters ? " (" : "", parameters,
               *parameters ? ")" : "", call->count);
    free(parameters);
}

/* ---- Their types and ranges ---- */

/* Whether a value of one type can be given where another is wanted. */
static bool fits(enum value_type given, enum value_type wanted)
{
    bool numbers =
        (given == TYPE_INT || given == TYPE_REAL) && (wanted == TYPE_INT || wanted == TYPE_REAL);

    return given == TYPE_UNKNOWN || given == wanted || numbers;
}

/* Reports what is wrong with argument i, after its number and name. */
__attribute__((format(printf, 4, 5))) static void
complain(struct checker *c, const struct expr *call, size_t i, const char *format, ...)
{
    const char *parameter = call->measurement ? call->measurement->parameters[i].name : NULL;
    va_list list;

    va_start(list, format);
    char *what = text_format_with(format, list);
    va_end(list);
    diag_error(c->diag, call->args[i]->where, "argument %zu of %s%s%s%s must be %s", i + 1,
               call->text, parameter ? " (" : "", parameter ? parameter : "", parameter ? ")" : "",
               what);
    free(what);
}

/* Reports a number or a word that the setting refuses. */
static void refuse_setting(struct checker *c, const struct expr *argument,
                           const struct setting *setting)
{
    char *refusal = NULL;
    double value;

    if (setting->words && argument && argument->kind == EXPR_STRING)
        refusal = setting_refuse_word(setting, argument->text);
    else if (setting->names_unit && argument && argument->kind == EXPR_STRING)
        refusal = numbers_unit(argument->text) > 0
                      ? NULL
                      : text_format("%s(): %s", setting->function, UNIT_WANTED);
    else if (!setting->words && checker_literal(argument, &value))
        refusal = setting_refuse_number(setting, value);
    if (refusal)
        diag_error(c->diag, argument->where, "%s", refusal);
    free(refusal);
}

void checker_argument_fits(struct checker *c, const struct expr *call, size_t i,
                           enum value_type given, enum value_type wanted)
{
    const struct expr *argument = call->args[i];
    enum value_type type = wanted != TYPE_UNIT    ? wanted
                           : given == TYPE_STRING ? TYPE_STRING
                                                  : TYPE_REAL;
    double value;

    if (!fits(given, type))
        complain(c, call, i, "%s, this is %s",
                 wanted == TYPE_UNIT   ? "a number or the name of a unit"
                 : wanted == TYPE_REAL ? "a number"
                                       : value_type_text(wanted),
                 value_type_text(given));
    if (wanted == TYPE_INT && checker_literal(argument, &value)) {
        /* A literal such as 8.5 is a mistake, whereas a computed double is rounded. */
        if (value != floor(value))
            complain(c, call, i, "a whole number, %.15g is none", value);
        if (call->measurement && value < (double)call->measurement->parameters[i].minimum)
            complain(c, call, i, "at least %lld",
                     (long long)call->measurement->parameters[i].minimum);
    }
    if (call->builtin && call->builtin->settings)
        refuse_setting(c, argument, &call->builtin->settings[i]);
}

bool checker_argument_quoted(struct checker *c, const struct expr *call, size_t i,
                             enum value_type wanted)
{
    const struct expr *argument = call->args[i];

    if (!argument || argument->kind != EXPR_NAME ||
        (wanted != TYPE_STRING && wanted != TYPE_UNIT) || checker_is_local(c, argument->symbol) ||
        c->variables[argument->symbol].global || constant_find(argument->text) ||
        c->tree->incomplete)
        return true;
    diag_error(c->diag, argument->where,
               "argument %zu of %s: there is no variable %s; if it is a text, put it in quotes: "
               "\"%s\"",
               i + 1, call->text, argument->text, argument->text);
    return false;
}

/* ---- Calls that no number of PEs makes right ---- */

/* The value of an argument; false if it is not known before the script runs. */
static bool constant_argument(const struct parameter *parameter, const struct expr *expr,
                              struct value *argument)
{
    enum value_type type = parameter_value_type(parameter);

    if (!expr)
        *argument = value_default(type, parameter->otherwise);
    else if (expr->kind == EXPR_STRING)
        *argument = value_string(expr->text);
    else if (!checker_constant(expr, argument))
        return false;
    return !value_convert(argument, type);
}

char *script_refusal_everywhere(const struct measure_request *request, int *argument)
{
    int world = measurement_pes();
    const int sizes[] = {1, 2, 4, world ? world : 1, 1 << 16};
    char *first =
        NULL; /* of a set that is large enough: larger ones may lack something else, too */

    if (request->function->neighborhood)
        return NULL; /* that depends on the set's topology */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct measure_request other = *request;
        struct pe_set *set = pe_set_strided(0, 1, sizes[i]);
        other.set = set;
        int offending;
        char *refusal = engine_refusal(&other, &offending);
        pe_set_release(set);
        if (!refusal) {
            free(first);
            return NULL;
        }
        if (!first && sizes[i] >= request->function->minimum_pes) {
            first = refusal;
            *argument = offending;
        } else {
            free(refusal);
        }
    }
    return first;
}

void checker_arguments_refused(struct checker *c, const struct expr *call)
{
    const struct measurement *measurement = call->measurement;
    size_t count = measurement_parameter_count(measurement);
    struct value arguments[MEASUREMENT_MAX_PARAMETERS] = {{0}};
    bool known = call->count >= measurement_required_count(measurement);
    char *refusal = NULL;
    int argument;

    for (size_t i = 0; known && i < count; i++)
        known = (i >= call->count || call->args[i]) &&
                constant_argument(&measurement->parameters[i],
                                  i < call->count ? call->args[i] : NULL, &arguments[i]);
    if (known)
        refusal = script_refusal_everywhere(
            &(struct measure_request){.function = measurement, .arguments = arguments}, &argument);
    for (size_t i = 0; i < count; i++)
        value_release(&arguments[i]);

    if (refusal)
        diag_error(c->diag,
                   argument < 0 || (size_t)argument >= call->count ? call->where
                                                                   : call->args[argument]->where,
                   "%s: %s", call->text, refusal);
    free(refusal);
}

/* ---- The order of arguments ---- */

/* Whether a name has one of these words in it, whatever their case. */
static bool speaks_of(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

/* Whether a variable holds numbers of bytes or elements: its name says so, or it is the variable of
 * a loop to "...", which only growing sizes can end. */
static bool is_size_variable(const struct checker *c, const struct expr *expr)
{
    static const char *const words[] = {"count", "size", "byte", "len", "elem"};

    if (!expr || expr->kind != EXPR_NAME)
        return false;
    for (const struct loop_level *around = c->loops; around; around = around->outer) {
        const struct stmt *loop = around->loop;
        bool arithmetic = loop->kind == STMT_FOR || loop->kind == STMT_AUTOREFINE;

        if (loop->symbol == expr->symbol && arithmetic && !loop->to)
            return true;
    }
    return speaks_of(expr->text, words, sizeof words / sizeof *words);
}

/* Whether the expression can be a number of iterations: a number, or a name that does not look like
 * a size. */
static bool is_number_of_times(const struct expr *expr)
{
    static const char *const words[] = {"iter", "rep"};
    double value;

    return checker_literal(expr, &value) ||
           (expr && expr->kind == EXPR_NAME &&
            speaks_of(expr->text, words, sizeof words / sizeof *words));
}

void checker_arguments_swapped(struct checker *c, const struct expr *call)
{
    const struct parameter *parameters = call->measurement->parameters;
    size_t n = measurement_parameter_count(call->measurement);

    if (call->count != n)
        return;
    for (size_t i = 0; i < n; i++) {
        if (parameters[i].type != PARAMETER_ITERATIONS || !is_size_variable(c, call->args[i]))
            continue;
        for (size_t k = 0; k < n; k++) {
            if (!parameters[k].size || !is_number_of_times(call->args[k]))
                continue;
            char *description = describe_measurement(call->measurement);

            diag_warning(c->diag, call->args[i]->where,
                         "'%s' is passed as the %s and a number as the %s: are they swapped? The "
                         "function is %s(%s)",
                         call->args[i]->text, parameters[i].name, parameters[k].name, call->text,
                         description);
            free(description);
            return;
        }
    }
}
