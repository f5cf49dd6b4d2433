#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/measurement.h"
#include "engine/refine.h"
#include "ski/builtins.h"
#include "ski/script.h"

/* So much text at most (bytes) for one print, the columns and the call of one measure, and all that
 * is printed before the next flush, until which most PEs have to keep it. */
#define PRINT_LIMIT ((size_t)4 << 20)
#define MEASURE_LIMIT ((size_t)1 << 20)
#define PENDING_LIMIT ((size_t)64 << 20)

/* Rounds of a loop to ... whose measurements all need the same buffer, after which it is taken for
 * one that never ends. */
#define STALE_LIMIT 1000

#define STATUS_ASSERTION 1
#define STATUS_SCRIPT 2

/* A loop in progress. */
struct frame {
    struct frame *outer;
    const struct stmt *stmt;
    const struct loop *loop; /* of an arithmetic one */
    bool unlimited;
    bool ends;     /* behind this round */
    bool cut;      /* for that nothing further is listed that does not fit */
    size_t rounds; /* before this one */
    /* What was measured in this round, loops inside included, and the buffer that it needed: this
     * tells whether a loop without end can ever come to one. */
    size_t asked, done;
    size_t least_demand, most_demand;
    size_t least_before, most_before;
    int stale;
};

/* Errors are not thrown but handed up, so that all memory is given back before the job ends:
 * functions return false when the script has failed, with the error stored here. */
struct interp {
    const struct tree *tree;
    const struct source *source;
    struct engine *engine;
    bool show_source;
    struct builtin_context context;
    struct value *globals, *locals; /* by symbol; void: there is no such variable (yet) */
    bool in_block;
    struct frame *loop; /* the innermost */
    struct span {
        double begin, width;
    } span;         /* of the block, 0 to 1, that is being run: for people who wait */
    size_t missing; /* measurements, since the time limit has ended */
    size_t pending; /* bytes printed since the last flush */
    char *error;
    struct position error_where;
    int error_status;
};

bool (*script_goes_on)(void);

static bool run_list(struct interp *in, const struct stmt_list *list);

__attribute__((format(printf, 3, 4))) static bool fail(struct interp *in, struct position where,
                                                       const char *format, ...)
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

/* The part of a span that is next; the caller puts the whole one back behind it. */
static void enter_span(struct interp *in, struct span whole, double begin, double width)
{
    in->span.begin = whole.begin + begin * whole.width;
    in->span.width = width * whole.width;
}

static bool goes_on(struct interp *in, struct position where)
{
    return !script_goes_on || script_goes_on() || fail(in, where, "stopped");
}

/* ---- Agreement of the PEs ---- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;

    /* FNV-1a */
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

/* All PEs are about to do the same thing together; text says what, beyond the place. */
static void agree(struct interp *in, struct position where, const char *text)
{
    int numbers[3] = {where.file, where.line, where.column};
    uint64_t tag = hash_bytes(0xcbf29ce484222325u, numbers, sizeof numbers);
    char *place = diag_place(in->source, where);

    engine_agree(in->engine, hash_bytes(tag, text, strlen(text)), place);
    free(place);
}

/* ---- Variables ---- */

/* The checker decided which one is meant. */
static struct value *variable_read(struct interp *in, int symbol, bool local)
{
    return local ? &in->locals[symbol] : &in->globals[symbol];
}

/* Takes the value over. */
static void variable_assign(struct interp *in, int symbol, struct value v)
{
    struct value *slot = in->in_block ? &in->locals[symbol] : &in->globals[symbol];

    value_release(slot);
    *slot = v;
}

static void release_all(struct value *values, int count)
{
    for (int i = 0; i < count; i++)
        value_release(&values[i]);
}

static void release_args(struct value *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        value_release(&args[i]);
    free(args);
}

/* ---- Expressions ---- */

static bool evaluate(struct interp *in, const struct expr *expr, struct value *v);

static bool check_arity(struct interp *in, const struct expr *call, const char *letters)
{
    size_t least, most;

    builtin_arity(letters, &least, &most);
    if (call->count >= least && call->count <= most)
        return true;
    size_t wanted = call->count < least ? least : most;
    const char *bound = least == most ? "" : call->count < least ? "at least " : "at most ";

    return fail(in, call->where, "%s() takes %s%zu argument%s, not %zu", call->text, bound, wanted,
                wanted == 1 ? "" : "s", call->count);
}

