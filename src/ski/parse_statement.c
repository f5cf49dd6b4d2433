/*
 * Makes the syntax tree of a script: statements, the constructs that contain them, and whole
 * scripts; and the values of --set NAME=EXPR in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "ski/diag.h"
#include "ski/lexer.h"
#include "ski/parse.h"
#include "ski/script.h"
#include "ski/tree.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A construct that still has to be closed. */
struct construct {
    enum token_kind opener;
    struct position where;
    bool else_if; /* its body begins with "else if", which may explain why its fi is missing */
    struct construct *outer;
};

static void parse_body(struct parser *p, struct stmt_list *list);

/* ---- Constructs that have to be closed ---- */

static bool closes(const struct parser *p, const struct construct *construct)
{
    switch (p->current.kind) {
    case TOKEN_OD:
        return construct->opener == TOKEN_FOR || construct->opener == TOKEN_AUTOREFINE;
    case TOKEN_FI:
    case TOKEN_ELSE:
    case TOKEN_ELSEIF:
        return construct->opener == TOKEN_IF;
    case TOKEN_END:
        return construct->opener == TOKEN_BEGIN || p->next.kind != TOKEN_MEASUREMENT;
    default:
        return parse_at(p, TOKEN_BEGIN); /* blocks do not nest */
    }
}

static bool closes_any(const struct parser *p)
{
    const struct construct *construct = p->open;

    while (construct && !closes(p, construct))
        construct = construct->outer;
    return construct;
}

/* Reports a closing word without a construct that it could close, and skips it. */
static void skip_stray(struct parser *p)
{
    struct position where = p->current.where;

    switch (p->current.kind) {
    case TOKEN_OD:
        parse_complain(p, where, "'od' without a matching 'for'");
        break;
    case TOKEN_END:
        /* Otherwise errors have said that statements stand outside a block, which explains this
         * "end". */
        if (!p->outside)
            parse_complain(p, where, "'end' without a matching 'begin measurement'");
        parse_advance(p);
        if (!parse_at(p, TOKEN_MEASUREMENT))
            return;
        p->outside = false;
        break;
    default:
        parse_complain(p, where, "'%s' without a matching 'if'", token_keyword(p->current.kind));
    }
    parse_advance(p);
}

/* The body of the innermost construct ends: goes past its last word. It also ends if the word is
 * missing: the parser is then at the end of the script or at another closing word. */
static bool close_construct(struct parser *p, enum token_kind word)
{
    struct construct *construct = p->open;
    char found[PARSE_DESCRIPTION];

    p->open = construct->outer;
    if (parse_accept(p, word))
        return true;
    parse_complain(p, p->current.where, "expected %s to close the '%s' on line %d, found %s%s",
                   word == TOKEN_END ? "'end measurement'" : token_kind_name(word),
                   token_keyword(construct->opener), construct->where.line,
                   parse_spell(&p->current, found),
                   construct->else_if ? "; 'else if' begins another 'if', write 'elseif'" : "");
    /* "end" alone is a slip for od or fi. */
    if (word != TOKEN_END && parse_at(p, TOKEN_END) && p->next.kind != TOKEN_MEASUREMENT)
        parse_advance(p);
    return false;
}

/* Gives up on the rest of the script when it is unclear what belongs where. */
static void abandon(struct parser *p)
{
    p->abandoned = true;
    p->current.kind = TOKEN_EOF;
    p->next.kind = TOKEN_EOF;
}

static void enter_body(struct parser *p, struct stmt_list *list)
{
    if (parse_enter(p, &p->statement_depth))
        parse_body(p, list);
    else
        abandon(p);
    p->statement_depth--;
}

/* ---- Simple statements ---- */

/* list = expr , { "," , expr } ; all of print and print_all. */
static void parse_list(struct parser *p, struct stmt *stmt)
{
    do {
        node_append_expr(&stmt->list, &stmt->list_count, parse_expression(p));
    } while (!p->panic && parse_accept(p, TOKEN_COMMA));
}

