#include "ski/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ski/diag.h"
#include "ski/parser.h"

static void expr_array_release(struct expr **items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expr_release(items[i]);
    free(items);
}

void expr_release(struct expr *expr)
{
    if (!expr)
        return;
    expr_array_release(expr->args, expr->count);
    free(expr->text);
    free(expr);
}

static void stmt_list_release(struct stmt_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        stmt_release(list->items[i]);
    free(list->items);
}

void stmt_release(struct stmt *stmt)
{
    if (!stmt)
        return;
    expr_release(stmt->expr);
    expr_release(stmt->set);
    expr_release(stmt->from);
    expr_release(stmt->to);
    expr_release(stmt->step);
    expr_release(stmt->multiple_of);
    expr_array_release(stmt->list, stmt->list_count);
    stmt_list_release(&stmt->body);
    stmt_list_release(&stmt->otherwise);
    free(stmt->text);
    free(stmt->source_text);
    free(stmt);
}

void tree_release(struct tree *tree)
{
    if (!tree)
        return;
    stmt_list_release(&tree->top);
    for (int i = 0; i < tree->symbol_count; i++)
        free(tree->symbols[i]);
    free(tree->symbols);
    free(tree);
}

static bool assigns(const struct stmt *stmt, int symbol)
{
    return stmt->kind == STMT_ASSIGN && stmt->symbol == symbol;
}

static void report_no_global(const struct tree *tree, struct diag *diag, struct position where,
                             const char *name)
{
    const char **candidates = memory_allocate(tree->top.count * sizeof *candidates);
    const char *closest;
    size_t count = 0;

    for (size_t i = 0; i < tree->top.count; i++)
        if (tree->top.items[i]->kind == STMT_ASSIGN)
            candidates[count++] = tree->symbols[tree->top.items[i]->symbol];
    closest = diag_closest(name, candidates, count);
    diag_error(diag, where, "the script assigns no variable '%s' outside its blocks%s%s%s", name,
               closest ? ": did you mean '" : "", closest ? closest : "", closest ? "'?" : "");
    free(candidates);
}

void tree_override(struct tree *tree, struct source *source, struct diag *diag,
                   const char *assignment)
{
    int file = source_add_text(source, "--set", assignment);
    struct stmt *given = parse_assignment(tree, source, diag, file);
    bool found = false;

    if (!given)
        return;
    for (size_t i = 0; i < tree->top.count; i++) {
        struct stmt *stmt = tree->top.items[i];

        if (!assigns(stmt, given->symbol))
            continue;
        /* Every assignment owns its expression. */
        if (found) {
            stmt_release(given);
            given = parse_assignment(tree, source, diag, file);
        }
        expr_release(stmt->expr);
        stmt->expr = given->expr;
        stmt->overridden = true;
        given->expr = NULL;
        found = true;
    }
    if (!found && !tree->incomplete)
        report_no_global(tree, diag, given->symbol_where, tree->symbols[given->symbol]);
    stmt_release(given);
}
