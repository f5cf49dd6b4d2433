/*
 * Recursive descent; binary operators by precedence climbing. After an error the parser is in
 * panic: everything returns at once, nothing more is reported, until the next statement is found.
 */
#include "ski/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "ski/lexer.h"

/* How deep statements and expressions may nest, and how high the tree of an expression may be: a
 * chain of operators is as high as it is long. */
#define MAX_DEPTH 200
#define MAX_HEIGHT 1000

/* A construct that still has to be closed. */
struct construct {
    enum token_kind opener;
    struct position where;
    bool else_if; /* holds an "else if", which may explain that its fi is missing */
    struct construct *outer;
};

/* Symbols by name: open addressing; a slot holds an index into tree.symbols + 1. */
struct names {
    int *slots;
    size_t size; /* a power of two, at least twice the number of names */
};

struct parser {
    struct tree *tree;
    struct diag *diag;
    struct lexer *lexer;
    struct token previous, current, next;
    struct names names;
    struct construct *open;
    int statement_depth, expression_depth;
    bool panic;
    bool abandoned; /* the rest is not looked at */
    bool outside;   /* a block seems to lack its begin */
    size_t text_taken;
};

static struct expr *parse_expression(struct parser *p);
static struct expr *parse_unary(struct parser *p);
static void parse_body(struct parser *p, struct stmt_list *list);

/* ---- tokens and errors ---- */

static void advance(struct parser *p)
{
    p->previous = p->current;
    p->current = p->next;
    if (p->next.kind != TOKEN_EOF)
        p->next = lexer_next(p->lexer);
}

static bool at(const struct parser *p, enum token_kind kind)
{
    return p->current.kind == kind;
}

static bool accept(struct parser *p, enum token_kind kind)
{
    if (!at(p, kind))
        return false;
    advance(p);
    return true;
}

static void report(struct parser *p, struct position where, const char *format, va_list list)
{
    char message[600];

    if (p->panic || p->abandoned)
        return;
    vsnprintf(message, sizeof message, format, list);
    diag_error(p->diag, where, "%s", message);
}

/* An error behind which parsing simply goes on. */
__attribute__((format(printf, 3, 4))) static void complain(struct parser *p, struct position where,
                                                           const char *format, ...)
{
    va_list list;

    va_start(list, format);
    report(p, where, format, list);
    va_end(list);
}

/* An error that makes the rest of the statement incomprehensible. */
__attribute__((format(printf, 3, 4))) static void fail(struct parser *p, struct position where,
                                                       const char *format, ...)
{
    va_list list;

    va_start(list, format);
    report(p, where, format, list);
    va_end(list);
    p->panic = true;
}

/* Gives up on the whole script: without a way to tell what belongs where, all else is noise. */
static void abandon(struct parser *p)
{
    p->abandoned = true;
    p->current.kind = TOKEN_EOF;
    p->next.kind = TOKEN_EOF;
}

#define DESCRIPTION 64

/* The token as a message shows it: "name 'x'". */
static const char *describe(const struct token *token, char buffer[DESCRIPTION])
{
    const char *line_end = memchr(token->text, '\n', token->length);
    size_t shown = line_end ? (size_t)(line_end - token->text) : token->length;
    const char *dots;

    if (shown > 30)
        shown = 30;
    dots = shown < token->length ? "..." : "";
    if (token->kind == TOKEN_EOF)
        snprintf(buffer, DESCRIPTION, "the end of the script");
    else if (token->kind == TOKEN_STRING)
        snprintf(buffer, DESCRIPTION, "string \"%.*s%s\"", (int)shown, token->text, dots);
    else if (token->kind == TOKEN_NAME)
        snprintf(buffer, DESCRIPTION, "name '%.*s%s'", (int)shown, token->text, dots);
    else if (token->kind <= TOKEN_BAD)
        snprintf(buffer, DESCRIPTION, "number %.*s%s", (int)shown, token->text, dots);
    else if (token_keyword(token->kind))
        snprintf(buffer, DESCRIPTION, "keyword '%.*s'", (int)shown, token->text);
    else
        snprintf(buffer, DESCRIPTION, "'%.*s'", (int)shown, token->text);
    return buffer;
}