/* The arguments of a call, converted; the caller releases them. Where refusal is not NULL, a value
 * of a wrong type is no error, but the (allocated) reason why the call cannot be made. */
static bool evaluate_args(struct interp *in, const struct expr *call, const char *letters,
                          struct value **made, char **refusal)
{
    struct value *args;
    bool ok = check_arity(in, call, letters);

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
        error = value_convert(&args[i], (enum value_type)builtin_letter(letters, i));
        if (error && !refusal)
            ok = fail(in, call->args[i]->where, "argument %zu of %s(): %s (given: %s)", i + 1,
                      call->text, error, value_type_name(args[i].type));
        else if (error && !*refusal)
            *refusal = text_format("argument %zu: %s (given: %s)", i + 1, error,
                                   value_type_name(args[i].type));
    }
    if (ok)
        *made = args;
    else
        release_args(args, call->count);
    return ok;
}

/* The error that a builtin left in the context, if any, becomes one of the script. */
static bool builtin_succeeded(struct interp *in, const struct expr *call)
{
    if (!in->context.error)
        return true;
    fail(in, call->where, "%s", in->context.error);
    free(in->context.error);
    in->context.error = NULL;
    return false;
}

/* v may become void. */
static bool call_builtin(struct interp *in, const struct expr *call, struct value *v)
{
    struct value *args;

    if (call->measurement)
        return fail(in, call->where,
                    "%s() is a measurement function; call it as measure SET : %s()", call->text,
                    call->text);
    if (!call->builtin)
        return fail(in, call->where, "unknown function '%s'", call->text);
    if (call->builtin->iterator)
        return fail(in, call->where, "%s() is an iterator; it can only stand behind for ... in",
                    call->text);
    if (!evaluate_args(in, call, call->builtin->parameters, &args, NULL))
        return false;
    if (call->builtin->collective)
        agree(in, call->where, call->text);
    in->context.count = call->count;
    *v = call->builtin->call(&in->context, args);
    release_args(args, call->count);
    if (builtin_succeeded(in, call))
        return true;
    value_release(v);
    return false;
}

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
        return fail(in, expr->where, "all arrays together would have more than %d elements",
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
    fail(in, expr->args[i]->where, "an array holds %s (given: %s)%s",
         v->type == TYPE_INT_ARRAY ? "integers" : "datatypes, when the first element is one",
         value_type_name(item.type),
         item.type == TYPE_REAL ? "; round() makes one of a double" : "");
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
        return fail(in, expr->where, "%s", error);
    return ok;
}

/* On failure v is void. */
static bool evaluate(struct interp *in, const struct expr *expr, struct value *v)
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
        *v = value_copy(variable_read(in, expr->symbol, expr->local));
        if (v->type == TYPE_VOID)
            ok = fail(in, expr->where, "variable '%s' has no value yet; assign one before",
                      expr->text);
        break;
    case EXPR_CALL:
        ok = call_builtin(in, expr, v);
        if (ok && v->type == TYPE_VOID)
            ok = fail(in, expr->where, "%s() gives no value", expr->text);
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

/* An integer, for a condition or a number of something. */
static bool evaluate_integer(struct interp *in, const struct expr *expr, const char *remedy,
                             int64_t *i)
{
    struct value v;

    if (!evaluate(in, expr, &v))
        return false;
    if (v.type != TYPE_INT) {
        enum value_type given = v.type;

        value_release(&v);
        return fail(in, expr->where, "%s (given: %s)", remedy, value_type_name(given));
    }
    *i = v.as.integer;
    return true;
}

static bool evaluate_condition(struct interp *in, const struct expr *expr, bool *holds)
{
    int64_t i;

    if (!evaluate_integer(in, expr,
                          "a condition must be an integer; a double has to be compared with "
                          "something, as in x != 0.0",
                          &i))
        return false;
    *holds = i != 0;
    return true;
}

/* ---- print ---- */

static bool append_list(struct interp *in, const struct stmt *stmt, struct text *line)
{
    for (size_t i = 0; i < stmt->list_count; i++) {
        struct value v;
        char *shown;

        if (!evaluate(in, stmt->list[i], &v))
            return false;
        shown = value_text(&v);
        value_release(&v);
        text_append(line, "%s", shown);
        free(shown);
        if (line->length > PRINT_LIMIT)
            return fail(in, stmt->list[i]->where, "more than %zu MiB are printed at once",
                        PRINT_LIMIT >> 20);
    }
    return true;
}

