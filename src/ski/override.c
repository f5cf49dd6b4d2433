/* --set NAME=EXPR: another value for a global variable of the script. */
#include "ski/override.h"

#include <stdlib.h>

#include "base/closest.h"
#include "base/memory.h"
#include "ski/parser.h"

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
    closest = closest_name(name, candidates, count);
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
        /* Each assignment owns its expression, so parse the text again for a further one. */
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
