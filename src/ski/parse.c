/*
 * The parser's state, errors and recovery after them; expressions by recursive descent, their
 * binary operators by precedence climbing.
 */
#include "ski/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* How deep statements and expressions may nest. Each level takes several frames of the stack, in
 * the parser, the checker and the interpreter; no script of a person is as deep. */
#define MAX_DEPTH 200

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

/* ---- Errors ---- */

static void report(struct parser *p, struct position where, const char *format, va_list list)
{
    char message[600];

    if (p->panic || p->abandoned)
        return;
    vsnprintf(message, sizeof message, format, list);
    diag_error(p->diag, where, "%s", message);
}

void parse_complain(struct parser *p, struct position where, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    report(p, where, format, list);
    va_end(list);
}

void parse_fail(struct parser *p, struct position where, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    report(p, where, format, list);
    va_end(list);
    p->panic = true;
}

void parse_abandon(struct parser *p)
{
    p->abandoned = true;
    p->current.kind = TOKEN_EOF;
    p->next.kind = TOKEN_EOF;
}

const char *parse_describe(const struct token *token, char buffer[DESCRIPTION])
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
        return INDEX_HINT;
    return "";
}

void parse_fail_expected(struct parser *p, const char *expected)
{
    char before[DESCRIPTION], found[DESCRIPTION];

    parse_describe(&p->current, found);
    if (p->previous.kind == TOKEN_EOF)
        parse_fail(p, p->current.where, "expected %s, found %s", expected, found);
    else
        parse_fail(p, p->current.where, "expected %s after %s, found %s%s", expected,
                   parse_describe(&p->previous, before), found, hint(p, expected));
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
    if (parse_at(p, TOKEN_NAME) && p->next.kind == TOKEN_LEFT_PAREN)
        return true;
    /* Nobody can assign to a keyword, but the user meant to begin a statement. */
    return (parse_at(p, TOKEN_NAME) || token_keyword(p->current.kind)) &&
           p->next.kind == TOKEN_ASSIGN;
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

/* How high the tree of an expression may be, so that recursion over it cannot exhaust the stack. A
 * chain of operators is as high as it is long. */
#define MAX_HEIGHT 1000

static struct expr *parse_unary(struct parser *p);

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
    const struct binary *binary;

    while (!p->panic && (binary = find_binary(p->current.kind)) && binary->level >= loosest) {
        struct expr *expr = node_expr(EXPR_BINARY, p->current.where);

        expr->op = binary->op;
        node_add_argument(expr, left);
        parse_advance(p);
        node_add_argument(expr, parse_binary(p, binary->level + 1));
        if (expr->height > MAX_HEIGHT)
            parse_fail(p, expr->where, "expression too long: more than %d operators in a row",
                       MAX_HEIGHT - 1);
        left = expr;
    }
    return understood(p, left);
}

/* expr = conj , { "or" , conj } ; */
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

/* call = NAME , "(" , [ list ] , ")" ; */
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

/* ( "-" | "+" ) , product | ( "not" | "~" ) , prefix ; */
static struct expr *parse_prefix(struct parser *p, enum operator op)
{
    struct expr *expr = node_expr(EXPR_UNARY, p->current.where);
    bool sign = op == OP_NEGATE || op == OP_PLUS;

    expr->op = op;
    parse_advance(p);
    /* A sign binds as loosely as the binary operator, so that -2*3 is -(2*3). */
    node_add_argument(expr, sign ? parse_binary(p, LEVEL_MULTIPLY) : parse_unary(p));
    return understood(p, expr);
}

/* prefix = ( "-" | "+" ) , product | ( "not" | "~" ) , prefix | primary ; */
static struct expr *parse_unary(struct parser *p)
{
    struct expr *expr = NULL;

    if (parse_enter(p, &p->expression_depth)) {
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
