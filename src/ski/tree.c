/* Makes and frees a syntax tree. */
#include "ski/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Making ---- */

void node_append_stmt(struct stmt_list *list, struct stmt *stmt)
{
    memory_append(list->items, list->count, stmt);
}

void node_append_expr(struct expr ***items, size_t *count, struct expr *expr)
{
    memory_append(*items, *count, expr);
}

char *node_text(const char *text, size_t length)
{
    char *copy = memory_allocate(length + 1);
    size_t used = 0;

    for (size_t i = 0; i < length; i++)
        if (text[i] != '\0' && !(text[i] == '\r' && i + 1 < length && text[i + 1] == '\n'))
            copy[used++] = text[i];
    copy[used] = '\0';
    return copy;
}

int tree_symbol(struct tree *tree, const char *name, size_t length)
{
    size_t number = table_number(&tree->names, name, length);

    if (number < (size_t)tree->symbol_count)
        return (int)number;
    memory_append(tree->symbols, tree->symbol_count, node_text(name, length));
    return (int)number;
}

struct expr *node_expr(enum expr_kind kind, struct position where)
{
    struct expr *expr = memory_zeroed(1, sizeof *expr);

    expr->kind = kind;
    expr->where = where;
    expr->symbol = -1;
    expr->height = 1;
    return expr;
}

void node_add_argument(struct expr *expr, struct expr *argument)
{
    node_append_expr(&expr->args, &expr->count, argument);
    if (argument && argument->height >= expr->height)
        expr->height = argument->height + 1;
}

struct stmt *node_stmt(enum stmt_kind kind, struct position where)
{
    struct stmt *stmt = memory_zeroed(1, sizeof *stmt);

    stmt->kind = kind;
    stmt->where = where;
    stmt->symbol = -1;
    return stmt;
}

/* ---- Freeing ---- */

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
    table_free(&tree->names);
    free(tree);
}