#define INDEX_HINT "; elements of arrays are read with int_array_get(array, index)"

/* What may be behind the token that is not the one expected. */
static const char *hint(const struct parser *p, const char *expected)
{
    if (at(p, TOKEN_ASSIGN))
        return "; to compare, write '=='";
    if (at(p, TOKEN_EQUAL) && strstr(expected, "'='"))
        return "; '==' compares, to assign write '='";
    if (p->next.kind == TOKEN_ASSIGN && !p->next.starts_line &&
        (at(p, TOKEN_PLUS) || at(p, TOKEN_MINUS) || at(p, TOKEN_STAR) || at(p, TOKEN_SLASH)))
        return "; there is no such assignment, write x = x + 1";
    if (at(p, TOKEN_LEFT_BRACKET) && p->previous.kind == TOKEN_NAME)
        return INDEX_HINT;
    return "";
}

static void fail_expected(struct parser *p, const char *expected)
{
    char behind[DESCRIPTION], found[DESCRIPTION];

    describe(&p->current, found);
    if (p->previous.kind == TOKEN_EOF)
        fail(p, p->current.where, "expected %s, found %s", expected, found);
    else
        fail(p, p->current.where, "expected %s behind %s, found %s%s", expected,
             describe(&p->previous, behind), found, hint(p, expected));
}

static bool expect(struct parser *p, enum token_kind kind)
{
    if (p->panic)
        return false;
    if (accept(p, kind))
        return true;
    fail_expected(p, token_kind_name(kind));
    return false;
}

/* Whether a statement cannot end with such a token. */
static bool wants_more(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_AND:
    case TOKEN_IN:
    case TOKEN_MEASURE:
    case TOKEN_MULTIPLEOF:
    case TOKEN_NOT:
    case TOKEN_OR:
    case TOKEN_PRINT:
    case TOKEN_PRINT_ALL:
    case TOKEN_STEP:
    case TOKEN_TO:
        return true;
    case TOKEN_RIGHT_PAREN:
    case TOKEN_RIGHT_BRACKET:
    case TOKEN_RIGHT_BRACE:
    case TOKEN_DOTS:
        return false;
    default:
        return kind >= TOKEN_LESS;
    }
}

/* Whether a statement, or the end of a construct, plausibly begins here. */
static bool at_statement(const struct parser *p)
{
    switch (p->current.kind) {
    case TOKEN_EOF:
    case TOKEN_AUTOREFINE:
    case TOKEN_BEGIN:
    case TOKEN_ELSE:
    case TOKEN_ELSEIF:
    case TOKEN_END:
    case TOKEN_FI:
    case TOKEN_FLUSH:
    case TOKEN_FOR:
    case TOKEN_IF:
    case TOKEN_MEASURE:
    case TOKEN_OD:
    case TOKEN_PRINT:
    case TOKEN_PRINT_ALL:
        return true;
    default:
        break;
    }
    if (!p->current.starts_line || wants_more(p->previous.kind))
        return false;
    if (at(p, TOKEN_NAME) && p->next.kind == TOKEN_LEFT_PAREN)
        return true;
    /* A keyword cannot be assigned to, but someone meant it. */
    return (at(p, TOKEN_NAME) || token_keyword(p->current.kind)) && p->next.kind == TOKEN_ASSIGN;
}

static void synchronize(struct parser *p)
{
    while (!at_statement(p))
        advance(p);
    p->panic = false;
}

/* The word between the header of a construct and its body; an error in the header ends here. */
static void end_header(struct parser *p, enum token_kind word)
{
    expect(p, word);
    if (!p->panic)
        return;
    while (!at(p, word) && !at_statement(p))
        advance(p);
    p->panic = false;
    accept(p, word);
}

/* One level deeper. */
static bool enter(struct parser *p, int *depth)
{
    if (++*depth <= MAX_DEPTH)
        return true;
    fail(p, p->current.where, "nested too deeply: more than %d levels", MAX_DEPTH);
    return false;
}

