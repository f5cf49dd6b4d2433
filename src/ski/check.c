/*
 * One pass in the order of the text. Types are followed where the text alone decides them; behind
 * branches and within loops, what may have been assigned counts as unknown.
 */
#define _GNU_SOURCE /* strcasestr */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "engine/alias.h"
#include "engine/measurement.h"
#include "ski/builtins.h"
#include "ski/diag.h"
#include "ski/script.h"
#include "ski/tree.h"
#include "ski/value.h"

#define TYPE_UNKNOWN ((enum value_type)0)

struct variable {
    bool global; /* assigned outside the blocks so far */
    enum value_type global_type;
    const struct stmt *block; /* the last one that assigned it */
    enum value_type local_type;
};

struct around {
    const struct stmt *loop;
    const struct around *outer;
};

struct checker {
    struct tree *tree;
    struct diag *diag;
    struct variable *variables; /* by symbol */
    const struct stmt *block;   /* NULL outside */
    const struct around *loops; /* around the statement, from the inside */
    bool refining;
};

static void check_list(struct checker *c, const struct stmt_list *list);
static enum value_type check_value(struct checker *c, struct expr *expr);

/* ---- names ---- */

static bool is_local(const struct checker *c, int symbol)
{
    return c->block && c->variables[symbol].block == c->block;
}

static void assign(struct checker *c, int symbol, enum value_type type)
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

/* Candidates for "did you mean". */
struct candidates {
    const char **names;
    size_t count, room;
};

static void candidates_add(struct candidates *candidates, const char *name)
{
    if (candidates->count == candidates->room) {
        size_t room = candidates->room > 0 ? 2 * candidates->room : 64;
        const char **names = memory_allocate(room * sizeof *names);

        if (candidates->count > 0)
            memcpy(names, candidates->names, candidates->count * sizeof *names);
        free(candidates->names);
        candidates->names = names;
        candidates->room = room;
    }
    candidates->names[candidates->count++] = name;
}

static void add_functions(struct candidates *candidates)
{
    for (size_t i = 0; builtin_at(i); i++)
        if (!builtin_at(i)->iterator)
            candidates_add(candidates, builtin_at(i)->name);
}

static void add_measurements(struct candidates *candidates)
{
    for (size_t i = 0; measurement_at(i); i++)
        candidates_add(candidates, measurement_at(i)->name);
}

static void add_iterators(struct candidates *candidates)
{
    for (size_t i = 0; builtin_at(i); i++)
        if (builtin_at(i)->iterator)
            candidates_add(candidates, builtin_at(i)->name);
}

static void add_variables(struct candidates *candidates, const struct checker *c)
{
    for (int i = 0; i < c->tree->symbol_count; i++)
        if (is_local(c, i) || c->variables[i].global)
            candidates_add(candidates, c->tree->symbols[i]);
    for (size_t i = 0; constant_at(i); i++)
        candidates_add(candidates, constant_at(i)->name);
}

/* What classic scripts call that measure MPI-IO. */
static bool is_about_files(const char *name)
{
    static const char *const beginnings[] = {"MPI_IO_", "set_io_", "get_io_"};
    static const char *const names[] = {"set_file_info",       "reset_file_info",
                                        "print_file_info",     "print_data_access_settings",
                                        "round_to_fourbytes",  "round_to_fivebytes",
                                        "data_access_routines"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* "unknown WHAT 'name'", with the closest candidate; releases the candidates. */
static void report_unknown(struct checker *c, const struct expr *expr, const char *what,
                           struct candidates *candidates)
{
    if (is_about_files(expr->text)) {
        diag_error(c->diag, expr->where,
                   "'%s' is for MPI-IO, which skampi does not measure: leave this part of the "
                   "script out",
                   expr->text);
        free(candidates->names);
        return;
    }
    const char *closest = diag_closest(expr->text, candidates->names, candidates->count);

    if (closest)
        diag_error(c->diag, expr->where, "unknown %s '%s': did you mean '%s'?", what, expr->text,
                   closest);
    else
        diag_error(c->diag, expr->where, "unknown %s '%s'", what, expr->text);
    free(candidates->names);
}

/* Where a global is assigned behind the place that reads it, or NULL. */
static const struct stmt *find_global(const struct checker *c, int symbol)
{
    for (size_t i = 0; i < c->tree->top.count; i++) {
        const struct stmt *stmt = c->tree->top.items[i];

        if (stmt->kind == STMT_ASSIGN && stmt->symbol == symbol)
            return stmt;
    }
    return NULL;
}

static void report_unknown_name(struct checker *c, const struct expr *expr)
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
        diag_error(c->diag, expr->where, "'%s' has no value yet: it is assigned only in line %d",
                   expr->text, later->where.line);
    } else if (block && block != c->block) {
        diag_error(c->diag, expr->where,
                   "'%s' is known only within the block of line %d: assign it again here, or "
                   "before the blocks",
                   expr->text, block->where.line);
    } else if (builtin_find(expr->text) || measurement_find(expr->text)) {
        diag_error(c->diag, expr->where, "'%s' is a function: call it as %s(...)", expr->text,
                   expr->text);
    } else {
        add_variables(&candidates, c);
        report_unknown(c, expr, "name", &candidates);
    }
}

