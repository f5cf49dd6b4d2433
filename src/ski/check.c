/*
 * Checks a script before it runs: binds names and reports errors that the text alone shows.
 *
 * The check makes one pass in the order of the text. It follows types where the text alone decides
 * them; after branches and within loops, the types of variables that may have been assigned count
 * as unknown.
 */
#define _GNU_SOURCE /* strcasestr */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "engine/measurement.h"
#include "engine/request.h"
#include "settings/table.h"
#include "ski/builtins.h"
#include "ski/diag.h"
#include "ski/function_names.h"
#include "ski/loop.h"
#include "ski/script.h"
#include "ski/tree.h"
#include "ski/value.h"

struct variable {
    bool global; /* the text up to here assigns it outside the blocks */
    enum value_type global_type;
    const struct stmt *block; /* the last one that assigned it */
    enum value_type local_type;
};

struct loop_level {
    const struct stmt *loop;
    const struct loop_level *outer;
};

struct checker {
    struct tree *tree;
    struct diag *diag;
    struct variable *variables;     /* by symbol */
    const struct stmt *block;       /* NULL outside */
    const struct loop_level *loops; /* the loops around the statement, the innermost first */
    bool refining;
};

/* ---- Variables and constants ---- */

/* Whether the name means a variable of the block that is checked. */
static bool check_is_local(const struct checker *c, int symbol)
{
    return c->block && c->variables[symbol].block == c->block;
}

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

/* Whether a value of one type can be given where another is wanted. */
static bool check_fits(enum value_type given, enum value_type wanted)
{
    bool numbers =
        (given == TYPE_INT || given == TYPE_REAL) && (wanted == TYPE_INT || wanted == TYPE_REAL);

    return given == TYPE_UNKNOWN || given == wanted || numbers;
}

/* The value of an expression that consists of numbers and operators only; false for any other one.
 */
static bool check_constant(const struct expr *expr, struct value *value)
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

static bool check_literal(const struct expr *expr, double *number)
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
            if (check_is_local(c, i) || c->variables[i].global)
                add_candidate(&candidates, c->tree->symbols[i]);
        for (size_t i = 0; constant_at(i); i++)
            add_candidate(&candidates, constant_at(i)->name);
        report_unknown(c, expr, "name", &candidates);
    }
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