/* ---- building the tree ---- */

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

static void append_stmt(struct stmt_list *list, struct stmt *stmt)
{
    list->items = grow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = stmt;
}

static void append_expr(struct expr ***items, size_t *count, struct expr *expr)
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

static void names_resize(struct parser *p, size_t size)
{
    free(p->names.slots);
    p->names = (struct names){memory_zeroed(size, sizeof *p->names.slots), size};
    for (int i = 0; i < p->tree->symbol_count; i++) {
        const char *name = p->tree->symbols[i];

        *names_slot(p, name, strlen(name)) = i + 1;
    }
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = memory_allocate(length + 1);
    size_t used = 0;

    for (size_t i = 0; i < length; i++)
        if (text[i] != '\0' && !(text[i] == '\r' && i + 1 < length && text[i + 1] == '\n'))
            copy[used++] = text[i];
    copy[used] = '\0';
    return copy;
}

static int symbol_of(struct parser *p, const struct token *token)
{
    struct tree *tree = p->tree;
    int *slot = names_slot(p, token->text, token->length);

    if (*slot != 0)
        return *slot - 1;
    tree->symbols = grow(tree->symbols, (size_t)tree->symbol_count, sizeof *tree->symbols);
    tree->symbols[tree->symbol_count++] = copy_text(token->text, token->length);
    *slot = tree->symbol_count;
    if (2 * (size_t)tree->symbol_count >= p->names.size)
        names_resize(p, 2 * p->names.size);
    return tree->symbol_count - 1;
}

static struct expr *expr_create(enum expr_kind kind, struct position where)
{
    struct expr *expr = memory_zeroed(1, sizeof *expr);

    expr->kind = kind;
    expr->where = where;
    expr->symbol = -1;
    expr->height = 1;
    return expr;
}

static void add_argument(struct expr *expr, struct expr *argument)
{
    append_expr(&expr->args, &expr->count, argument);
    if (argument && argument->height >= expr->height)
        expr->height = argument->height + 1;
}

static struct stmt *stmt_create(const struct parser *p, enum stmt_kind kind)
{
    struct stmt *stmt = memory_zeroed(1, sizeof *stmt);

    stmt->kind = kind;
    stmt->where = p->current.where;
    stmt->symbol = -1;
    return stmt;
}

/* ---- expressions ---- */

static const struct binary {
    enum token_kind token;
    int level;
    enum operator op;
} binaries[] = {
    {TOKEN_OR, 1, OP_OR},
    {TOKEN_AND, 2, OP_AND},
    {TOKEN_BAR, 3, OP_BIT_OR},
    {TOKEN_AMPERSAND, 4, OP_BIT_AND},
    {TOKEN_EQUAL, 5, OP_EQUAL},
    {TOKEN_NOT_EQUAL, 5, OP_NOT_EQUAL},
    {TOKEN_LESS, 6, OP_LESS},
    {TOKEN_GREATER, 6, OP_GREATER},
    {TOKEN_LESS_EQUAL, 6, OP_LESS_EQUAL},
    {TOKEN_GREATER_EQUAL, 6, OP_GREATER_EQUAL},
    {TOKEN_PLUS, 7, OP_ADD},
    {TOKEN_MINUS, 7, OP_SUBTRACT},
    {TOKEN_STAR, 8, OP_MULTIPLY},
    {TOKEN_SLASH, 8, OP_DIVIDE},
    {TOKEN_PERCENT, 8, OP_MODULO},
};

#define LEVEL_LOOSEST 1
#define LEVEL_MULTIPLY 8

static const struct binary *find_binary(enum token_kind token)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (binaries[i].token == token)
            return &binaries[i];
    return NULL;
}

/* The expression, unless the parser fell into panic within it. */
static struct expr *understood(const struct parser *p, struct expr *expr)
{
    if (!p->panic)
        return expr;
    expr_release(expr);
    return NULL;
}

static struct expr *parse_binary(struct parser *p, int loosest)
{
    struct expr *left = parse_unary(p);
    const struct binary *binary;

