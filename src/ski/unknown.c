/*
 * Messages about unknown names, with the name that may have been meant.
 */
#include "ski/unknown.h"

#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/memory.h"
#include "engine/measurement.h"
#include "ski/builtins.h"
#include "ski/function_names.h"

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
        if (check_is_local(c, i) || c->variables[i].global)
            candidates_add(candidates, c->tree->symbols[i]);
    for (size_t i = 0; constant_at(i); i++)
        candidates_add(candidates, constant_at(i)->name);
}

/* Whether it is one of the functions of SKaMPI 5 for MPI-IO, which skampi does not have. */
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

/* "unknown WHAT 'name'", with what may have been meant, or NULL. */
static void report(struct checker *c, const struct expr *expr, const char *what, const char *meant)
{
    if (is_about_files(expr->text))
        diag_error(
            c->diag, expr->where,
            "'%s' is for MPI-IO, which skampi does not measure: remove this part of the script",
            expr->text);
    else if (meant)
        diag_error(c->diag, expr->where, "unknown %s '%s': did you mean '%s'?", what, expr->text,
                   meant);
    else
        diag_error(c->diag, expr->where, "unknown %s '%s'", what, expr->text);
}

/* Reports "unknown WHAT 'name'" with the closest candidate, and releases the candidates. */
static void report_unknown(struct checker *c, const struct expr *expr, const char *what,
                           struct candidates *candidates)
{
    report(c, expr, what, closest_name(expr->text, candidates->names, candidates->count));
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

void unknown_function(struct checker *c, const struct expr *call)
{
    struct candidates candidates = {0};

    if (diag_wants(c->diag, call->where)) {
        add_functions(&candidates);
        add_measurements(&candidates);
    }
    report_unknown(c, call, "function", &candidates);
}

void unknown_measurement(struct checker *c, const struct expr *call)
{
    char *suggestion;

    if (!diag_wants(c->diag, call->where) || is_about_files(call->text)) {
        report(c, call, "function", NULL);
        return;
    }
    suggestion = function_suggestion(call->text);
    diag_error(c->diag, call->where, "unknown measurement function '%s'%s", call->text,
               *suggestion ? suggestion : "; skampi --list shows all of them");
    free(suggestion);
}

void unknown_iterator(struct checker *c, const struct expr *call)
{
    struct candidates candidates = {0};

    if (diag_wants(c->diag, call->where))
        add_iterators(&candidates);
    report_unknown(c, call, "iterator", &candidates);
}