static enum value_type check_name(struct checker *c, struct expr *expr)
{
    const struct variable *variable = &c->variables[expr->symbol];
    const struct constant *constant;

    expr->local = is_local(c, expr->symbol);
    if (expr->local)
        return variable->local_type;
    if (variable->global)
        return variable->global_type;
    constant = constant_find(expr->text);
    if (constant)
        return constant->type;
    if (!c->tree->incomplete)
        report_unknown_name(c, expr);
    return TYPE_UNKNOWN;
}

/* ---- types ---- */

static const char *with_article(enum value_type type)
{
    switch (type) {
    case TYPE_INT:
        return "an integer";
    case TYPE_REAL:
        return "a double";
    case TYPE_STRING:
        return "a string";
    case TYPE_COMM:
        return "a communicator";
    case TYPE_INT_ARRAY:
        return "an integer array";
    case TYPE_DATATYPE:
        return "a datatype";
    case TYPE_DATATYPE_ARRAY:
        return "a datatype array";
    case TYPE_OPERATION:
        return "an operation";
    case TYPE_INFO:
        return "an info object";
    case TYPE_VOID:
        break;
    }
    return "nothing";
}

/* Whether a value of one type can be given where another is wanted. */
static bool fits(enum value_type given, enum value_type wanted)
{
    bool numbers =
        (given == TYPE_INT || given == TYPE_REAL) && (wanted == TYPE_INT || wanted == TYPE_REAL);

    return given == TYPE_UNKNOWN || given == wanted || numbers;
}

/* The expression must have exactly that type. */
static void require(struct checker *c, struct expr *expr, enum value_type wanted, const char *what)
{
    enum value_type type = check_value(c, expr);

    if (type != TYPE_UNKNOWN && type != wanted)
        diag_error(c->diag, expr->where, "%s must be %s, this is %s", what, with_article(wanted),
                   with_article(type));
}

static void require_number(struct checker *c, struct expr *expr, const char *what)
{
    enum value_type type = check_value(c, expr);

    if (!fits(type, TYPE_REAL))
        diag_error(c->diag, expr->where, "%s must be a number, this is %s", what,
                   with_article(type));
}

/* The value of a number that is written down, with its sign. */
static bool literal_number(const struct expr *expr, double *value)
{
    if (!expr)
        return false;
    switch (expr->kind) {
    case EXPR_INTEGER:
        *value = (double)expr->integer;
        return true;
    case EXPR_REAL:
        *value = expr->real;
        return true;
    case EXPR_UNARY:
        if ((expr->op != OP_NEGATE && expr->op != OP_PLUS) || !literal_number(expr->args[0], value))
            return false;
        if (expr->op == OP_NEGATE)
            *value = -*value;
        return true;
    default:
        return false;
    }
}

/* ---- calls ---- */

static void report_arity(struct checker *c, const struct expr *call, size_t wanted,
                         const char *bound, const char *parameters)
{
    bool few = call->count < wanted;
    struct position where = call->where;

    if (!few && call->args[wanted])
        where = call->args[wanted]->where;
    diag_error(c->diag, where, "too %s arguments: %s takes %s%zu argument%s%s%s%s, %zu given",
               few ? "few" : "many", call->text, bound, wanted, words_plural(wanted),
               *parameters != '\0' ? " (" : "", parameters, *parameters != '\0' ? ")" : "",
               call->count);
}