    while (!p->panic && (binary = find_binary(p->current.kind)) && binary->level >= loosest) {
        struct expr *expr = expr_create(EXPR_BINARY, p->current.where);

        expr->op = binary->op;
        add_argument(expr, left);
        advance(p);
        add_argument(expr, parse_binary(p, binary->level + 1));
        if (expr->height > MAX_HEIGHT)
            fail(p, expr->where, "expression too long: more than %d operators in a row",
                 MAX_HEIGHT - 1);
        left = expr;
    }
    return understood(p, left);
}

static struct expr *parse_expression(struct parser *p)
{
    return p->panic ? NULL : parse_binary(p, LEVEL_LOOSEST);
}

static void parse_arguments(struct parser *p, struct expr *expr, enum token_kind close)
{
    if (accept(p, close))
        return;
    do {
        add_argument(expr, parse_expression(p));
    } while (!p->panic && accept(p, TOKEN_COMMA));
    if (!p->panic && !accept(p, close))
        fail_expected(p, close == TOKEN_RIGHT_PAREN     ? "',' or ')'"
                         : close == TOKEN_RIGHT_BRACKET ? "',' or ']'"
                                                        : "',' or '}'");
}

/* At a name; the parenthesis follows. */
static struct expr *parse_call(struct parser *p)
{
    struct expr *expr = expr_create(EXPR_CALL, p->current.where);

    expr->text = copy_text(p->current.text, p->current.length);
    advance(p);
    advance(p);
    parse_arguments(p, expr, TOKEN_RIGHT_PAREN);
    return understood(p, expr);
}

static struct expr *parse_name(struct parser *p)
{
    struct expr *expr;

    if (p->next.kind == TOKEN_LEFT_PAREN)
        return parse_call(p);
    expr = expr_create(EXPR_NAME, p->current.where);
    expr->text = copy_text(p->current.text, p->current.length);
    expr->symbol = symbol_of(p, &p->current);
    advance(p);
    return expr;
}

static struct expr *parse_literal(struct parser *p, enum expr_kind kind)
{
    struct expr *expr = expr_create(kind, p->current.where);

    expr->integer = p->current.integer;
    expr->real = p->current.real;
    if (kind == EXPR_STRING)
        expr->text = copy_text(p->current.text, p->current.length);
    advance(p);
    return expr;
}

static struct expr *parse_primary(struct parser *p)
{
    struct expr *expr = NULL;

    switch (p->current.kind) {
    case TOKEN_INTEGER:
        return parse_literal(p, EXPR_INTEGER);
    case TOKEN_REAL:
        return parse_literal(p, EXPR_REAL);
    case TOKEN_STRING:
        return parse_literal(p, EXPR_STRING);
    case TOKEN_NAME:
        return parse_name(p);
    case TOKEN_BAD:
        advance(p);
        return NULL;
    case TOKEN_LEFT_PAREN:
        advance(p);
        expr = parse_expression(p);
        expect(p, TOKEN_RIGHT_PAREN);
        return understood(p, expr);
    case TOKEN_LEFT_BRACE:
        expr = expr_create(EXPR_ARRAY, p->current.where);
        advance(p);
        parse_arguments(p, expr, TOKEN_RIGHT_BRACE);
        return understood(p, expr);
    default:
        fail_expected(p, "an expression");
        return NULL;
    }
}

static struct expr *parse_prefix(struct parser *p, enum operator op)
{
    struct expr *expr = expr_create(EXPR_UNARY, p->current.where);
    bool sign = op == OP_NEGATE || op == OP_PLUS;

    expr->op = op;
    advance(p);
    /* A sign binds like the binary one, so that -2*3 is -(2*3). */
    add_argument(expr, sign ? parse_binary(p, LEVEL_MULTIPLY) : parse_unary(p));
    return understood(p, expr);
}

static struct expr *parse_unary(struct parser *p)
{
    struct expr *expr = NULL;