/* An error when there are too few or too many arguments. */
static void arguments_count(struct checker *c, const struct expr *call,
                            const struct signature *signature)
{
    size_t least, most;

    signature_arity(signature, &least, &most);
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
static void check_setting(struct checker *c, const struct expr *argument,
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
    else if (!setting->words && check_literal(argument, &value))
        refusal = setting_refuse_number(setting, value);
    if (refusal)
        diag_error(c->diag, argument->where, "%s", refusal);
    free(refusal);
}

/* An error when argument i, of this type, is not of the type that is wanted there. */
static void arguments_fit(struct checker *c, const struct expr *call, size_t i,
                          enum value_type given, enum value_type wanted)
{
    const struct expr *argument = call->args[i];
    enum value_type type = wanted != TYPE_UNIT    ? wanted
                           : given == TYPE_STRING ? TYPE_STRING
                                                  : TYPE_REAL;
    double value;

    if (!check_fits(given, type))
        complain(c, call, i, "%s, this is %s",
                 wanted == TYPE_UNIT   ? "a number or the name of a unit"
                 : wanted == TYPE_REAL ? "a number"
                                       : value_type_text(wanted),
                 value_type_text(given));
    if (wanted == TYPE_INT && check_literal(argument, &value)) {
        /* A literal such as 8.5 is a mistake, whereas a computed double is rounded. */
        if (value != floor(value))
            complain(c, call, i, "a whole number, %.15g is none", value);
        if (call->measurement && value < (double)call->measurement->parameters[i].minimum)
            complain(c, call, i, "at least %lld",
                     (long long)call->measurement->parameters[i].minimum);
    }
    if (call->builtin && call->builtin->settings)
        check_setting(c, argument, &call->builtin->settings[i]);
}

/* False, with an error, when argument i is a word without quotes and no variable, where a text is
 * wanted. */
static bool arguments_quoted(struct checker *c, const struct expr *call, size_t i,
                             enum value_type wanted)
{
    const struct expr *argument = call->args[i];

    if (!argument || argument->kind != EXPR_NAME ||
        (wanted != TYPE_STRING && wanted != TYPE_UNIT) || check_is_local(c, argument->symbol) ||
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
                              struct argument *argument)
{
    double number;

    if (parameter->type == PARAMETER_STRING) {
        argument->string = !expr ? parameter->otherwise : expr->text;
        return !expr || expr->kind == EXPR_STRING;
    }
    if (parameter->type > PARAMETER_DOUBLE)
        return false;
    if (!expr)
        number = strtod(parameter->otherwise, NULL);
    else if (!check_literal(expr, &number))
        return false;
    argument->real = number;
    return value_round(number, &argument->integer);
}

char *arguments_refusal_everywhere(const struct measure_request *request, int *argument)
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

/* An error when literal arguments show that no set of PEs can be measured with them. */
static void arguments_refused(struct checker *c, const struct expr *call)
{
    const struct measurement *measurement = call->measurement;
    struct argument arguments[MEASUREMENT_MAX_PARAMETERS] = {{0}};
    int argument;

    if (call->count < measurement_required_count(measurement))
        return;
    for (size_t i = 0; i < measurement_parameter_count(measurement); i++)
        if ((i < call->count && !call->args[i]) ||
            !constant_argument(&measurement->parameters[i], i < call->count ? call->args[i] : NULL,
                               &arguments[i]))
            return;
    char *refusal = arguments_refusal_everywhere(
        &(struct measure_request){.function = measurement, .arguments = arguments}, &argument);

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

    return check_literal(expr, &value) ||
           (expr && expr->kind == EXPR_NAME &&
            speaks_of(expr->text, words, sizeof words / sizeof *words));
}

/* Warns of F(10, count) where F(count, iterations) is meant: a size stands in the place of the
 * iterations, and a number in the place of the size. */
static void arguments_swapped(struct checker *c, const struct expr *call)
{
    const struct parameter *parameters = call->measurement->parameters;
    size_t n = measurement_parameter_count(call->measurement);

    if (call->count != n)
        return;
    for (size_t i = 0; i < n; i++) {
        if (parameters[i].type != PARAMETER_ITERATIONS || !is_size_variable(c, call->args[i]))
            continue;
        for (size_t k = 0; k < n; k++) {
            bool size = parameters[k].type == PARAMETER_INT &&
                        (strcmp(parameters[k].unit, "bytes") == 0 ||
                         strcmp(parameters[k].unit, "elements") == 0);

            if (!size || !is_number_of_times(call->args[k]))
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

/* ---- Expressions ---- */

static void check_list(struct checker *c, const struct stmt_list *list);
static enum value_type check_value(struct checker *c, struct expr *expr);

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

static void check_arguments(struct checker *c, const struct expr *call,
                            const struct signature *signature)
{
    for (size_t i = 0; i < call->count; i++) {
        enum value_type wanted = signature_type(signature, i);

        if (!arguments_quoted(c, call, i, wanted))
            continue;
        enum value_type given = check_value(c, call->args[i]);

        if (wanted != TYPE_UNKNOWN)
            arguments_fit(c, call, i, given, wanted);
    }
    arguments_count(c, call, signature);
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
    enum value_type type = check_require(c, stmt->from, TYPE_REAL, "the start of a loop");
    const char *error;
    double value;

    check_require(c, stmt->to, TYPE_REAL, "the end of a loop");
    check_require(c, stmt->step, TYPE_REAL, "the step of a loop");
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
        arguments_refused(c, expr);
        arguments_swapped(c, expr);
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
