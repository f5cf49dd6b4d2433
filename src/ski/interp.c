/*
 * Runs a script: its statements and blocks, from first to last.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "ski/builtins.h"
#include "ski/evaluate.h"
#include "ski/refine.h"
#include "ski/script.h"

static bool run_list(struct interp *in, const struct stmt_list *list);

/* ---- print, print_all, flush ---- */

/* Most bytes of one print, and of all that is printed before the next flush: until then, each PE
 * keeps its text in memory. */
#define PRINT_LIMIT ((size_t)4 << 20)
#define PENDING_LIMIT ((size_t)64 << 20)

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
            return script_fail(in, stmt->list[i]->where, "this prints more than %zu MiB at once",
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
        for (char *from = rest; (line = strsep(&from, "\n"));) {
            for (char *c = line; (c = strchr(c, '\r'));)
                *c = '?'; /* some programs take it for the end of a line */
            text_append(&marked, "#P[%d] %s\n", engine_pe(in->engine), line);
        }
        free(rest);
        in->pending += marked.length;
        ok = in->pending <= PENDING_LIMIT ||
             script_fail(in, stmt->where, "more than %zu MiB have been printed without a flush",
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
    script_agree(in, stmt->where, "flush");
    engine_flush(in->engine);
    in->pending = 0;
}

/* ---- Loops ---- */

/* After this many rounds in a row that need equally large buffers, a loop to "..." is taken to be
 * endless, since only a buffer that is too small ends it. */
#define STALE_LIMIT 1000

/* ---- A round ---- */

/* A loop to "..." ends with a measurement that does not fit into the buffer. Finds out whether that
 * can still happen: sets *over when nothing is left to measure, and fails when the loop would go on
 * forever. */
static bool check_progress(struct interp *in, struct frame *frame, bool *over)
{
    static const char remedy[] = "give an end instead of ...";

    if (frame->asked == 0)
        return script_fail(in, frame->stmt->where,
                           "this loop never ends because its body measured nothing; %s", remedy);
    /* Nothing was measured in this round: sizes were too large for the loops inside, sets empty, or
     * functions unsupported. Later rounds will do no better. */
    *over = frame->done == 0;
    if (*over)
        return true;
    if (frame->most_demand == 0)
        return script_fail(in, frame->stmt->where,
                           "this loop never ends because its measurements need no buffer that "
                           "could become too small; %s",
                           remedy);
    if (frame->least_demand == frame->least_before && frame->most_demand == frame->most_before)
        frame->stale++;
    else
        frame->stale = 0;
    if (frame->stale == STALE_LIMIT)
        return script_fail(
            in, frame->stmt->where,
            "this loop never ends because its measurements do not need more and more buffer; %s",
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
    script_assign(in, frame->stmt->symbol, v);
    if (!script_may_go_on(in, frame->stmt->where) || !run_list(in, &frame->stmt->body))
        return false;
    frame->rounds++;
    *over = frame->ends;
    if (frame->unlimited && !*over)
        return check_progress(in, frame, over);
    return true;
}

/* ---- Ranges ---- */

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
    script_fail(in, expr->where, "a loop needs a number here (given: %s)",
                value_type_name(v->type));
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
            return script_fail(in, stmt->multiple_of->where,
                               "multipleof needs an integer > 0, not %lld",
                               (long long)loop->multiple_of);
    }
    error = loop_begin(loop);
    if (error)
        return script_fail(in, stmt->step ? stmt->step->where : stmt->where, "%s", error);
    return true;
}

/* ---- autorefine ---- */

static struct refine *begin_refinement(struct interp *in, const struct loop *loop)
{
    const struct settings *settings = engine_settings(in->engine);
    struct refine_rules rules = {.integers = loop->start.type == TYPE_INT,
                                 .multiple_of = loop->multiple_of,
                                 .logarithmic =
                                     loop->multiplicative && value_real_of(&loop->start) > 0,
                                 .factor = settings->autorefine_factor,
                                 .tolerance = settings->autorefine_tolerance};

    engine_sort_begin(in->engine);
    return refine_create(&rules);
}

/* One round at x. Its result (of the last measure, if there are several) is a point of the curve.
 */
static bool run_refined_round(struct interp *in, struct refine *refine, struct value v, bool *over)
{
    double x = value_real_of(&v);

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

/* Measures the additional points. Afterwards the loop variable holds the first value that the plain
 * sweep did not execute, as after a loop without refinement. */
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

/* ---- Kinds of loops ---- */

static bool run_arithmetic_loop(struct interp *in, const struct stmt *stmt)
{
    struct loop loop;
    struct frame frame = {.outer = in->loop, .stmt = stmt, .loop = &loop, .unlimited = !stmt->to};
    struct refine *refine = NULL;
    struct value v;
    struct span outer = in->span;
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
        script_enter_span(in, outer, begin, width);
        ok = refine ? run_refined_round(in, refine, v, &over) : run_round(in, v, &over);
    }
    in->span = outer;
    if (ok && frame.cut) {
        /* For each value that is left, as many measurements are missing as the last round had. */
        int64_t count;

        if (__builtin_mul_overflow(loop_remaining(&loop), (int64_t)frame.asked, &count))
            count = INT64_MAX;
        engine_leave_out_more(in->engine, count);
    }
    if (refine) {
        frame.unlimited = false;
        ok = ok && !error && run_refinement(in, &loop, refine);
        engine_sort_end(in->engine);
        refine_release(refine);
    }
    in->loop = frame.outer;
    if (error)
        return script_fail(in, stmt->where, "%s", error);
    if (ok && !over && !more)
        script_assign(in, stmt->symbol, v);
    return ok;
}