/* measure = "measure" , expr , ":" , call ; the checker finds an expression that is no call. */
static void parse_measure(struct parser *p, struct stmt *stmt)
{
    stmt->set = parse_expression(p);
    /* The call stands where the communicator should be, and the next line is another statement. */
    if (stmt->set && stmt->set->kind == EXPR_CALL && p->current.starts_line &&
        !parse_at(p, TOKEN_COLON))
        parse_fail(p, stmt->set->where,
                   "the communicator or the function is missing: write 'measure COMMUNICATOR : "
                   "FUNCTION(...)'");
    parse_expect(p, TOKEN_COLON);
    stmt->expr = parse_expression(p);
}

/* assertion = "assert" , "(" , expr , "," , expr , ")" ; parsed as a call of two arguments. */
static struct stmt *parse_assert(struct parser *p)
{
    struct stmt *stmt = node_stmt(STMT_ASSERT, p->current.where);
    struct position where = p->current.where;
    struct expr *call = parse_call(p);

    if (!call)
        return stmt;
    if (call->count != 2)
        parse_complain(p, where, "assert takes a condition and a text: assert(n > 1, \"why\")");
    stmt->list = call->args;
    stmt->list_count = call->count;
    call->args = NULL;
    call->count = 0;
    expr_release(call);
    return stmt;
}

/* assignment = NAME , "=" , expr ; */
static struct stmt *parse_assignment(struct parser *p)
{
    struct stmt *stmt = node_stmt(STMT_ASSIGN, p->current.where);

    stmt->symbol = tree_symbol(p->tree, p->current.text, p->current.length);
    stmt->symbol_where = p->current.where;
    parse_advance(p);
    parse_advance(p);
    stmt->expr = parse_expression(p);
    return stmt;
}

/* ---- Loops ---- */

/* range = expr , "to" , ( expr | "..." ) ,
 *         [ "step" , ( expr | "*" , expr , [ "multipleof" , expr ] ) ] ; */
static void parse_range(struct parser *p, struct stmt *stmt)
{
    stmt->from = parse_expression(p);
    parse_expect(p, TOKEN_TO);
    if (!p->panic && !parse_accept(p, TOKEN_DOTS))
        stmt->to = parse_expression(p);
    if (p->panic || !parse_accept(p, TOKEN_STEP))
        return;
    stmt->multiplicative = parse_accept(p, TOKEN_STAR);
    stmt->step = parse_expression(p);
    if (p->panic || !parse_at(p, TOKEN_MULTIPLEOF))
        return;
    if (!stmt->multiplicative)
        parse_complain(p, p->current.where,
                       "'multipleof' needs a step that multiplies: step *FACTOR multipleof NUMBER");
    parse_advance(p);
    stmt->multiple_of = parse_expression(p);
}

/* "[" , [ list ] , "]" | call ; after "in". */
static void parse_in(struct parser *p, struct stmt *stmt)
{
    if (parse_accept(p, TOKEN_LEFT_BRACKET)) {
        stmt->kind = STMT_FOR_LIST;
        if (parse_accept(p, TOKEN_RIGHT_BRACKET))
            return;
        parse_list(p, stmt);
        if (!p->panic && !parse_accept(p, TOKEN_RIGHT_BRACKET))
            parse_fail_expected(p, "',' or ']'");
    } else {
        stmt->kind = STMT_FOR_CALL;
        if (parse_at(p, TOKEN_NAME) && p->next.kind == TOKEN_LEFT_PAREN)
            stmt->expr = parse_call(p);
        else
            parse_fail_expected(p, "a list '[...]' or an iterator 'name(...)'");
    }
}

/* loop = ( "for" | "autorefine" ) , NAME , "=" , range , "do" , body , "od"
 *      | "for" , NAME , "in" , ( "[" , [ list ] , "]" | call ) , "do" , body , "od" ; */