    if (enter(p, &p->expression_depth)) {
        switch (p->current.kind) {
        case TOKEN_MINUS:
            expr = parse_prefix(p, OP_NEGATE);
            break;
        case TOKEN_PLUS:
            expr = parse_prefix(p, OP_PLUS);
            break;
        case TOKEN_NOT:
            expr = parse_prefix(p, OP_NOT);
            break;
        case TOKEN_TILDE:
            expr = parse_prefix(p, OP_COMPLEMENT);
            break;
        default:
            expr = parse_primary(p);
        }
    }
    p->expression_depth--;
    return expr;
}

/* ---- constructs ---- */

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
        return true; /* begin: blocks do not nest */
    }
}

/* A token that ends the body of some construct. */
static bool at_closer(const struct parser *p)
{
    switch (p->current.kind) {
    case TOKEN_OD:
    case TOKEN_FI:
    case TOKEN_ELSE:
    case TOKEN_ELSEIF:
    case TOKEN_END:
        return true;
    case TOKEN_BEGIN:
        return p->open;
    default:
        return false;
    }
}

static bool closes_any(const struct parser *p)
{
    for (const struct construct *c = p->open; c; c = c->outer)
        if (closes(p, c))
            return true;
    return false;
}

/* A closer without anything to close. */
static void skip_stray(struct parser *p)
{
    struct position where = p->current.where;

    switch (p->current.kind) {
    case TOKEN_OD:
        complain(p, where, "'od' without a 'for' that it could end");
        break;
    case TOKEN_END:
        /* Otherwise what stands outside a block was reported. */
        if (!p->outside)
            complain(p, where, "'end' without a 'begin measurement' that it could end");
        advance(p);
        if (!at(p, TOKEN_MEASUREMENT))
            return;
        p->outside = false;
        break;
    default:
        complain(p, where, "'%s' without an 'if' that it could belong to",
                 token_keyword(p->current.kind));
    }
    advance(p);
}

static void open_construct(struct parser *p, struct construct *construct)
{
    *construct = (struct construct){p->current.kind, p->current.where, false, p->open};
    p->open = construct;
}

/* The word that ends the innermost construct. A missing one ends it as well, if something else
 * that ends a body stands here. */
static bool close_construct(struct parser *p, enum token_kind word)
{
    struct construct *construct = p->open;
    char found[DESCRIPTION];

    p->open = construct->outer;
    if (accept(p, word))
        return true;
    complain(p, p->current.where, "expected %s to close the '%s' of line %d, found %s%s",
             word == TOKEN_END ? "'end measurement'" : token_kind_name(word),
             token_keyword(construct->opener), construct->where.line, describe(&p->current, found),
             construct->else_if ? "; 'else if' begins another 'if', write 'elseif'" : "");
    /* "end" alone is a slip for od or fi. */
    if (word != TOKEN_END && at(p, TOKEN_END) && p->next.kind != TOKEN_MEASUREMENT)
        advance(p);
    return false;
}

static void enter_body(struct parser *p, struct stmt_list *list)
{
    if (enter(p, &p->statement_depth))
        parse_body(p, list);
    else
        abandon(p);
    p->statement_depth--;
}

/* ---- statements ---- */

static void parse_list(struct parser *p, struct stmt *stmt)
{
    do {
        append_expr(&stmt->list, &stmt->list_count, parse_expression(p));
    } while (!p->panic && accept(p, TOKEN_COMMA));
}

static struct stmt *parse_print(struct parser *p, enum stmt_kind kind)
{
    struct stmt *stmt = stmt_create(p, kind);

    advance(p);
    parse_list(p, stmt);
    return stmt;
}

static struct stmt *parse_flush(struct parser *p)
{
    struct stmt *stmt = stmt_create(p, STMT_FLUSH);

    advance(p);
    return stmt;
}

static struct stmt *parse_measure(struct parser *p)
{
    struct stmt *stmt = stmt_create(p, STMT_MEASURE);

    advance(p);
    stmt->set = parse_expression(p);
    expect(p, TOKEN_COLON);
    stmt->expr = parse_expression(p);
    return stmt;
}

