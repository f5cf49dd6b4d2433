/*
 * The lower half of the parser: its tokens, its errors and how it goes on after them, and
 * expressions by recursive descent, their binary operators by precedence climbing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ski/parse.h"

/* How deep statements and expressions may nest. Each level takes several frames of the stack, in
 * the parser, the checker and the interpreter; no script of a person is as deep. */
#define MAX_DEPTH 200
/* How high the tree of an expression may be, so that recursion over it cannot exhaust the stack. A
 * chain of operators is as high as it is long. */
#define MAX_HEIGHT 1000

void parse_advance(struct parser *p)
{
    p->previous = p->current;
    p->current = p->next;
    if (p->next.kind != TOKEN_EOF)
        p->next = lexer_next(p->lexer);
}

bool parse_at(const struct parser *p, enum token_kind kind)
{
    return p->current.kind == kind;
}

bool parse_accept(struct parser *p, enum token_kind kind)
{
    if (!parse_at(p, kind))
        return false;
    parse_advance(p);
    return true;
}

void parse_begin(struct parser *p, struct tree *tree, struct source *source, struct diag *diag,
                 int file)
{
    *p = (struct parser){.tree = tree, .diag = diag};
    p->lexer = lexer_create(source, diag, file, file == 0);
    p->current = lexer_next(p->lexer);
    p->next = p->current;
    if (p->next.kind != TOKEN_EOF)
        p->next = lexer_next(p->lexer);
    p->previous.text = "";
}

/* ---- Errors ---- */

void parse_complain(struct parser *p, struct position where, const char *format, ...)
{
    va_list list;

    if (p->panic || p->abandoned)
        return;
    va_start(list, format);
    char *message = text_format_with(format, list);
    va_end(list);
    diag_error(p->diag, where, "%s", message);
    free(message);
}

const char *parse_spell(const struct token *token, char buffer[PARSE_DESCRIPTION])
{
    const char *line_end = memchr(token->text, '\n', token->length);
    size_t shown = line_end ? (size_t)(line_end - token->text) : token->length;
    const char *dots;

    if (shown > 30)
        shown = 30;
    dots = shown < token->length ? "..." : "";
    if (token->kind == TOKEN_EOF)
        snprintf(buffer, PARSE_DESCRIPTION, "the end of the script");
    else if (token->kind == TOKEN_STRING)
        snprintf(buffer, PARSE_DESCRIPTION, "string \"%.*s%s\"", (int)shown, token->text, dots);
    else if (token->kind == TOKEN_NAME)
        snprintf(buffer, PARSE_DESCRIPTION, "name '%.*s%s'", (int)shown, token->text, dots);
    else if (token->kind <= TOKEN_BAD)
        snprintf(buffer, PARSE_DESCRIPTION, "number %.*s%s", (int)shown, token->text, dots);
    else if (token_keyword(token->kind))
        snprintf(buffer, PARSE_DESCRIPTION, "keyword '%.*s'", (int)shown, token->text);
    else
        snprintf(buffer, PARSE_DESCRIPTION, "'%.*s'", (int)shown, token->text);
    return buffer;
}

/* A hint at what the user may have meant by an unexpected token. */
static const char *hint(const struct parser *p, const char *expected)
{
    if (parse_at(p, TOKEN_ASSIGN))
        return "; to compare, write '=='";
    if (parse_at(p, TOKEN_EQUAL) && strstr(expected, "'='"))
        return "; '==' compares, to assign write '='";
    if (p->next.kind == TOKEN_ASSIGN && !p->next.starts_line &&
        (parse_at(p, TOKEN_PLUS) || parse_at(p, TOKEN_MINUS) || parse_at(p, TOKEN_STAR) ||
         parse_at(p, TOKEN_SLASH)))
        return "; there is no such assignment, write x = x + 1";
    if (parse_at(p, TOKEN_LEFT_BRACKET) && p->previous.kind == TOKEN_NAME)
        return PARSE_INDEX_HINT;
    return "";
}

void parse_fail_expected(struct parser *p, const char *expected)
{
    char before[PARSE_DESCRIPTION], found[PARSE_DESCRIPTION];

    parse_spell(&p->current, found);
    if (p->previous.kind == TOKEN_EOF)
        parse_fail(p, p->current.where, "expected %s, found %s", expected, found);
    else
        parse_fail(p, p->current.where, "expected %s after %s, found %s%s", expected,
                   parse_spell(&p->previous, before), found, hint(p, expected));
}

bool parse_expect(struct parser *p, enum token_kind kind)
{
    if (p->panic)
        return false;
    if (parse_accept(p, kind))
        return true;
    parse_fail_expected(p, token_kind_name(kind));
    return false;
}