/* The same where some may be left out. */
static void report_bounds(struct checker *c, const struct expr *call, size_t least, size_t most,
                          const char *parameters)
{
    bool few = call->count < least;
    const char *bound = few ? "at least " : "at most ";

    report_arity(c, call, few ? least : most, least == most ? "" : bound, parameters);
}

static void check_argument(struct checker *c, const struct expr *call, size_t i,
                           enum value_type wanted, const char *name)
{
    struct expr *argument = call->args[i];
    enum value_type type = check_value(c, argument);
    const char *what = wanted == TYPE_REAL ? "a number" : with_article(wanted);

    if (fits(type, wanted))
        return;
    if (name)
        diag_error(c->diag, argument->where, "argument %zu of %s (%s) must be %s, this is %s",
                   i + 1, call->text, name, what, with_article(type));
    else
        diag_error(c->diag, argument->where, "argument %zu of %s must be %s, this is %s", i + 1,
                   call->text, what, with_article(type));
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
            text_append(&text, "; then perhaps");
        else
            text_append(&text, "%s%s", between(builtin->parameters, letter),
                        value_type_name((enum value_type) * letter));
    return text_take(&text);
}

static void check_builtin(struct checker *c, struct expr *call, const struct builtin *builtin)
{
    const char *parameters = builtin->parameters;
    size_t least, most;

    builtin_arity(parameters, &least, &most);
    call->builtin = builtin;
    for (size_t i = 0; i < call->count; i++)
        if (i < most)
            check_argument(c, call, i, (enum value_type)builtin_letter(parameters, i), NULL);
        else
            check_value(c, call->args[i]);
    if (call->count < least || call->count > most) {
        char *description = describe_builtin(builtin);

        report_bounds(c, call, least, most, description);
        free(description);
    }
}

static void check_minimum(struct checker *c, const struct expr *call, size_t i,
                          const struct parameter *parameter)
{
    double value;

    if (value_type_of(parameter->type) != TYPE_INT || !literal_number(call->args[i], &value) ||
        round(value) >= (double)parameter->minimum)
        return;
    diag_error(c->diag, call->args[i]->where, "argument %zu of %s (%s) must be at least %lld",
               i + 1, call->text, parameter->name, (long long)parameter->minimum);
}

static char *describe_measurement(const struct measurement *measurement)
{
    struct text text = {0};

    for (size_t i = 0; i < measurement_parameter_count(measurement); i++)
        text_append(&text, "%s%s%s", i > 0 ? ", " : "", measurement->parameters[i].name,
                    measurement->parameters[i].otherwise ? " if you want" : "");
    return text_take(&text);
}

/* Whether a name has one of these words in it, whatever their case. */
static bool speaks_of(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

/* A variable that stands for numbers of bytes or elements: by its name, or since only these can end
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

/* Neither a size, as far as one sees. */
static bool is_number_of_times(const struct expr *expr)
{
    static const char *const words[] = {"iter", "rep"};
    double value;

    return literal_number(expr, &value) ||
           (expr && expr->kind == EXPR_NAME &&
            speaks_of(expr->text, words, sizeof words / sizeof *words));
}

static bool is_size(const struct parameter *parameter)
{
    return parameter->type == PARAMETER_INT &&
           (strcmp(parameter->unit, "bytes") == 0 || strcmp(parameter->unit, "elements") == 0);
}

/* F(10, count) where it is F(count, iterations): the size where the iterations belong, and a number
 * in its place. */
static void warn_of_swapped(struct checker *c, const struct expr *call,
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
                         "'%s' is given as the %s, and a number as the %s: are they swapped? It is "
                         "%s(%s)",
                         call->args[i]->text, measurement->parameters[i].name,
                         measurement->parameters[k].name, call->text, description);
            free(description);
            return;
        }
    }
}

static void check_measurement(struct checker *c, struct expr *call,
                              const struct measurement *measurement)
{
    size_t wanted = measurement_parameter_count(measurement);
    size_t least = measurement_required_count(measurement);

    call->measurement = measurement;
    c->tree->communicates =
        c->tree->communicates || (measurement->api != API_NONE && !measurement->once);
    for (size_t i = 0; i < call->count; i++) {
        const struct parameter *parameter;

        if (i >= wanted) {
            check_value(c, call->args[i]);
            continue;
        }
        parameter = &measurement->parameters[i];
        check_argument(c, call, i, value_type_of(parameter->type), parameter->name);
        check_minimum(c, call, i, parameter);
    }
    if (call->count < least || call->count > wanted) {
        char *description = describe_measurement(measurement);

        report_bounds(c, call, least, wanted, description);
        free(description);
    }
    warn_of_swapped(c, call, measurement);
}