static void parse_step(struct parser *p, struct stmt *stmt)
{
    if (p->panic || !accept(p, TOKEN_STEP))
        return;
    stmt->multiplicative = accept(p, TOKEN_STAR);
    stmt->step = parse_expression(p);
    if (p->panic || !at(p, TOKEN_MULTIPLEOF))
        return;
    if (!stmt->multiplicative)
        complain(p, p->current.where,
                 "'multipleof' needs a factor as step: step *FACTOR multipleof NUMBER");
    advance(p);
    stmt->multiple_of = parse_expression(p);
}

static void parse_range(struct parser *p, struct stmt *stmt)
{
    stmt->from = parse_expression(p);
    expect(p, TOKEN_TO);
    if (!p->panic && !accept(p, TOKEN_DOTS))
        stmt->to = parse_expression(p);
    parse_step(p, stmt);
}

static void parse_in(struct parser *p, struct stmt *stmt)
{
    if (accept(p, TOKEN_LEFT_BRACKET)) {
        stmt->kind = STMT_FOR_LIST;
        if (accept(p, TOKEN_RIGHT_BRACKET))
            return;
        parse_list(p, stmt);
        if (!p->panic && !accept(p, TOKEN_RIGHT_BRACKET))
            fail_expected(p, "',' or ']'");
    } else {
        stmt->kind = STMT_FOR_CALL;
        if (at(p, TOKEN_NAME) && p->next.kind == TOKEN_LEFT_PAREN)
            stmt->expr = parse_call(p);
        else
            fail_expected(p, "a list '[...]' or an iterator 'name(...)'");
    }
}

static void parse_loop_name(struct parser *p, struct stmt *stmt)
{
    if (!at(p, TOKEN_NAME)) {
        fail_expected(p, "the name of a variable");
        return;
    }
    stmt->symbol = symbol_of(p, &p->current);
    stmt->symbol_where = p->current.where;
    advance(p);
}

static struct stmt *parse_loop(struct parser *p)
{
    bool refined = at(p, TOKEN_AUTOREFINE);
    struct stmt *stmt = stmt_create(p, refined ? STMT_AUTOREFINE : STMT_FOR);
    struct construct construct;

    open_construct(p, &construct);
    advance(p);
    parse_loop_name(p, stmt);
    if (p->panic || accept(p, TOKEN_ASSIGN)) {
        parse_range(p, stmt);
    } else if (at(p, TOKEN_IN)) {
        if (refined)
            complain(p, p->current.where,
                     "'autorefine' needs a range of numbers: autorefine x = 1 to 10 do");
        advance(p);
        parse_in(p, stmt);
    } else {
        fail_expected(p, refined ? "'='" : "'=' or 'in'");
    }
    end_header(p, TOKEN_DO);
    enter_body(p, &stmt->body);
    close_construct(p, TOKEN_OD);
    return stmt;
}

/* The condition and the branches; fi is the caller's. */
static void parse_branches(struct parser *p, struct stmt *stmt)
{
    advance(p);
    stmt->expr = parse_expression(p);
    end_header(p, TOKEN_THEN);
    enter_body(p, &stmt->body);
    if (at(p, TOKEN_ELSEIF)) {
        struct stmt *nested = stmt_create(p, STMT_IF);

        append_stmt(&stmt->otherwise, nested);
        if (enter(p, &p->statement_depth))
            parse_branches(p, nested);
        else
            abandon(p);
        p->statement_depth--;
    } else if (accept(p, TOKEN_ELSE)) {
        if (at(p, TOKEN_IF) && !p->current.starts_line)
            p->open->else_if = true;
        enter_body(p, &stmt->otherwise);
    }
}

static struct stmt *parse_if(struct parser *p)
{
    struct stmt *stmt = stmt_create(p, STMT_IF);
    struct construct construct;

