/* Frees a syntax tree. */
#include "ski/tree.h"

#include <stdlib.h>

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