static bool run_list_loop(struct interp *in, const struct stmt *stmt)
{
    struct frame frame = {.outer = in->loop, .stmt = stmt};
    struct span outer = in->span;
    bool over = false;

    in->loop = &frame;
    for (size_t i = 0; !over && i < stmt->list_count; i++) {
        struct value v;

        script_enter_span(in, outer, (double)i / (double)stmt->list_count,
                          1 / (double)stmt->list_count);
        if (!evaluate(in, stmt->list[i], &v) || !run_round(in, v, &over))
            return false;
    }
    in->loop = frame.outer;
    in->span = outer;
    return true;
}

static bool run_iterator_loop(struct interp *in, const struct stmt *stmt)
{
    struct frame frame = {.outer = in->loop, .stmt = stmt};
    const struct builtin *iterator = stmt->expr->builtin;
    struct value *args, v;
    void *state = NULL;
    bool over = false, ok = true;

    if (!evaluate_args(in, stmt->expr, &args, NULL))
        return false;
    in->loop = &frame;
    while (ok && !over) {
        in->call.builtin = iterator;
        in->call.args = args;
        in->call.count = stmt->expr->count;
        over = !iterator->next(&in->call, &state, &v);
        ok = over ? evaluate_succeeded(in, stmt->expr) : run_round(in, v, &over);
    }
    in->loop = frame.outer;
    free(state);
    args_release(args, stmt->expr->count);
    return ok;
}

/* ---- Other statements ---- */

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

    script_fail(in, stmt->where, "assertion failed: %s", shown);
    in->error_status = STATUS_ASSERTION;
    free(shown);
    value_release(&text);
    return false;
}

static bool run_block(struct interp *in, const struct stmt *stmt)
{
    char *name = text_format("%s", stmt->text);
    bool ok;

    script_agree(in, stmt->where, stmt->text);
    text_disarm(name, true);
    engine_begin_block(in->engine, name, in->show_source ? stmt->source_text : NULL);
    free(name);
    in->in_block = true;
    in->span = (struct span){0, 1};
    ok = run_list(in, &stmt->body);
    in->in_block = false;
    script_release(in->locals, (size_t)in->tree->symbol_count);
    /* After an error the block does not end: the job stops inside it. */
    if (ok || in->call.ends)
        engine_end_block(in->engine);
    in->pending = 0;
    return ok;
}

static bool run_stmt(struct interp *in, const struct stmt *stmt)
{
    struct value v = value_void();
    bool ok;

    switch (stmt->kind) {
    case STMT_ASSIGN:
        ok = evaluate(in, stmt->expr, &v);
        if (ok)
            script_assign(in, stmt->symbol, v);
        return ok;
    case STMT_CALL:
        ok = evaluate_call(in, stmt->expr, &v);
        value_release(&v);
        return ok;
    case STMT_PRINT:
        return print(in, stmt);
    case STMT_PRINT_ALL:
        ok = print(in, stmt);
        if (ok)
            flush(in, stmt);
        return ok;
    case STMT_FLUSH:
        flush(in, stmt);
        return true;
    case STMT_MEASURE:
        return script_measure(in, stmt);
    case STMT_ASSERT:
        return run_assert(in, stmt);
    case STMT_FOR:
    case STMT_AUTOREFINE:
        return run_arithmetic_loop(in, stmt);
    case STMT_FOR_LIST:
        return run_list_loop(in, stmt);
    case STMT_FOR_CALL:
        return run_iterator_loop(in, stmt);
    case STMT_IF:
        return evaluate_condition(in, stmt->expr, &ok) &&
               run_list(in, ok ? &stmt->body : &stmt->otherwise);
    case STMT_BLOCK:
        return run_block(in, stmt);
    }
    return true;
}

static bool run_list(struct interp *in, const struct stmt_list *list)
{
    struct span outer = in->span;

    for (size_t i = 0; i < list->count; i++) {
        script_enter_span(in, outer, (double)i / (double)list->count, 1 / (double)list->count);
        if (!script_may_go_on(in, list->items[i]->where) || !run_stmt(in, list->items[i]))
            return false;
    }
    in->span = outer;
    return true;
}

/* ---- The script ---- */

static struct value *no_values(int count)
{
    struct value *values = memory_zeroed((size_t)count, sizeof *values);

    for (int i = 0; i < count; i++)
        values[i] = value_void();
    return values;
}

/* Ends the script because of an error, whose text is shown, or because a result is missing that the
 * script needs. */
static void end_before_time(struct interp *in, char shown[SCRIPT_ERROR_BYTES])
{
    if (!in->call.ends) {
        script_show_error(in, shown);
        return;
    }
    char *place = diag_place(in->source, in->error_where);

    script_agree(in, in->error_where, "the end before time");
    engine_end_early(in->engine, place);
    free(place);
    free(in->error);
    in->error = NULL;
}

void script_run(const struct tree *tree, const struct source *source, struct engine *engine,
                bool show_source)
{
    struct interp in = {.tree = tree,
                        .source = source,
                        .engine = engine,
                        .show_source = show_source,
                        .call = {.engine = engine},
                        .globals = no_values(tree->symbol_count),
                        .locals = no_values(tree->symbol_count)};
    char shown[SCRIPT_ERROR_BYTES] = "";

    for (int i = 0; i < tree->symbol_count; i++) {
        const struct constant *constant = constant_find(tree->symbols[i]);

        if (!constant)
            continue;
        in.globals[i] = constant_value(constant, engine);
        in.globals[i].constant = constant->name;
    }
    if (!run_list(&in, &tree->top))
        end_before_time(&in, shown);
    script_release(in.globals, (size_t)tree->symbol_count);
    script_release(in.locals, (size_t)tree->symbol_count);
    free(in.globals);
    free(in.locals);
    if (shown[0] != '\0')
        engine_fatal_text(engine, in.error_status, shown);
}