    open_construct(p, &construct);
    parse_branches(p, stmt);
    while (at(p, TOKEN_ELSE) || at(p, TOKEN_ELSEIF)) {
        complain(p, p->current.where, "this '%s' stands behind the 'else' of the 'if' of line %d",
                 token_keyword(p->current.kind), construct.where.line);
        if (at(p, TOKEN_ELSEIF)) {
            advance(p);
            expr_release(parse_expression(p));
            end_header(p, TOKEN_THEN);
        } else {
            advance(p);
        }
        enter_body(p, &stmt->otherwise);
    }
    close_construct(p, TOKEN_FI);
    return stmt;
}

static bool is_word(const struct token *token, const char *word)
{
    return token->length == strlen(word) && memcmp(token->text, word, token->length) == 0;
}

static struct stmt *parse_assert(struct parser *p)
{
    struct stmt *stmt = stmt_create(p, STMT_ASSERT);
    struct position where = p->current.where;
    struct expr *call = parse_call(p);

    if (!call)
        return stmt;
    if (call->count != 2)
        complain(p, where, "assert takes a condition and a text: assert(n > 1, \"why\")");
    stmt->list = call->args;
    stmt->list_count = call->count;
    call->args = NULL;
    call->count = 0;
    expr_release(call);
    return stmt;
}

static struct stmt *parse_assignment_here(struct parser *p)
{
    struct stmt *stmt = stmt_create(p, STMT_ASSIGN);

    stmt->symbol = symbol_of(p, &p->current);
    stmt->symbol_where = p->current.where;
    advance(p);
    advance(p);
    stmt->expr = parse_expression(p);
    return stmt;
}

/* A name that begins no statement; perhaps a keyword was meant. */
static void reject_name(struct parser *p)
{
    char *name = copy_text(p->current.text, p->current.length);
    const char *words[TOKEN_KINDS + 1] = {"assert"};
    const char *word;
    size_t count = 1;

    for (int kind = 0; kind < TOKEN_KINDS; kind++)
        if (token_keyword((enum token_kind)kind))
            words[count++] = token_keyword((enum token_kind)kind);
    word = diag_closest(name, words, count);
    if (word && p->next.kind < TOKEN_LESS) {
        fail(p, p->current.where, "unknown statement '%s': did you mean '%s'?", name, word);
    } else if (p->next.starts_line || p->next.kind == TOKEN_EOF) {
        fail(p, p->current.where,
             "name '%.40s' alone is no statement: expected '=' or '(' behind it", name);
    } else {
        advance(p);
        fail_expected(p, "'=' or '('");
    }
    free(name);
}

static struct stmt *parse_name_statement(struct parser *p)
{
    struct stmt *stmt;

    if (p->next.kind == TOKEN_ASSIGN)
        return parse_assignment_here(p);
    if (p->next.kind == TOKEN_LEFT_PAREN && is_word(&p->current, "assert"))
        return parse_assert(p);
    if (p->next.kind != TOKEN_LEFT_PAREN) {
        reject_name(p);
        return NULL;
    }
    stmt = stmt_create(p, STMT_CALL);
    stmt->expr = parse_call(p);
    return stmt;
}

static void reject_token(struct parser *p)
{
    char found[DESCRIPTION];

    describe(&p->current, found);
    if (token_keyword(p->current.kind) && p->next.kind == TOKEN_ASSIGN)
        fail(p, p->current.where, "%s cannot be the name of a variable", found);
    else if (at(p, TOKEN_LEFT_BRACKET))
        fail(p, p->current.where, "expected a statement, found '['" INDEX_HINT);
    else
        fail(p, p->current.where, "expected a statement, found %s%s", found,
             at(p, TOKEN_ASSIGN) && p->previous.starts_line
                 ? "; does the line before lack something?"
                 : "");
    advance(p);
}

/* What only a block may hold. */
static void require_block(struct parser *p, const char *what)
{
    if (p->open)
        return;
    complain(p, p->current.where, "%s must stand inside 'begin measurement \"name\"'", what);
    p->outside = true;
}

