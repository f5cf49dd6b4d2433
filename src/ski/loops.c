/*
 * Runs loops: over a range (refined or not), a list or an iterator.
 */
#include "ski/loops.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "ski/evaluate.h"
#include "ski/refine.h"

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
    if (!script_may_go_on(in, frame->stmt->where) || !in->run_list(in, &frame->stmt->body))
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

/* ---- Loops ---- */

/* Counts the measurements that are missing because the loop was cut: for each value that is left,
 * as many as in the last round. */
static void leave_out_rest(struct interp *in, const struct frame *frame)
{
    int64_t count;

    if (__builtin_mul_overflow(loop_remaining(frame->loop), (int64_t)frame->asked, &count))
        count = INT64_MAX;
    engine_leave_out_more(in->engine, count);
}

bool script_arithmetic_loop(struct interp *in, const struct stmt *stmt)
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
        return script_fail(in, stmt->where, "%s", error);
    if (ok && !over && !more)
        script_assign(in, stmt->symbol, v);
    return ok;
}

bool script_list_loop(struct interp *in, const struct stmt *stmt)
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

bool script_iterator_loop(struct interp *in, const struct stmt *stmt)
{
    struct frame frame = {.outer = in->loop, .stmt = stmt};
    const struct builtin *iterator = stmt->expr->builtin;
    struct value *args, v;
    void *state = NULL;
    bool over = false, ok = true;

    if (!iterator || !iterator->iterator)
        return script_fail(in, stmt->expr->where, "%s() is not an iterator; use range(a, b)",
                           stmt->expr->text);
    if (!evaluate_args(in, stmt->expr, &iterator->parameters, &args, NULL))
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