static bool print(struct interp *in, const struct stmt *stmt)
{
    struct text shown = {0}, marked = {0};
    bool ok = append_list(in, stmt, &shown);

    if (ok) {
        char *rest = text_take(&shown), *line;

        /* Strings may hold several lines; each must be a comment in the output. */
        for (char *from = rest; (line = strsep(&from, "\n"));)
            text_append(&marked, "#P[%d] %s\n", engine_pe(in->engine), line);
        free(rest);
        in->pending += marked.length;
        ok = in->pending <= PENDING_LIMIT ||
             fail(in, stmt->where, "more than %zu MiB are printed without a flush",
                  PENDING_LIMIT >> 20);
    }
    if (ok)
        engine_print(in->engine, marked.data);
    text_release(&marked);
    text_release(&shown);
    return ok;
}

static void flush(struct interp *in, const struct stmt *stmt)
{
    agree(in, stmt->where, "flush");
    engine_flush(in->engine);
    in->pending = 0;
}

/* ---- measure ---- */

/* The same as the type letters of a builtin. */
static void argument_letters(const struct measurement *function,
                             char letters[MEASUREMENT_MAX_PARAMETERS + 2])
{
    size_t count = measurement_parameter_count(function);
    size_t required = measurement_required_count(function);

    for (size_t i = 0; i < count; i++) {
        if (i == required)
            *letters++ = '?';
        *letters++ = (char)value_type_of(function->parameters[i].type);
    }
    *letters = '\0';
}

/* What was not given, as the function wants it then. */
static struct value *complete_args(const struct measurement *function, struct value *given,
                                   size_t given_count)
{
    size_t count = measurement_parameter_count(function);
    struct value *args;

    if (given_count == count)
        return given;
    args = memory_zeroed(count, sizeof *args);
    for (size_t i = 0; i < given_count; i++)
        args[i] = given[i];
    free(given);
    for (size_t i = given_count; i < count; i++) {
        const char *text = function->parameters[i].otherwise;
        enum value_type type = value_type_of(function->parameters[i].type);

        args[i] = type == TYPE_INT    ? value_int(strtoll(text, NULL, 10))
                  : type == TYPE_REAL ? value_real(strtod(text, NULL))
                                      : value_string(text, strlen(text));
    }
    return args;
}

/* The values stay the owners of what the argument points to. */
static struct argument argument_of(const struct value *v)
{
    struct argument argument = {0};

    if (v->type == TYPE_INT)
        argument.integer = v->as.integer;
    if (v->type == TYPE_REAL)
        argument.real = v->as.real;
    if (v->type == TYPE_STRING)
        argument.string = v->as.string->text;
    if (v->type == TYPE_INT_ARRAY) {
        argument.integer = (int64_t)v->as.array->count;
        argument.array = v->as.array->items;
    }
    if (v->type == TYPE_DATATYPE) {
        argument.datatype = v->as.datatype;
        argument.string = datatype_text(v->as.datatype);
    }
    if (v->type == TYPE_OPERATION) {
        argument.operation = v->as.operation;
        argument.string = operation_name(v->as.operation);
    }
    if (v->type == TYPE_INFO) {
        argument.info = v->as.info;
        argument.string = info_text(v->as.info);
    }
    return argument;
}

/* The value in one line. *bytes counts what is shown; when it is too much, nothing more is. */
static char *column_text(const struct value *v, size_t *bytes)
{
    char *shown;

    if (*bytes > MEASURE_LIMIT)
        return text_format("...");
    shown = value_text(v);
    text_disarm(shown, true);
    *bytes += strlen(shown);
    return shown;
}

/* Shmem_Put_Round(count=8, iterations=5) */
static char *measure_text(const struct measurement *function, const struct value *args,
                          size_t *bytes)
{
    struct text text = {0};
    size_t count = measurement_parameter_count(function);

    text_append(&text, "%s(", function->name);
    for (size_t i = 0; i < count; i++) {
        const char *quote = args[i].type == TYPE_STRING ? "\"" : "";
        char *shown = column_text(&args[i], bytes);

        text_append(&text, "%s%s=%s%s%s", i > 0 ? ", " : "", function->parameters[i].name, quote,
                    shown, quote);
        free(shown);
    }
    text_append(&text, ")");
    return text_take(&text);
}

static size_t loop_depth(const struct interp *in)
{
    size_t depth = 0;

    for (const struct frame *frame = in->loop; frame; frame = frame->outer)
        depth++;
    return depth;
}