static struct stmt *parse_statement(struct parser *p)
{
    switch (p->current.kind) {
    case TOKEN_NAME:
        return parse_name_statement(p);
    case TOKEN_PRINT:
        require_block(p, "'print'");
        return parse_print(p, STMT_PRINT);
    case TOKEN_PRINT_ALL:
        require_block(p, "'print_all'");
        return parse_print(p, STMT_PRINT_ALL);
    case TOKEN_FLUSH:
        require_block(p, "'flush'");
        return parse_flush(p);
    case TOKEN_MEASURE:
        require_block(p, "'measure'");
        return parse_measure(p);
    case TOKEN_FOR:
    case TOKEN_AUTOREFINE:
        require_block(p, "a loop");
        return parse_loop(p);
    case TOKEN_IF:
        require_block(p, "'if'");
        return parse_if(p);
    default:
        reject_token(p);
        return NULL;
    }
}

/* ---- blocks ---- */

static bool is_blank_line(const char *line, const char *end, const char **next)
{
    while (line < end && strchr(" \t\r", *line) && *line != '\0')
        line++;
    *next = line + 1;
    return line < end && *line == '\n';
}

/* The text up to the last token and a comment behind it, for the option that shows it. */
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
    text = copy_text(begin, (size_t)(end - begin));
    if (end > begin && end[-1] == '\n')
        return text;
    copy = text_format("%s\n", text);
    free(text);
    return copy;
}

static void parse_block_name(struct parser *p, struct stmt *stmt)
{
    if (expect(p, TOKEN_MEASUREMENT)) {
        if (at(p, TOKEN_STRING))
            stmt->text = copy_text(p->current.text, p->current.length);
        if (!accept(p, TOKEN_STRING))
            fail_expected(p, "the name of the measurement in double quotes");
    }
    if (!stmt->text)
        stmt->text = copy_text("", 0);
    if (p->panic)
        synchronize(p);
}

static struct stmt *parse_block(struct parser *p)
{
    struct stmt *stmt = stmt_create(p, STMT_BLOCK);
    struct construct construct;

    open_construct(p, &construct);
    advance(p);
    parse_block_name(p, stmt);
    parse_body(p, &stmt->body);
    stmt->end_where = p->current.where;
    if (close_construct(p, TOKEN_END) && !accept(p, TOKEN_MEASUREMENT)) {
        fail_expected(p, "'measurement'");
        p->panic = false;
    }
    stmt->source_text = take_source_text(p);
    p->tree->block_count++;
    p->outside = false;
    return stmt;
}

/* Statements up to something that closes an open construct. */
static void parse_body(struct parser *p, struct stmt_list *list)
{
    while (true) {
        struct stmt *stmt;

        if (p->panic)
            synchronize(p);
        if (at(p, TOKEN_EOF))
            return;
        if (at_closer(p)) {
            if (closes_any(p))
                return;
            skip_stray(p);
            continue;
        }
        stmt = at(p, TOKEN_BEGIN) ? parse_block(p) : parse_statement(p);
        if (stmt)
            append_stmt(list, stmt);
    }
}

/* ---- entry points ---- */

static void parser_begin(struct parser *p, struct tree *tree, struct source *source,
                         struct diag *diag, int file)
{
    size_t size = 64;

    *p = (struct parser){.tree = tree, .diag = diag};
    p->lexer = lexer_create(source, diag, file, file == 0);
    while (size < 4 * (size_t)tree->symbol_count)
        size *= 2;
    names_resize(p, size);
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

struct stmt *parse_assignment(struct tree *tree, struct source *source, struct diag *diag, int file)
{
    size_t errors = diag_count(diag);
    struct stmt *stmt = NULL;
    struct parser parser, *p = &parser;

    parser_begin(p, tree, source, diag, file);
    if (at(p, TOKEN_NAME) && p->next.kind == TOKEN_ASSIGN)
        stmt = parse_assignment_here(p);
    else
        fail(p, (struct position){file, 1, 1}, "expected NAME=EXPRESSION");
    if (!p->panic && !at(p, TOKEN_EOF))
        fail_expected(p, "nothing more");
    parser_end(p);
    if (diag_count(diag) == errors && !p->panic)
        return stmt;
    stmt_release(stmt);
    return NULL;
}
