/*
 * Builds the nodes of the syntax tree: expressions, statements, names of variables.
 */
#include "ski/node.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Room for one more item in an array that doubles whenever its count is a power of two. */
static void *grow(void *items, size_t count, size_t size)
{
    void *larger;

    if ((count & (count - 1)) != 0)
        return items;
    larger = memory_allocate((count > 0 ? 2 * count : 1) * size);
    if (count > 0)
        memcpy(larger, items, count * size);
    free(items);
    return larger;
}

void node_append_stmt(struct stmt_list *list, struct stmt *stmt)
{
    list->items = grow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = stmt;
}

void node_append_expr(struct expr ***items, size_t *count, struct expr *expr)
{
    *items = grow(*items, *count, sizeof **items);
    (*items)[(*count)++] = expr;
}

/* The slot that holds the name, or the empty one where it belongs. */
static int *names_slot(struct parser *p, const char *text, size_t length)
{
    size_t mask = p->names.size - 1;
    uint64_t hash = hash_bytes(HASH_EMPTY, text, length);

    for (size_t i = (hash ^ hash >> 32) & mask;; i = (i + 1) & mask) {
        int *slot = &p->names.slots[i];
        const char *name;

        if (*slot == 0)
            return slot;
        name = p->tree->symbols[*slot - 1];
        if (strncmp(name, text, length) == 0 && name[length] == '\0')
            return slot;
    }
}

void node_names_resize(struct parser *p, size_t size)
{
    free(p->names.slots);
    p->names = (struct symbol_slots){memory_zeroed(size, sizeof *p->names.slots), size};
    for (int i = 0; i < p->tree->symbol_count; i++) {
        const char *name = p->tree->symbols[i];

        *names_slot(p, name, strlen(name)) = i + 1;
    }
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

int node_symbol(struct parser *p, const struct token *token)
{
    struct tree *tree = p->tree;
    int *slot = names_slot(p, token->text, token->length);

    if (*slot != 0)
        return *slot - 1;
    tree->symbols = grow(tree->symbols, (size_t)tree->symbol_count, sizeof *tree->symbols);
    tree->symbols[tree->symbol_count++] = node_text(token->text, token->length);
    *slot = tree->symbol_count;
    if (2 * (size_t)tree->symbol_count >= p->names.size)
        node_names_resize(p, 2 * p->names.size);
    return tree->symbol_count - 1;
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

struct stmt *node_stmt(const struct parser *p, enum stmt_kind kind)
{
    struct stmt *stmt = memory_zeroed(1, sizeof *stmt);

    stmt->kind = kind;
    stmt->where = p->current.where;
    stmt->symbol = -1;
    return stmt;
}
