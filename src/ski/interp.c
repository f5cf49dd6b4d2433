/*
 * Runs a script: its statements and blocks, from first to last.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "ski/builtins.h"
#include "ski/evaluate.h"
#include "ski/loops.h"
#include "ski/measure.h"
#include "ski/print.h"
#include "ski/script.h"
#include "ski/script_state.h"

static bool run_list(struct interp *in, const struct stmt_list *list);

static bool assign(struct interp *in, const struct stmt *stmt)
{
    struct value v;

    if (!evaluate(in, stmt->expr, &v))
        return false;
    script_assign(in, stmt->symbol, v);
    return true;
}

static bool run_call(struct interp *in, const struct stmt *stmt)
{
    struct value v = value_void();
    bool ok = evaluate_call(in, stmt->expr, &v);

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
    switch (stmt->kind) {
    case STMT_ASSIGN:
        return assign(in, stmt);
    case STMT_CALL:
        return run_call(in, stmt);
    case STMT_PRINT:
        return script_print(in, stmt);
    case STMT_PRINT_ALL:
        if (!script_print(in, stmt))
            return false;
        script_flush(in, stmt);
        return true;
    case STMT_FLUSH:
        script_flush(in, stmt);
        return true;
    case STMT_MEASURE:
        return script_measure(in, stmt);
    case STMT_ASSERT:
        return run_assert(in, stmt);
    case STMT_FOR:
    case STMT_AUTOREFINE:
        return script_arithmetic_loop(in, stmt);
    case STMT_FOR_LIST:
        return script_list_loop(in, stmt);
    case STMT_FOR_CALL:
        return script_iterator_loop(in, stmt);
    case STMT_IF:
        return run_if(in, stmt);
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

static void define_constants(struct interp *in)
{
    for (int i = 0; i < in->tree->symbol_count; i++) {
        const struct constant *constant = constant_find(in->tree->symbols[i]);

        if (!constant)
            continue;
        in->globals[i] = constant_value(constant, in->engine);
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
                        .run_list = run_list,
                        .call = {.engine = engine},
                        .globals = no_values(tree->symbol_count),
                        .locals = no_values(tree->symbol_count)};
    char shown[SCRIPT_ERROR_BYTES] = "";

    define_constants(&in);
    if (!run_list(&in, &tree->top))
        end_before_time(&in, shown);
    script_release(in.globals, (size_t)tree->symbol_count);
    script_release(in.locals, (size_t)tree->symbol_count);
    free(in.globals);
    free(in.locals);
    if (shown[0] != '\0')
        engine_fatal_text(engine, in.error_status, shown);
}