/* The loop variables as they are now, outermost first; the values are allocated. */
static struct loop_variable *loop_variables(struct interp *in, size_t count, size_t *bytes)
{
    struct loop_variable *variables = memory_zeroed(count, sizeof *variables);
    size_t i = count;

    for (const struct frame *frame = in->loop; frame; frame = frame->outer) {
        int symbol = frame->stmt->symbol;

        variables[--i] =
            (struct loop_variable){.name = in->tree->symbols[symbol],
                                   .value = column_text(variable_read(in, symbol, true), bytes)};
    }
    return variables;
}

static bool in_endless_loop(const struct interp *in)
{
    for (const struct frame *frame = in->loop; frame; frame = frame->outer)
        if (frame->unlimited)
            return true;
    return false;
}

/* The first value of a loop to ... was asked for; how far it gets behind that, is open. */
static bool in_open_loop(const struct interp *in)
{
    for (const struct frame *frame = in->loop; frame; frame = frame->outer)
        if (frame->unlimited && frame->rounds > 0)
            return true;
    return false;
}

/* A loop to ... ends by that. A limited one goes on, since each of its values was asked for, unless
 * larger ones follow and are not asked for (within a loop to ...) or too many. */
static void note_too_large(struct interp *in)
{
    struct frame *frame = in->loop;

    if (!frame)
        return;
    if (frame->unlimited) {
        frame->ends = true;
    } else if (frame->loop && in_open_loop(in)) {
        frame->ends = loop_grows(frame->loop);
    } else if (frame->loop && !engine_lists_missing(in->engine)) {
        frame->ends = frame->cut = true;
    }
}

/* Whom it concerns that something was (not) measured: loops end when it was too large, and those
 * without end have to come closer to one. */
static void note_measured(struct interp *in, const struct measure_request *request,
                          enum measure_status status)
{
    struct demand demand = {0};

    if (status == MEASURE_TOO_LARGE)
        note_too_large(in);
    if (status == MEASURE_TIME_OVER)
        in->missing++;
    for (struct frame *frame = in->loop; frame; frame = frame->outer)
        if (status == MEASURE_TIME_OVER && (frame->unlimited || in->missing >= MOST_LISTED_MISSING))
            frame->ends = true; /* nothing else would end it in time */
    if (status == MEASURE_DONE)
        measurement_demand(request->function, request->arguments, request->set, &demand);
    size_t weight = measurement_weight(request->function, &demand);

    for (struct frame *frame = in->loop; frame; frame = frame->outer) {
        frame->asked++;
        if (status != MEASURE_DONE)
            continue;
        if (frame->done == 0 || weight < frame->least_demand)
            frame->least_demand = weight;
        if (frame->done == 0 || weight > frame->most_demand)
            frame->most_demand = weight;
        frame->done++;
    }
}

/* What is the same whenever the statement is executed. */
static bool is_constant(const struct interp *in, const struct expr *expr)
{
    switch (expr->kind) {
    case EXPR_INTEGER:
    case EXPR_REAL:
    case EXPR_STRING:
        return true;
    case EXPR_NAME:
        return !expr->local && in->globals[expr->symbol].constant &&
               strcmp(in->globals[expr->symbol].constant, expr->text) == 0;
    case EXPR_CALL:
        return false;
    case EXPR_ARRAY:
    case EXPR_UNARY:
    case EXPR_BINARY:
        for (size_t i = 0; i < expr->count; i++)
            if (!is_constant(in, expr->args[i]))
                return false;
        return true;
    }
    return false;
}

/* Whether no set of PEs would do: a mistake of whoever wrote the script. */
static bool is_never_right(const struct measure_request *request, int pes)
{
    const int sizes[] = {1, 2, 4, pes, 1 << 16};

    if (request->function->neighborhood)
        return false; /* that depends on the set's topology */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct pe_set *set = pe_set_strided(0, 1, sizes[i]);
        struct measure_request other = *request;
        int argument;

        other.set = set;
        char *refusal = engine_refusal(&other, &argument);

        pe_set_release(set);
        free(refusal);
        if (!refusal)
            return false;
    }
    return true;
}

/* Constants that the function never accepts are an error of the script. What depends on the set, on
 * a variable or on the PEs that there are leaves out this point alone: *refusal (allocated) says
 * why, NULL when it can be measured. */