/* ---- Going on after an error ---- */

/* Tokens with which a statement, or the end of a construct, plausibly begins. */
static const bool begins[TOKEN_KINDS] = {
    [TOKEN_EOF] = true,    [TOKEN_AUTOREFINE] = true, [TOKEN_BEGIN] = true,   [TOKEN_ELSE] = true,
    [TOKEN_ELSEIF] = true, [TOKEN_END] = true,        [TOKEN_FI] = true,      [TOKEN_FLUSH] = true,
    [TOKEN_FOR] = true,    [TOKEN_IF] = true,         [TOKEN_MEASURE] = true, [TOKEN_OD] = true,
    [TOKEN_PRINT] = true,  [TOKEN_PRINT_ALL] = true};

/* Words with which no statement ends, and punctuation with which one may end. */
static const bool wants_more[TOKEN_KINDS] = {
    [TOKEN_AND] = true,  [TOKEN_IN] = true, [TOKEN_MEASURE] = true, [TOKEN_MULTIPLEOF] = true,
    [TOKEN_NOT] = true,  [TOKEN_OR] = true, [TOKEN_PRINT] = true,   [TOKEN_PRINT_ALL] = true,
    [TOKEN_STEP] = true, [TOKEN_TO] = true};
static const bool may_end[TOKEN_KINDS] = {[TOKEN_RIGHT_PAREN] = true,
                                          [TOKEN_RIGHT_BRACKET] = true,
                                          [TOKEN_RIGHT_BRACE] = true,
                                          [TOKEN_DOTS] = true};

/* Whether a statement, or the end of a construct, plausibly begins here. */
static bool at_statement(const struct parser *p)
{
    enum token_kind before = p->previous.kind;

    if (begins[p->current.kind])
        return true;
    if (!p->current.starts_line || wants_more[before] || (before >= TOKEN_LESS && !may_end[before]))
        return false;
    /* Nobody can assign to a keyword, but the user meant to begin a statement. */
    return (parse_at(p, TOKEN_NAME) && p->next.kind == TOKEN_LEFT_PAREN) ||
           ((parse_at(p, TOKEN_NAME) || token_keyword(p->current.kind)) &&
            p->next.kind == TOKEN_ASSIGN);
}

void parse_synchronize(struct parser *p)
{
    while (!at_statement(p))
        parse_advance(p);
    p->panic = false;
}

void parse_end_header(struct parser *p, enum token_kind word)
{
    parse_expect(p, word);
    if (!p->panic)
        return;
    while (!parse_at(p, word) && !at_statement(p))
        parse_advance(p);
    p->panic = false;
    parse_accept(p, word);
}

bool parse_enter(struct parser *p, int *depth)
{
    if (++*depth <= MAX_DEPTH)
        return true;
    parse_fail(p, p->current.where, "nested too deeply: more than %d levels", MAX_DEPTH);
    return false;
}

/* ---- Expressions ---- */

static struct expr *parse_unary(struct parser *p);

/* Binary operators with the level at which they bind; level 0: the token is none. */
static const struct {
    int level;
    enum operator op;
} binaries[TOKEN_KINDS] = {
    [TOKEN_OR] = {1, OP_OR},
    [TOKEN_AND] = {2, OP_AND},
    [TOKEN_BAR] = {3, OP_BIT_OR},
    [TOKEN_AMPERSAND] = {4, OP_BIT_AND},
    [TOKEN_EQUAL] = {5, OP_EQUAL},
    [TOKEN_NOT_EQUAL] = {5, OP_NOT_EQUAL},
    [TOKEN_LESS] = {6, OP_LESS},
    [TOKEN_GREATER] = {6, OP_GREATER},
    [TOKEN_LESS_EQUAL] = {6, OP_LESS_EQUAL},
    [TOKEN_GREATER_EQUAL] = {6, OP_GREATER_EQUAL},
    [TOKEN_PLUS] = {7, OP_ADD},
    [TOKEN_MINUS] = {7, OP_SUBTRACT},
    [TOKEN_STAR] = {8, OP_MULTIPLY},
    [TOKEN_SLASH] = {8, OP_DIVIDE},
    [TOKEN_PERCENT] = {8, OP_MODULO},
};
#define LEVEL_LOOSEST 1
#define LEVEL_MULTIPLY 8

/* Unary operators; 0: the token is none. */
static const enum operator prefixes[TOKEN_KINDS] = {[TOKEN_MINUS] = OP_NEGATE,
                                                    [TOKEN_PLUS] = OP_PLUS,
                                                    [TOKEN_NOT] = OP_NOT,
                                                    [TOKEN_TILDE] = OP_COMPLEMENT};

