/*
 * Parses expressions: recursive descent, binary operators by precedence climbing.
 */
#include "ski/parse_expression.h"

#include "ski/node.h"

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
    expr->symbol = node_symbol(p, &p->current);
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