static bool check_request(struct interp *in, const struct stmt *stmt,
                          const struct measure_request *request, char **refusal)
{
    const struct expr *call = stmt->expr;
    bool constant = true;
    int argument;

    *refusal = engine_refusal(request, &argument);
    if (!*refusal)
        return true;
    for (size_t i = 0; i < call->count; i++)
        constant = constant && is_constant(in, call->args[i]);
    if (!constant || !is_never_right(request, engine_pes(in->engine)))
        return true;
    fail(in, argument < 0 ? call->where : call->args[argument]->where, "%s: %s", call->text,
         *refusal);
    free(*refusal);
    return false;
}

/* The request's arguments and set are there; the rest is added here. refusal (taken over): why it
 * cannot be measured, as far as is known, or NULL. */
static bool measure_request(struct interp *in, const struct stmt *stmt,
                            struct measure_request *request, const struct value *args,
                            char *refusal)
{
    if (!refusal && !check_request(in, stmt, request, &refusal))
        return false;
    size_t depth = loop_depth(in), bytes = 0;
    struct loop_variable *variables = loop_variables(in, depth, &bytes);
    char *place = diag_place(in->source, stmt->where);
    char *text = measure_text(request->function, args, &bytes);
    int size = pe_set_size(request->set);
    char *agreed = text_format("%s on %d PEs, %d to %d", text, size,
                               size > 0 ? pe_set_member(request->set, 0) : -1,
                               size > 0 ? pe_set_member(request->set, size - 1) : -1);

    request->variables = variables;
    request->variable_count = depth;
    request->place = place;
    request->text = text;
    request->endless = in_endless_loop(in);
    request->open = in_open_loop(in);
    if (bytes <= MEASURE_LIMIT) {
        agree(in, stmt->where, agreed);
        engine_progress(in->engine, in->span.begin);
        if (refusal)
            engine_leave_out(in->engine, request, refusal);
        note_measured(in, request, refusal ? MEASURE_REFUSED : engine_measure(in->engine, request));
        in->pending = 0;
    }
    free(refusal);
    for (size_t i = 0; i < depth; i++)
        free((char *)variables[i].value);
    free(variables);
    free(place);
    free(text);
    free(agreed);
    return bytes <= MEASURE_LIMIT ||
           fail(in, stmt->where,
                "the arguments and the loop variables of this measure are longer than %zu MiB",
                MEASURE_LIMIT >> 20);
}

