/*
 * Makes the syntax tree of a script, or of one assignment of --set.
 */
#include "ski/parser.h"

#include <stdlib.h>

#include "base/memory.h"
#include "ski/node.h"
#include "ski/parse_statement.h"

static void parser_begin(struct parser *p, struct tree *tree, struct source *source,
                         struct diag *diag, int file)
{
    size_t size = 64;

    *p = (struct parser){.tree = tree, .diag = diag};
    p->lexer = lexer_create(source, diag, file, file == 0);
    while (size < 4 * (size_t)tree->symbol_count)
        size *= 2;
    node_names_resize(p, size);
    p->current = lexer_next(p->lexer);
    p->next = p->current;
    if (p->next.kind != TOKEN_EOF)
        p->next = lexer_next(p->lexer);
    p->previous.text = "";
}

static void parser_end(struct parser *p)
{
    lexer_release(p->lexer);
    free(p->names.slots);
}

/* script = top , { top } ; */
struct tree *parse_script(struct source *source, struct diag *diag)
{
    struct tree *tree = memory_zeroed(1, sizeof *tree);
    size_t errors = diag_count(diag);
    struct parser parser;

    parser_begin(&parser, tree, source, diag, 0);
    parse_body(&parser, &tree->top);
    if (tree->top.count == 0 && diag_count(diag) == errors)
        diag_error(diag, (struct position){0, 1, 1}, "the script is empty: it has no statement");
    tree->incomplete = lexer_incomplete(parser.lexer) || parser.abandoned;
    parser_end(&parser);
    return tree;
}

/* assignment = NAME , "=" , expr ; and nothing after it. */
struct stmt *parse_assignment(struct tree *tree, struct source *source, struct diag *diag, int file)
{
    size_t errors = diag_count(diag);
    struct stmt *stmt = NULL;
    struct parser parser, *p = &parser;

    parser_begin(p, tree, source, diag, file);
    if (parse_at(p, TOKEN_NAME) && p->next.kind == TOKEN_ASSIGN)
        stmt = parse_assignment_here(p);
    else
        parse_fail(p, (struct position){file, 1, 1}, "expected NAME=EXPRESSION");
    if (!p->panic && !parse_at(p, TOKEN_EOF))
        parse_fail_expected(p, "the end");
    parser_end(p);
    if (diag_count(diag) == errors && !p->panic)
        return stmt;
    stmt_release(stmt);
    return NULL;
}