static void parse_loop(struct parser *p, struct stmt *stmt)
{
    bool refined = stmt->kind == STMT_AUTOREFINE;

    if (parse_at(p, TOKEN_NAME)) {
        stmt->symbol = tree_symbol(p->tree, p->current.text, p->current.length);
        stmt->symbol_where = p->current.where;
        parse_advance(p);
    } else {
        parse_fail_expected(p, "the name of a variable");
    }
    if (p->panic || parse_accept(p, TOKEN_ASSIGN)) {
        parse_range(p, stmt);
    } else if (parse_at(p, TOKEN_IN)) {
        if (refined)
            parse_complain(p, p->current.where,
                           "'autorefine' needs a range of numbers: autorefine x = 1 to 10 do");
        parse_advance(p);
        parse_in(p, stmt);
    } else {
        parse_fail_expected(p, refined ? "'='" : "'=' or 'in'");
    }
    parse_end_header(p, TOKEN_DO);
    enter_body(p, &stmt->body);
    close_construct(p, TOKEN_OD);
}

/* ---- if ---- */

/* expr , "then" , body , { "elseif" , expr , "then" , body } , [ "else" , body ] ; an elseif
 * becomes an if inside the else. */
static void parse_branches(struct parser *p, struct stmt *stmt)
{
    stmt->expr = parse_expression(p);
    parse_end_header(p, TOKEN_THEN);
    enter_body(p, &stmt->body);
    if (parse_at(p, TOKEN_ELSEIF)) {
        struct stmt *nested = node_stmt(STMT_IF, p->current.where);

        parse_advance(p);
        node_append_stmt(&stmt->otherwise, nested);
        if (parse_enter(p, &p->statement_depth))
            parse_branches(p, nested);
        else
            abandon(p);
        p->statement_depth--;
    } else if (parse_accept(p, TOKEN_ELSE)) {
        if (parse_at(p, TOKEN_IF) && !p->current.starts_line)
            p->open->else_if = true;
        enter_body(p, &stmt->otherwise);
    }
}

/* branch = "if" , expr , "then" , body , { "elseif" , expr , "then" , body } ,
 *          [ "else" , body ] , "fi" ; */
static void parse_if(struct parser *p, struct stmt *stmt)
{
    parse_branches(p, stmt);
    while (parse_at(p, TOKEN_ELSE) || parse_at(p, TOKEN_ELSEIF)) {
        parse_complain(p, p->current.where,
                       "this '%s' comes after the 'else' of the 'if' on line %d",
                       token_keyword(p->current.kind), stmt->where.line);
        if (parse_accept(p, TOKEN_ELSEIF)) {
            expr_release(parse_expression(p));
            parse_end_header(p, TOKEN_THEN);
        } else {
            parse_advance(p);
        }
        enter_body(p, &stmt->otherwise);
    }
    close_construct(p, TOKEN_FI);
}

/* ---- Blocks ---- */

static bool is_blank_line(const char *line, const char *end, const char **next)
{
    while (line < end && strchr(" \t\r", *line) && *line != '\0')
        line++;
    *next = line + 1;
    return line < end && *line == '\n';
}