static void check_arguments(struct checker *c, const struct expr *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        check_value(c, expr->args[i]);
}

static void report_unknown_function(struct checker *c, const struct expr *call)
{
    struct candidates candidates = {0};
    const struct measurement *meant;

    if (alias_find(call->text, &meant, 1) > 0) {
        diag_error(c->diag, call->where, "unknown function '%s': did you mean '%s'?", call->text,
                   meant->name);
        return;
    }
    if (diag_wants(c->diag, call->where)) {
        add_functions(&candidates);
        add_measurements(&candidates);
    }
    report_unknown(c, call, "function", &candidates);
}

/* A call outside measure: only builtins. */
static enum value_type check_call(struct checker *c, struct expr *call)
{
    const struct builtin *builtin = builtin_find(call->text);

    if (builtin && !builtin->iterator) {
        check_builtin(c, call, builtin);
        return builtin->result;
    }
    if (builtin)
        diag_error(c->diag, call->where,
                   "'%s' is an iterator: it can only stand in 'for NAME in %s(...) do'", call->text,
                   call->text);
    else if (measurement_find(call->text))
        diag_error(c->diag, call->where,
                   "'%s' is a measurement function: write 'measure COMMUNICATOR : %s(...)'",
                   call->text, call->text);
    else
        report_unknown_function(c, call);
    check_arguments(c, call);
    return TYPE_UNKNOWN;
}

/* ---- expressions ---- */

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

/* The first element says what the array is one of. */
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
                   with_article(first), with_article(type));
    }
    if (first == TYPE_UNKNOWN)
        return TYPE_UNKNOWN;
    return first == TYPE_DATATYPE ? TYPE_DATATYPE_ARRAY : TYPE_INT_ARRAY;
}

/* May be a call that returns nothing. */
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
    diag_error(c->diag, expr->where, "%s() returns nothing that could be used as a value",
               expr->text);
    return TYPE_UNKNOWN;
}

/* ---- statements ---- */

static void forget(struct checker *c, int symbol)
{
    if (symbol < 0)
        return;
    if (is_local(c, symbol))
        c->variables[symbol].local_type = TYPE_UNKNOWN;
    else if (!c->block)
        c->variables[symbol].global_type = TYPE_UNKNOWN;
}

/* Whatever these statements assign, its type is unknown from here on. */
static void forget_assigned(struct checker *c, const struct stmt_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct stmt *stmt = list->items[i];

        forget(c, stmt->symbol);
        forget_assigned(c, &stmt->body);
        forget_assigned(c, &stmt->otherwise);
    }
}

static void check_if(struct checker *c, struct stmt *stmt)
{
    require(c, stmt->expr, TYPE_INT, "the condition of 'if'");
    check_list(c, &stmt->body);
    forget_assigned(c, &stmt->body);
    check_list(c, &stmt->otherwise);
    forget_assigned(c, &stmt->otherwise);
}

static bool literal_value(const struct expr *expr, struct value *value)
{
    double number;

    if (!literal_number(expr, &number))
        return false;
    *value = expr->kind == EXPR_REAL || number != floor(number) || fabs(number) >= 0x1p62
                 ? value_real(number)
                 : value_int((int64_t)number);
    return true;
}

/* 10 to 1 step 2. What is written down in numbers shows that nothing is done; 5 to 1 without a step
 * is how scripts say so on purpose. */
static void warn_of_empty(struct checker *c, const struct stmt *stmt)
{
    struct loop loop = {.multiplicative = stmt->multiplicative};
    struct value first, multiple = value_int(0);
    const char *error;

    if (!literal_value(stmt->from, &loop.start) || !literal_value(stmt->to, &loop.end) ||
        !literal_value(stmt->step, &loop.step) ||
        (stmt->multiple_of && !literal_value(stmt->multiple_of, &multiple)) ||
        multiple.type != TYPE_INT)
        return;
    loop.multiple_of = multiple.as.integer;
    if (!loop_begin(&loop) && !loop_next(&loop, &first, &error) && !error)
        diag_warning(c->diag, stmt->step->where,
                     "this loop does nothing: its step leads away from its end; %s, or swap "
                     "start and end",
                     stmt->multiplicative ? "use one divided by the factor"
                                          : "give the step the other sign");
}

