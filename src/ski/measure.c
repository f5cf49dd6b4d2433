/*
 * Runs the statement measure.
 */
#include "ski/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/measurement.h"

/* Bytes that the columns and the call of one measure may have. */
#define MEASURE_LIMIT ((size_t)1 << 20)

/* ---- Labels of the result ---- */

/* The value in one line. *bytes counts the bytes shown of all values; nothing is shown beyond
 * MEASURE_LIMIT. */
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

/* The loop variables as they are now, outermost first; the values are allocated. */
static struct result_variable *loop_variables(struct interp *in, size_t count, size_t *bytes)
{
    struct result_variable *variables = memory_zeroed(count, sizeof *variables);
    size_t i = count;

    for (const struct frame *frame = in->loop; frame; frame = frame->outer) {
        int symbol = frame->stmt->symbol;

        variables[--i] = (struct result_variable){
            .name = in->tree->symbols[symbol],
            .value = column_text(script_variable(in, symbol, true), bytes)};
    }
    return variables;
}

/* ---- The loops around it ---- */

/* A measurement that is too large ends a loop to "...". A limited loop goes on, since the script
 * requested each of its values, unless it lies within a loop to "..." (which did not request them)
 * or too many values are left to list. open: a loop to "..." around it is past its first value. */
static void note_too_large(struct interp *in, bool open)
{
    struct frame *frame = in->loop;

    if (!frame)
        return;
    if (frame->unlimited) {
        frame->ends = true;
    } else if (frame->loop && open) {
        frame->ends = loop_grows(frame->loop);
    } else if (frame->loop && !engine_lists_missing(in->engine)) {
        frame->ends = frame->cut = true;
    }
}

/* Updates the loops around the statement: they end when the measurement was too large. For loops
 * without end it notes the buffer that was needed, which shows whether they come closer to an end.
 */
static void note_measured(struct interp *in, bool open, enum measure_status status)
{
    if (status == MEASURE_TOO_LARGE)
        note_too_large(in, open);
    if (status == MEASURE_TIME_OVER)
        in->missing++;
    for (struct frame *frame = in->loop; frame; frame = frame->outer)
        if (status == MEASURE_TIME_OVER && (frame->unlimited || in->missing >= MOST_LISTED_MISSING))
            frame->ends = true; /* with no time left, only this ends the loop */
    size_t weight = engine_last_weight(in->engine);

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

/* ---- Calls that cannot be measured ---- */

/* Whether the expression has one value whenever the statement is executed. */
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

/* Constants that the function never accepts are an error of the script. A refusal that depends on
 * the set, a variable or the number of PEs skips this point alone: *refusal (allocated) is the
 * reason, NULL when it can be measured. */
static bool check_request(struct interp *in, const struct stmt *stmt,
                          const struct measure_request *request, char **refusal)
{
    const struct expr *call = stmt->expr;
    bool constant = true;
    int argument, ignored;

    *refusal = engine_refusal(request, &argument);
    if (!*refusal)
        return true;
    for (size_t i = 0; i < call->count; i++)
        constant = constant && is_constant(in, call->args[i]);
    char *never = constant ? script_refusal_everywhere(request, &ignored) : NULL;

    if (!never)
        return true;
    script_fail(in, argument < 0 ? call->where : call->args[argument]->where, "%s: %s", call->text,
                *refusal);
    free(*refusal);
    free(never);
    return false;
}

/* ---- The statement ---- */

/* Completes a request that has its arguments and its set, and measures it. refusal (taken over) is
 * why it cannot be measured, or NULL. */
static bool measure_request(struct interp *in, const struct stmt *stmt,
                            struct measure_request *request, char *refusal)
{
    if (!refusal && !check_request(in, stmt, request, &refusal))
        return false;
    size_t depth = 0, bytes = 0;

    for (const struct frame *frame = in->loop; frame; frame = frame->outer, depth++) {
        request->endless = request->endless || frame->unlimited;
        /* Past the first value of a loop to "..." the script asked for no particular one. */
        request->open = request->open || (frame->unlimited && frame->rounds > 0);
    }
    struct result_variable *variables = loop_variables(in, depth, &bytes);
    char *place = diag_place(in->source, stmt->where);
    char *text = measure_text(request->function, request->arguments, &bytes);
    int size = pe_set_size(request->set);
    char *agreed = text_format("%s on %d PEs, %d to %d", text, size,
                               size > 0 ? pe_set_member(request->set, 0) : -1,
                               size > 0 ? pe_set_member(request->set, size - 1) : -1);

    request->variables = variables;
    request->variable_count = depth;
    request->place = place;
    request->text = text;
    if (bytes <= MEASURE_LIMIT) {
        script_agree(in, stmt->where, agreed);
        engine_progress(in->engine, in->span.begin);
        if (refusal)
            engine_leave_out(in->engine, request, refusal);
        note_measured(in, request->open,
                      refusal ? MEASURE_REFUSED : engine_measure(in->engine, request));
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
           script_fail(
               in, stmt->where,
               "the arguments and the loop variables of this measure are longer than %zu MiB",
               MEASURE_LIMIT >> 20);
}

/* The set to measure on. One that cannot be made here, such as comm(8) with fewer PEs, skips this
 * point alone: it is empty then, and *refusal (allocated) is the reason. */
static bool evaluate_set(struct interp *in, const struct expr *expr, struct value *set,
                         char **refusal)
{
    struct position at = expr->where;

    if (evaluate(in, expr, set)) {
        if (set->type == TYPE_COMM)
            return true;
        script_fail(
            in, expr->where,
            "measure needs a communicator before the colon, such as MPI_COMM_WORLD (given: %s)",
            value_type_name(set->type));
        value_release(set);
        return false;
    }
    if (expr->kind != EXPR_CALL || !expr->builtin || expr->builtin->result != TYPE_COMM ||
        memcmp(&in->error_where, &at, sizeof at) != 0)
        return false;
    *refusal = in->error;
    in->error = NULL;
    *set = value_set(pe_set_create(NULL, 0));
    return true;
}

bool script_measure(struct interp *in, const struct stmt *stmt)
{
    const struct expr *call = stmt->expr;
    const struct settings *settings = engine_settings(in->engine);
    struct value set, *args;

    if (settings->min_repetitions > settings->max_repetitions)
        return script_fail(
            in, stmt->where,
            "the minimum of %d repetitions is above the maximum of %d; change one with "
            "set_min_repetitions() or set_max_repetitions()",
            settings->min_repetitions, settings->max_repetitions);
    char *refusal = NULL;

    if (!evaluate_set(in, stmt->set, &set, &refusal))
        return false;
    if (!evaluate_args(in, call, &args, &refusal)) {
        free(refusal);
        value_release(&set);
        return false;
    }
    bool ok = measure_request(
        in, stmt,
        &(struct measure_request){.function = call->measurement, .arguments = args, .set = set.set},
        refusal);
    args_release(args, measurement_parameter_count(call->measurement));
    value_release(&set);
    return ok;
}