static bool is_at(struct position a, struct position b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* The set that is measured on. One that cannot be made here, such as comm(8) of fewer PEs, leaves
 * out this point alone: it is empty then, and *refusal (allocated) says why. */
static bool evaluate_set(struct interp *in, const struct expr *expr, struct value *set,
                         char **refusal)
{
    if (evaluate(in, expr, set)) {
        if (set->type == TYPE_COMM)
            return true;
        fail(in, expr->where,
             "measure needs a communicator before the colon, such as MPI_COMM_WORLD (given: %s)",
             value_type_name(set->type));
        value_release(set);
        return false;
    }
    if (expr->kind != EXPR_CALL || !expr->builtin || expr->builtin->result != TYPE_COMM ||
        !is_at(in->error_where, expr->where))
        return false;
    *refusal = in->error;
    in->error = NULL;
    *set = value_set(pe_set_create(NULL, 0));
    return true;
}

static bool measure(struct interp *in, const struct stmt *stmt)
{
    const struct expr *call = stmt->expr;
    const struct settings *settings = engine_settings(in->engine);
    char letters[MEASUREMENT_MAX_PARAMETERS + 2];
    size_t count;
    struct argument arguments[MEASUREMENT_MAX_PARAMETERS] = {{0}};
    struct value set, *args;

    if (call->kind != EXPR_CALL || !call->measurement)
        return fail(in, call->where,
                    "measure needs the call of a measurement function behind the "
                    "colon; skampi --list shows them");
    if (settings->min_repetitions > settings->max_repetitions)
        return fail(in, stmt->where,
                    "at least %d repetitions are asked for but at most %d; change one with "
                    "set_min_repetitions() or set_max_repetitions()",
                    settings->min_repetitions, settings->max_repetitions);
    char *refusal = NULL;

    if (!evaluate_set(in, stmt->set, &set, &refusal))
        return false;
    argument_letters(call->measurement, letters);
    if (!evaluate_args(in, call, letters, &args, &refusal)) {
        free(refusal);
        value_release(&set);
        return false;
    }
    args = complete_args(call->measurement, args, call->count);
    count = measurement_parameter_count(call->measurement);
    for (size_t i = 0; i < count; i++)
        arguments[i] = argument_of(&args[i]);
    bool ok = measure_request(in, stmt,
                              &(struct measure_request){.function = call->measurement,
                                                        .arguments = arguments,
                                                        .set = set.as.set},
                              args, refusal);
    release_args(args, count);
    value_release(&set);
    return ok;
}

/* ---- Loops ---- */

/* A loop to ... ends by a measurement that does not fit the buffer. Finds out whether it may still
 * come to that: *over when nothing is left to measure, an error when it would go on for ever. */
static bool check_progress(struct interp *in, struct frame *frame, bool *over)
{
    static const char remedy[] = "name an end instead of ...";

    if (frame->asked == 0)
        return fail(in, frame->stmt->where,
                    "this loop never ends, since its body measured nothing; %s", remedy);
    /* Too large for the loops inside, empty sets, unsupported: it will not get better. */
    *over = frame->done == 0;
    if (*over)
        return true;
    if (frame->most_demand == 0)
        return fail(in, frame->stmt->where,
                    "this loop never ends, since what it measures needs no buffer that could "
                    "become too small; %s",
                    remedy);
    if (frame->least_demand == frame->least_before && frame->most_demand == frame->most_before)
        frame->stale++;
    else
        frame->stale = 0;
    if (frame->stale == STALE_LIMIT)
        return fail(in, frame->stmt->where,
                    "this loop never ends, since what it measures does not need more and more "
                    "buffer; %s",
                    remedy);
    frame->least_before = frame->least_demand;
    frame->most_before = frame->most_demand;
    return true;
}

/* One round of the innermost loop with this value (taken over). *over: the loop ends. */
static bool run_round(struct interp *in, struct value v, bool *over)
{
    struct frame *frame = in->loop;

    frame->asked = frame->done = 0;
    frame->ends = false;
    variable_assign(in, frame->stmt->symbol, v);
    if (!goes_on(in, frame->stmt->where) || !run_list(in, &frame->stmt->body))
        return false;
    frame->rounds++;
    *over = frame->ends;
    if (frame->unlimited && !*over)
        return check_progress(in, frame, over);
    return true;
}

/* A number for a loop; the default when there is no expression. */
static bool evaluate_number(struct interp *in, const struct expr *expr, int64_t otherwise,
                            struct value *v)
{
    *v = value_int(otherwise);
    if (!expr)
        return true;
    if (!evaluate(in, expr, v))
        return false;
    if (v->type == TYPE_INT || v->type == TYPE_REAL)
        return true;
    fail(in, expr->where, "a loop needs a number here (given: %s)", value_type_name(v->type));
    value_release(v);
    return false;
}

static bool evaluate_loop(struct interp *in, const struct stmt *stmt, struct loop *loop)
{
    const char *error;

    *loop = (struct loop){.multiplicative = stmt->multiplicative, .unlimited = !stmt->to};
    if (!evaluate_number(in, stmt->from, 0, &loop->start) ||
        !evaluate_number(in, stmt->to, 0, &loop->end) ||
        !evaluate_number(in, stmt->step, 1, &loop->step))
        return false;
    if (stmt->multiple_of) {
        if (!evaluate_integer(in, stmt->multiple_of, "multipleof needs an integer > 0",
                              &loop->multiple_of))
            return false;
        if (loop->multiple_of <= 0)
            return fail(in, stmt->multiple_of->where, "multipleof needs an integer > 0, not %lld",
                        (long long)loop->multiple_of);
    }
    error = loop_begin(loop);
    if (error)
        return fail(in, stmt->step ? stmt->step->where : stmt->where, "%s", error);
    return true;
}

/* ---- autorefine ---- */

static double number_of(const struct value *v)
{
    return v->type == TYPE_INT ? (double)v->as.integer : v->as.real;
}

static struct refine *begin_refinement(struct interp *in, const struct loop *loop)
{
    const struct settings *settings = engine_settings(in->engine);
    struct refine_rules rules = {.integers = loop->start.type == TYPE_INT,
                                 .multiple_of = loop->multiple_of,
                                 .logarithmic = loop->multiplicative && number_of(&loop->start) > 0,
                                 .factor = settings->autorefine_factor,
                                 .tolerance = settings->autorefine_tolerance};

    engine_sort_begin(in->engine);
    return refine_create(&rules);
}

/* One round at x, whose result (the last measure's, if there are several) is a point of the curve.
 */
static bool run_refined_round(struct interp *in, struct refine *refine, struct value v, bool *over)
{
    double x = number_of(&v);

    engine_sort_key(in->engine, x);
    if (!run_round(in, v, over))
        return false;
    double y = in->loop->done > 0 ? engine_last_time(in->engine) : NAN;
    if (isnan(y))
        refine_skip(refine, x);
    else
        refine_add(refine, x, y);
    return true;
}

/* The extra points. The order of a limited and a refined loop's end is the same to the script: the
 * loop variable holds the first value that the sweep did not execute. */
static bool run_refinement(struct interp *in, const struct loop *loop, struct refine *refine)
{
    double x;
    bool over;

    refine_start(refine);
    while (refine_next(refine, &x)) {
        struct value v = loop->start.type == TYPE_INT ? value_int((int64_t)x) : value_real(x);

        if (!run_refined_round(in, refine, v, &over))
            return false;
    }
    return true;
}

/* The rest of a loop that was cut: as many measurements for each value as in its last round. */
static void leave_out_rest(struct interp *in, const struct frame *frame)
{
    int64_t count;

    if (__builtin_mul_overflow(loop_remaining(frame->loop), (int64_t)frame->asked, &count))
        count = INT64_MAX;
    engine_leave_out_more(in->engine, count);
}

static bool run_arithmetic(struct interp *in, const struct stmt *stmt)
{
    struct loop loop;
    struct frame frame = {.outer = in->loop, .stmt = stmt, .loop = &loop, .unlimited = !stmt->to};
    struct refine *refine = NULL;
    struct value v;
    struct span whole = in->span;
    const char *error = NULL;
    bool over = false, ok = true, more = false;

    if (!evaluate_loop(in, stmt, &loop))
        return false;
    if (stmt->kind == STMT_AUTOREFINE)
        refine = begin_refinement(in, &loop);
    in->loop = &frame;
    while (ok && !over && (more = loop_next(&loop, &v, &error))) {
        double begin, width;

        loop_share(&loop, &begin, &width);
        enter_span(in, whole, begin, width);
        ok = refine ? run_refined_round(in, refine, v, &over) : run_round(in, v, &over);
    }
    in->span = whole;
    if (ok && frame.cut)
        leave_out_rest(in, &frame);
    if (refine) {
        frame.unlimited = false;
        ok = ok && !error && run_refinement(in, &loop, refine);
        engine_sort_end(in->engine);
        refine_release(refine);
    }
    in->loop = frame.outer;
    if (error)
        return fail(in, stmt->where, "%s", error);
    if (ok && !over && !more)
        variable_assign(in, stmt->symbol, v);
    return ok;
}

static bool run_list_loop(struct interp *in, const struct stmt *stmt)
{
    struct frame frame = {.outer = in->loop, .stmt = stmt};
    struct span whole = in->span;
    bool over = false;

    in->loop = &frame;
    for (size_t i = 0; !over && i < stmt->list_count; i++) {
        struct value v;

        enter_span(in, whole, (double)i / (double)stmt->list_count, 1 / (double)stmt->list_count);
        if (!evaluate(in, stmt->list[i], &v) || !run_round(in, v, &over))
            return false;
    }
    in->loop = frame.outer;
    in->span = whole;
    return true;
}

static bool run_iterator(struct interp *in, const struct stmt *stmt)
{
    struct frame frame = {.outer = in->loop, .stmt = stmt};
    const struct builtin *iterator = stmt->expr->builtin;
    struct value *args, v;
    void *state = NULL;
    bool over = false, ok = true;

    if (!iterator || !iterator->iterator)
        return fail(in, stmt->expr->where, "%s() is no iterator; there is range(a, b)",
                    stmt->expr->text);
    if (!evaluate_args(in, stmt->expr, iterator->parameters, &args, NULL))
        return false;
    in->loop = &frame;
    while (ok && !over) {
        in->context.count = stmt->expr->count;
        over = !iterator->next(&in->context, args, &state, &v);
        ok = over ? builtin_succeeded(in, stmt->expr) : run_round(in, v, &over);
    }
    in->loop = frame.outer;
    free(state);
    release_args(args, stmt->expr->count);
    return ok;
}

/* ---- Statements ---- */

static bool assign(struct interp *in, const struct stmt *stmt)
{
    struct value v;

    if (!evaluate(in, stmt->expr, &v))
        return false;
    variable_assign(in, stmt->symbol, v);
    return true;
}

static bool run_call(struct interp *in, const struct stmt *stmt)
{
    struct value v = value_void();
    bool ok = call_builtin(in, stmt->expr, &v);

    value_release(&v);
    return ok;
}

static bool run_if(struct interp *in, const struct stmt *stmt)
{
    bool holds;

    if (!evaluate_condition(in, stmt->expr, &holds))
        return false;
    return run_list(in, holds ? &stmt->body : &stmt->otherwise);
}

static bool run_assert(struct interp *in, const struct stmt *stmt)
{
    struct value text;
    bool holds;

    if (!evaluate_condition(in, stmt->list[0], &holds))
        return false;
    if (holds)
        return true;
    if (!evaluate(in, stmt->list[1], &text))
        return false;
    char *shown = value_text(&text);

    fail(in, stmt->where, "assertion failed: %s", shown);
    in->error_status = STATUS_ASSERTION;
    free(shown);
    value_release(&text);
    return false;
}

static bool run_block(struct interp *in, const struct stmt *stmt)
{
    char *name = text_format("%s", stmt->text);
    bool ok;

    agree(in, stmt->where, stmt->text);
    text_disarm(name, true);
    engine_begin_block(in->engine, name, in->show_source ? stmt->source_text : NULL);
    free(name);
    in->in_block = true;
    in->span = (struct span){0, 1};
    ok = run_list(in, &stmt->body);
    in->in_block = false;
    release_all(in->locals, in->tree->symbol_count);
    /* After an error the block has no end: the job stops inside. */
    if (ok)
        engine_end_block(in->engine);
    in->pending = 0;
    return ok;
}

static bool run_stmt(struct interp *in, const struct stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_ASSIGN:
        return assign(in, stmt);
    case STMT_CALL:
        return run_call(in, stmt);
    case STMT_PRINT:
        return print(in, stmt);
    case STMT_PRINT_ALL:
        if (!print(in, stmt))
            return false;
        flush(in, stmt);
        return true;
    case STMT_FLUSH:
        flush(in, stmt);
        return true;
    case STMT_MEASURE:
        return measure(in, stmt);
    case STMT_ASSERT:
        return run_assert(in, stmt);
    case STMT_FOR:
    case STMT_AUTOREFINE:
        return run_arithmetic(in, stmt);
    case STMT_FOR_LIST:
        return run_list_loop(in, stmt);
    case STMT_FOR_CALL:
        return run_iterator(in, stmt);
    case STMT_IF:
        return run_if(in, stmt);
    case STMT_BLOCK:
        return run_block(in, stmt);
    }
    return true;
}