/* The text of a block for --source, up to its last token and a comment in the same line. */
static char *take_source_text(struct parser *p)
{
    size_t length;
    const char *all = lexer_expanded(p->lexer, &length);
    const char *begin = all + p->text_taken, *end = all + p->previous.expanded_end;
    const char *stop = all + length, *line = end, *next;
    char *text, *copy;

    while (line < stop && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    if (line < stop && *line == '#')
        line = memchr(line, '\n', (size_t)(stop - line));
    if (!line || line == stop)
        end = stop;
    else if (*line == '\n')
        end = line + 1;
    p->text_taken = (size_t)(end - all);
    while (is_blank_line(begin, end, &next))
        begin = next;
    text = node_text(begin, (size_t)(end - begin));
    if (end > begin && end[-1] == '\n')
        return text;
    copy = text_format("%s\n", text);
    free(text);
    return copy;
}

/* "measurement" , STRING ; after "begin". */
static void parse_block_name(struct parser *p, struct stmt *stmt)
{
    if (parse_expect(p, TOKEN_MEASUREMENT)) {
        if (parse_at(p, TOKEN_STRING))
            stmt->text = node_text(p->current.text, p->current.length);
        if (!parse_accept(p, TOKEN_STRING))
            parse_fail_expected(p, "the name of the measurement in double quotes");
    }
    if (!stmt->text)
        stmt->text = node_text("", 0);
    if (p->panic)
        parse_synchronize(p);
}

/* block = "begin" , "measurement" , STRING , body , "end" , "measurement" ; */
static void parse_block(struct parser *p, struct stmt *stmt)
{
    parse_block_name(p, stmt);
    parse_body(p, &stmt->body);
    stmt->end_where = p->current.where;
    if (close_construct(p, TOKEN_END) && !parse_accept(p, TOKEN_MEASUREMENT)) {
        parse_fail_expected(p, "'measurement'");
        p->panic = false;
    }
    stmt->source_text = take_source_text(p);
    p->tree->block_count++;
    p->outside = false;
}

/* ---- Any statement ---- */

/* Reports a name that begins no statement; perhaps a keyword was meant. */
static void reject_name(struct parser *p)
{
    char *name = node_text(p->current.text, p->current.length);
    const char *words[TOKEN_KINDS + 1] = {"assert"};
    const char *word;
    size_t count = 1;

    for (int kind = 0; kind < TOKEN_KINDS; kind++)
        if (token_keyword((enum token_kind)kind))
            words[count++] = token_keyword((enum token_kind)kind);
    word = closest_name(name, words, count);
    if (word && p->next.kind < TOKEN_LESS) {
        parse_fail(p, p->current.where, "unknown statement '%s': did you mean '%s'?", name, word);
    } else if (p->next.starts_line || p->next.kind == TOKEN_EOF) {
        parse_fail(p, p->current.where,
                   "a name alone is not a statement: expected '=' or '(' after '%.40s'", name);
    } else {
        parse_advance(p);
        parse_fail_expected(p, "'=' or '('");
    }
    free(name);
}

/* assignment | call | assertion ; */
static struct stmt *parse_name_statement(struct parser *p)
{
    struct stmt *stmt;

    if (p->next.kind == TOKEN_ASSIGN)
        return parse_assignment(p);
    if (p->next.kind == TOKEN_LEFT_PAREN && token_says(&p->current, "assert"))
        return parse_assert(p);
    if (p->next.kind != TOKEN_LEFT_PAREN) {
        reject_name(p);
        return NULL;
    }
    stmt = node_stmt(STMT_CALL, p->current.where);
    stmt->expr = parse_call(p);
    return stmt;
}

static void reject_token(struct parser *p)
{
    char found[PARSE_DESCRIPTION];

    parse_spell(&p->current, found);
    if (token_keyword(p->current.kind) && p->next.kind == TOKEN_ASSIGN)
        parse_fail(p, p->current.where, "%s cannot be the name of a variable", found);
    else if (parse_at(p, TOKEN_LEFT_BRACKET))
        parse_fail(p, p->current.where, "expected a statement, found '['" PARSE_INDEX_HINT);
    else
        parse_fail(p, p->current.where, "expected a statement, found %s%s", found,
                   parse_at(p, TOKEN_ASSIGN) && p->previous.starts_line
                       ? "; is the line before incomplete?"
                       : "");
    parse_advance(p);
}

static const struct {
    enum token_kind token;
    enum stmt_kind kind;
    const char *inside; /* how an error calls it, since it needs a block */
    bool encloses;      /* it is a construct */
    void (*parse)(struct parser *, struct stmt *); /* what follows the token; NULL: nothing */
} statements[] = {
    {TOKEN_PRINT, STMT_PRINT, "'print'", false, parse_list},
    {TOKEN_PRINT_ALL, STMT_PRINT_ALL, "'print_all'", false, parse_list},
    {TOKEN_FLUSH, STMT_FLUSH, "'flush'", false, NULL},
    {TOKEN_MEASURE, STMT_MEASURE, "'measure'", false, parse_measure},
    {TOKEN_FOR, STMT_FOR, "a loop", true, parse_loop},
    {TOKEN_AUTOREFINE, STMT_AUTOREFINE, "a loop", true, parse_loop},
    {TOKEN_IF, STMT_IF, "'if'", true, parse_if},
    {TOKEN_BEGIN, STMT_BLOCK, NULL, true, parse_block},
};

/* statement = assignment | call | assertion | output | measure | loop | branch ; or a block, or a
 * word that closes nothing. NULL: it is none. */
static struct stmt *parse_statement(struct parser *p)
{
    enum token_kind token = p->current.kind;
    size_t i = 0;

    if (token == TOKEN_NAME)
        return parse_name_statement(p);
    while (i < COUNT(statements) && statements[i].token != token)
        i++;
    if (i == COUNT(statements)) {
        bool stray = token == TOKEN_OD || token == TOKEN_FI || token == TOKEN_ELSE ||
                     token == TOKEN_ELSEIF || token == TOKEN_END;

        (stray ? skip_stray : reject_token)(p);
        return NULL;
    }
    if (!p->open && statements[i].inside) {
        parse_complain(p, p->current.where, "%s must be inside 'begin measurement \"name\"'",
                       statements[i].inside);
        p->outside = true;
    }
    struct stmt *stmt = node_stmt(statements[i].kind, p->current.where);
    struct construct construct = {token, stmt->where, false, p->open};

    if (statements[i].encloses)
        p->open = &construct;
    parse_advance(p);
    if (statements[i].parse)
        statements[i].parse(p, stmt);
    return stmt;
}

/* body = { statement } ; at top level also blocks: top = assignment | call | assertion | block ; */
static void parse_body(struct parser *p, struct stmt_list *list)
{
    while (true) {
        struct stmt *stmt;

        if (p->panic)
            parse_synchronize(p);
        if (parse_at(p, TOKEN_EOF) || closes_any(p))
            return;
        stmt = parse_statement(p);
        if (stmt)
            node_append_stmt(list, stmt);
    }
}

/* ---- Scripts ---- */

/* script = top , { top } ; */
struct tree *parse_script(struct source *source, struct diag *diag)
{
    struct tree *tree = memory_zeroed(1, sizeof *tree);
    size_t errors = diag_count(diag);
    struct parser parser;

    parse_begin(&parser, tree, source, diag, 0);
    parse_body(&parser, &tree->top);
    if (tree->top.count == 0 && diag_count(diag) == errors)
        diag_error(diag, (struct position){0, 1, 1}, "the script is empty: it has no statement");
    tree->incomplete = lexer_incomplete(parser.lexer) || parser.abandoned;
    lexer_release(parser.lexer);
    return tree;
}

/* assignment = NAME , "=" , expr ; and nothing after it: the text of a file. NULL after an error.
 */
static struct stmt *parse_setting(struct tree *tree, struct source *source, struct diag *diag,
                                  int file)
{
    size_t errors = diag_count(diag);
    struct stmt *stmt = NULL;
    struct parser parser, *p = &parser;

    parse_begin(p, tree, source, diag, file);
    if (parse_at(p, TOKEN_NAME) && p->next.kind == TOKEN_ASSIGN)
        stmt = parse_assignment(p);
    else
        parse_fail(p, (struct position){file, 1, 1}, "expected NAME=EXPRESSION");
    if (!p->panic && !parse_at(p, TOKEN_EOF))
        parse_fail_expected(p, "the end");
    lexer_release(p->lexer);
    if (diag_count(diag) == errors && !p->panic)
        return stmt;
    stmt_release(stmt);
    return NULL;
}

/* ---- --set ---- */

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
    struct stmt *given = parse_setting(tree, source, diag, file);
    bool found = false;

    if (!given)
        return;
    for (size_t i = 0; i < tree->top.count; i++) {
        struct stmt *stmt = tree->top.items[i];

        if (stmt->kind != STMT_ASSIGN || stmt->symbol != given->symbol)
            continue;
        /* Each assignment owns its expression, so parse the text again for a further one. */
        if (found) {
            stmt_release(given);
            given = parse_setting(tree, source, diag, file);
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