/* The expression; NULL, and released, if the parser fell into panic within it. */
static struct expr *understood(const struct parser *p, struct expr *expr)
{
    if (!p->panic)
        return expr;
    expr_release(expr);
    return NULL;
}

/* binary = unary , { OPERATOR , unary } ; operators of the level loosest and tighter, from expr to
 * product in the grammar of docs/language.md. All associate to the left. */
static struct expr *parse_binary(struct parser *p, int loosest)
{
    struct expr *left = parse_unary(p);

    for (int level; !p->panic && (level = binaries[p->current.kind].level) >= loosest;) {
        struct expr *expr = node_expr(EXPR_BINARY, p->current.where);

        expr->op = binaries[p->current.kind].op;
        node_add_argument(expr, left);
        parse_advance(p);
        node_add_argument(expr, parse_binary(p, level + 1));
        if (expr->height > MAX_HEIGHT)
            parse_fail(p, expr->where, "expression too long: more than %d operators in a row",
                       MAX_HEIGHT - 1);
        left = expr;
    }
    return understood(p, left);
}

struct expr *parse_expression(struct parser *p)
{
    return p->panic ? NULL : parse_binary(p, LEVEL_LOOSEST);
}

/* [ list ] , CLOSE ; list = expr , { "," , expr } ; */
static void parse_arguments(struct parser *p, struct expr *expr, enum token_kind close)
{
    if (parse_accept(p, close))
        return;
    do {
        node_add_argument(expr, parse_expression(p));
    } while (!p->panic && parse_accept(p, TOKEN_COMMA));
    if (!p->panic && !parse_accept(p, close))
        parse_fail_expected(p, close == TOKEN_RIGHT_PAREN     ? "',' or ')'"
                               : close == TOKEN_RIGHT_BRACKET ? "',' or ']'"
                                                              : "',' or '}'");
}

struct expr *parse_call(struct parser *p)
{
    struct expr *expr = node_expr(EXPR_CALL, p->current.where);

    expr->text = node_text(p->current.text, p->current.length);
    parse_advance(p);
    parse_advance(p);
    parse_arguments(p, expr, TOKEN_RIGHT_PAREN);
    return understood(p, expr);
}

/* NAME | call ; */
static struct expr *parse_name(struct parser *p)
{
    struct expr *expr;

    if (p->next.kind == TOKEN_LEFT_PAREN)
        return parse_call(p);
    expr = node_expr(EXPR_NAME, p->current.where);
    expr->text = node_text(p->current.text, p->current.length);
    expr->symbol = tree_symbol(p->tree, p->current.text, p->current.length);
    parse_advance(p);
    return expr;
}

/* INTEGER | DOUBLE | STRING ; */
static struct expr *parse_literal(struct parser *p, enum expr_kind kind)
{
    struct expr *expr = node_expr(kind, p->current.where);

    expr->integer = p->current.integer;
    expr->real = p->current.real;
    if (kind == EXPR_STRING)
        expr->text = node_text(p->current.text, p->current.length);
    parse_advance(p);
    return expr;
}

/* primary = INTEGER | DOUBLE | STRING | NAME | call | "{" , [ list ] , "}" | "(" , expr , ")" ; */
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
        parse_advance(p);
        return NULL;
    case TOKEN_LEFT_PAREN:
        parse_advance(p);
        expr = parse_expression(p);
        parse_expect(p, TOKEN_RIGHT_PAREN);
        return understood(p, expr);
    case TOKEN_LEFT_BRACE:
        expr = node_expr(EXPR_ARRAY, p->current.where);
        parse_advance(p);
        parse_arguments(p, expr, TOKEN_RIGHT_BRACE);
        return understood(p, expr);
    default:
        parse_fail_expected(p, "an expression");
        return NULL;
    }
}

/* prefix = ( "-" | "+" ) , product | ( "not" | "~" ) , prefix | primary ; */
static struct expr *parse_unary(struct parser *p)
{
    enum operator op = prefixes[p->current.kind];
    struct expr *expr = NULL;

    if (parse_enter(p, &p->expression_depth) && op) {
        expr = node_expr(EXPR_UNARY, p->current.where);
        expr->op = op;
        parse_advance(p);
        /* A sign binds as loosely as the binary operator, so that -2*3 is -(2*3). */
        node_add_argument(expr, op == OP_NEGATE || op == OP_PLUS ? parse_binary(p, LEVEL_MULTIPLY)
                                                                 : parse_unary(p));
        expr = understood(p, expr);
    } else if (!p->panic) {
        expr = parse_primary(p);
    }
    p->expression_depth--;
    return expr;
}