static enum value_type check_range(struct checker *c, struct stmt *stmt)
{
    enum value_type type = check_value(c, stmt->from);
    double value;

    if (!fits(type, TYPE_REAL))
        diag_error(c->diag, stmt->from->where, "the start of a loop must be a number, this is %s",
                   with_article(type));
    require_number(c, stmt->to, "the end of a loop");
    require_number(c, stmt->step, "the step of a loop");
    require(c, stmt->multiple_of, TYPE_INT, "the number behind 'multipleof'");
    if (!stmt->multiplicative && literal_number(stmt->step, &value) && value == 0)
        diag_error(c->diag, stmt->step->where, "a loop with step 0 never ends");
    if (literal_number(stmt->multiple_of, &value) && value < 1)
        diag_error(c->diag, stmt->multiple_of->where,
                   "the number behind 'multipleof' must be at least 1");
    warn_of_empty(c, stmt);
    return fits(type, TYPE_REAL) ? type : TYPE_UNKNOWN;
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
    struct candidates candidates = {0};

    if (!call)
        return TYPE_UNKNOWN;
    builtin = builtin_find(call->text);
    if (builtin && builtin->iterator) {
        check_builtin(c, call, builtin);
        return builtin->result;
    }
    if (builtin || measurement_find(call->text)) {
        diag_error(c->diag, call->where,
                   "'%s' is no iterator and cannot stand behind 'in'; for a list of values write "
                   "'in [...]'",
                   call->text);
    } else {
        if (diag_wants(c->diag, call->where))
            add_iterators(&candidates);
        report_unknown(c, call, "iterator", &candidates);
    }
    check_arguments(c, call);
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
    const struct around around = {stmt, c->loops};
    bool was_refining = c->refining;
    enum value_type type;

    if (stmt->kind == STMT_AUTOREFINE && was_refining)
        diag_error(c->diag, stmt->where,
                   "'autorefine' cannot stand within another 'autorefine': write 'for'");
    type = check_header(c, stmt);
    c->refining = was_refining || stmt->kind == STMT_AUTOREFINE;
    forget_assigned(c, &stmt->body);
    assign(c, stmt->symbol, type);
    c->loops = &around;
    check_list(c, &stmt->body);
    c->loops = around.outer;
    forget_assigned(c, &stmt->body);
    if (stmt->kind != STMT_FOR && stmt->kind != STMT_AUTOREFINE)
        forget(c, stmt->symbol);
    c->refining = was_refining;
}

static void check_measured(struct checker *c, struct expr *expr)
{
    const struct measurement *measurement;

    if (!expr)
        return;
    if (expr->kind != EXPR_CALL) {
        bool name = expr->kind == EXPR_NAME && measurement_find(expr->text);

        diag_error(c->diag, expr->where,
                   "behind ':' must stand the call of a measurement function, such as %s(...)",
                   name ? expr->text : "Shmem_Put_Round");
        return;
    }
    measurement = measurement_find(expr->text);
    if (measurement) {
        check_measurement(c, expr, measurement);
        return;
    }
    if (builtin_find(expr->text))
        diag_error(c->diag, expr->where,
                   "'%s' is not a measurement function: it cannot be measured", expr->text);
    else
        report_unknown_function(c, expr);
    check_arguments(c, expr);
}

static void check_measure(struct checker *c, struct stmt *stmt)
{
    enum value_type type = check_value(c, stmt->set);

    if (type != TYPE_UNKNOWN && type != TYPE_COMM)
        diag_error(c->diag, stmt->set->where,
                   "between 'measure' and ':' must stand a communicator, such as comm(2); this is "
                   "%s",
                   with_article(type));
    check_measured(c, stmt->expr);
}

static void check_assert(struct checker *c, const struct stmt *stmt)
{
    if (stmt->list_count != 2)
        return;
    require(c, stmt->list[0], TYPE_INT, "the condition of assert");
    require(c, stmt->list[1], TYPE_STRING, "the text of assert");
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
        assign(c, stmt->symbol, check_value(c, stmt->expr));
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

void tree_check(struct tree *tree, const struct source *source, struct diag *diag)
{
    struct checker checker = {.tree = tree, .diag = diag};

    (void)source;
    checker.variables = memory_zeroed((size_t)tree->symbol_count, sizeof *checker.variables);
    check_list(&checker, &tree->top);
    free(checker.variables);
}