static bool run_list(struct interp *in, const struct stmt_list *list)
{
    struct span whole = in->span;

    for (size_t i = 0; i < list->count; i++) {
        enter_span(in, whole, (double)i / (double)list->count, 1 / (double)list->count);
        if (!goes_on(in, list->items[i]->where) || !run_stmt(in, list->items[i]))
            return false;
    }
    in->span = whole;
    return true;
}

/* ---- The script ---- */

static void define_constants(struct interp *in)
{
    for (int i = 0; i < in->tree->symbol_count; i++) {
        const struct constant *constant = constant_find(in->tree->symbols[i]);

        if (!constant)
            continue;
        in->globals[i] = constant->make(&in->context, constant->name);
        in->globals[i].constant = constant->name;
    }
}

static struct value *no_values(int count)
{
    struct value *values = memory_zeroed((size_t)count, sizeof *values);

    for (int i = 0; i < count; i++)
        values[i] = value_void();
    return values;
}

void script_run(const struct tree *tree, const struct source *source, struct engine *engine,
                bool show_source)
{
    struct interp in = {.tree = tree,
                        .source = source,
                        .engine = engine,
                        .show_source = show_source,
                        .context = {.engine = engine},
                        .globals = no_values(tree->symbol_count),
                        .locals = no_values(tree->symbol_count)};
    char shown[4096] = "";

    define_constants(&in);
    if (!run_list(&in, &tree->top)) {
        char *text = diag_format(source, in.error_where, in.error);

        /* Not the allocated text: nobody is left to free it when the job ends. */
        snprintf(shown, sizeof shown, "%s", text);
        free(text);
        free(in.error);
    }
    release_all(in.globals, tree->symbol_count);
    release_all(in.locals, tree->symbol_count);
    free(in.globals);
    free(in.locals);
    if (shown[0] != '\0')
        engine_fatal_text(engine, in.error_status, shown);
}
