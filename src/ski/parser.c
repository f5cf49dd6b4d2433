/*
 * Makes the syntax tree of a script: expressions by recursive descent, their binary operators by
 * precedence climbing; statements and the constructs that contain them; and the values of --set
 * NAME=EXPR in it.
 *
 * After an error the parser is in panic: all functions return at once and report nothing, until
 * synchronize() has found the next statement.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "ski/diag.h"
#include "ski/lexer.h"
#include "ski/script.h"
#include "ski/tree.h"

/* How deep statements and expressions may nest. Each level takes several frames of the stack, in
 * the parser, the checker and the interpreter; no script of a person is as deep. */
#define MAX_DEPTH 200
/* How high the tree of an expression may be, so that recursion over it cannot exhaust the stack. A
 * chain of operators is as high as it is long. */
#define MAX_HEIGHT 1000
/* Bytes of a token as a message shows it. */
#define DESCRIPTION 64
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define INDEX_HINT "; elements of arrays are read with int_array_get(array, index)"

/* A construct that still has to be closed. */
struct construct {
    enum token_kind opener;
    struct position where;
    bool else_if; /* its body begins with "else if", which may explain why its fi is missing */
    struct construct *outer;
};

struct parser {
    struct tree *tree;
    struct diag *diag;
    struct lexer *lexer;
    struct token previous, current, next;
    struct construct *open;
    int statement_depth, expression_depth;
    bool panic;
    bool abandoned; /* the rest of the script is skipped */
    bool outside;   /* an error said that a statement stands outside a block, so an "end" without
                       "begin" needs no further error */
    size_t text_taken;
};

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

/* Goes past a token of that kind; false when there is another one. */
static bool accept(struct parser *p, enum token_kind kind)
{
    if (!at(p, kind))
        return false;
    advance(p);
    return true;
}

/* ---- Errors ---- */

/* An error after which parsing simply goes on. */
__attribute__((format(printf, 3, 4))) static void complain(struct parser *p, struct position where,
                                                           const char *format, ...)
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

/* An error that makes the rest of the statement incomprehensible: panic. */
#define fail(p, ...) (complain(p, __VA_ARGS__), (void)((p)->panic = true))

/* Gives up on the rest of the script when it is unclear what belongs where. */
static void abandon(struct parser *p)
{
    p->abandoned = true;
    p->current.kind = TOKEN_EOF;
    p->next.kind = TOKEN_EOF;
}

/* The token as a message shows it: "name 'x'". Returns buffer. */
static const char *spell(const struct token *token, char buffer[DESCRIPTION])
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

/* Reports "expected ..., found ..." for the current token; panic. */
static void fail_expected(struct parser *p, const char *expected)
{
    char before[DESCRIPTION], found[DESCRIPTION];

    spell(&p->current, found);
    if (p->previous.kind == TOKEN_EOF)
        fail(p, p->current.where, "expected %s, found %s", expected, found);
    else
        fail(p, p->current.where, "expected %s after %s, found %s%s", expected,
             spell(&p->previous, before), found, hint(p, expected));
}

/* Goes past a token of that kind; any other token is an error. */
static bool expect(struct parser *p, enum token_kind kind)
{
    if (p->panic)
        return false;
    if (accept(p, kind))
        return true;
    fail_expected(p, token_kind_name(kind));
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
    return (at(p, TOKEN_NAME) && p->next.kind == TOKEN_LEFT_PAREN) ||
           ((at(p, TOKEN_NAME) || token_keyword(p->current.kind)) && p->next.kind == TOKEN_ASSIGN);
}

/* Ends a panic: goes to what looks like the next statement. */
static void synchronize(struct parser *p)
{
    while (!at_statement(p))
        advance(p);
    p->panic = false;
}

/* Goes past the word between the header of a construct and its body (do, then). After an error in
 * the header, the panic ends here. */
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

/* Goes one level deeper in one of the parser's depths; false and an error at more than MAX_DEPTH.
 * The caller decrements the depth afterwards in either case. */
static bool enter(struct parser *p, int *depth)
{
    if (++*depth <= MAX_DEPTH)
        return true;
    fail(p, p->current.where, "nested too deeply: more than %d levels", MAX_DEPTH);
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
        advance(p);
        node_add_argument(expr, parse_binary(p, level + 1));
        if (expr->height > MAX_HEIGHT)
            fail(p, expr->where, "expression too long: more than %d operators in a row",
                 MAX_HEIGHT - 1);
        left = expr;
    }
    return understood(p, left);
}

/* expr = conj , { "or" , conj } ; */
static struct expr *parse_expression(struct parser *p)
{
    return p->panic ? NULL : parse_binary(p, LEVEL_LOOSEST);
}

/* [ list ] , CLOSE ; list = expr , { "," , expr } ; */
static void parse_arguments(struct parser *p, struct expr *expr, enum token_kind close)
{
    if (accept(p, close))
        return;
    do {
        node_add_argument(expr, parse_expression(p));
    } while (!p->panic && accept(p, TOKEN_COMMA));
    if (!p->panic && !accept(p, close))
        fail_expected(p, close == TOKEN_RIGHT_PAREN     ? "',' or ')'"
                         : close == TOKEN_RIGHT_BRACKET ? "',' or ']'"
                                                        : "',' or '}'");
}

/* call = NAME , "(" , [ list ] , ")" ; */
static struct expr *parse_call(struct parser *p)
{
    struct expr *expr = node_expr(EXPR_CALL, p->current.where);

    expr->text = node_text(p->current.text, p->current.length);
    advance(p);
    advance(p);
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
    advance(p);
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
    advance(p);
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
        advance(p);
        return NULL;
    case TOKEN_LEFT_PAREN:
        advance(p);
        expr = parse_expression(p);
        expect(p, TOKEN_RIGHT_PAREN);
        return understood(p, expr);
    case TOKEN_LEFT_BRACE:
        expr = node_expr(EXPR_ARRAY, p->current.where);
        advance(p);
        parse_arguments(p, expr, TOKEN_RIGHT_BRACE);
        return understood(p, expr);
    default:
        fail_expected(p, "an expression");
        return NULL;
    }
}

/* prefix = ( "-" | "+" ) , product | ( "not" | "~" ) , prefix | primary ; */
static struct expr *parse_unary(struct parser *p)
{
    enum operator op = prefixes[p->current.kind];
    struct expr *expr = NULL;

    if (enter(p, &p->expression_depth) && op) {
        expr = node_expr(EXPR_UNARY, p->current.where);
        expr->op = op;
        advance(p);
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
        return at(p, TOKEN_BEGIN); /* blocks do not nest */
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
        complain(p, where, "'od' without a matching 'for'");
        break;
    case TOKEN_END:
        /* Otherwise errors have said that statements stand outside a block, which explains this
         * "end". */
        if (!p->outside)
            complain(p, where, "'end' without a matching 'begin measurement'");
        advance(p);
        if (!at(p, TOKEN_MEASUREMENT))
            return;
        p->outside = false;
        break;
    default:
        complain(p, where, "'%s' without a matching 'if'", token_keyword(p->current.kind));
    }
    advance(p);
}

/* The body of the innermost construct ends: goes past its last word. It also ends if the word is
 * missing: the parser is then at the end of the script or at another closing word. */
static bool close_construct(struct parser *p, enum token_kind word)
{
    struct construct *construct = p->open;
    char found[DESCRIPTION];

    p->open = construct->outer;
    if (accept(p, word))
        return true;
    complain(p, p->current.where, "expected %s to close the '%s' on line %d, found %s%s",
             word == TOKEN_END ? "'end measurement'" : token_kind_name(word),
             token_keyword(construct->opener), construct->where.line, spell(&p->current, found),
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

/* ---- Simple statements ---- */

/* list = expr , { "," , expr } ; all of print and print_all. */
static void parse_list(struct parser *p, struct stmt *stmt)
{
    do {
        node_append_expr(&stmt->list, &stmt->list_count, parse_expression(p));
    } while (!p->panic && accept(p, TOKEN_COMMA));
}

/* measure = "measure" , expr , ":" , call ; the checker finds an expression that is no call. */
static void parse_measure(struct parser *p, struct stmt *stmt)
{
    stmt->set = parse_expression(p);
    /* The call stands where the communicator should be, and the next line is another statement. */
    if (stmt->set && stmt->set->kind == EXPR_CALL && p->current.starts_line && !at(p, TOKEN_COLON))
        fail(p, stmt->set->where,
             "the communicator or the function is missing: write 'measure COMMUNICATOR : "
             "FUNCTION(...)'");
    expect(p, TOKEN_COLON);
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
        complain(p, where, "assert takes a condition and a text: assert(n > 1, \"why\")");
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
    advance(p);
    advance(p);
    stmt->expr = parse_expression(p);
    return stmt;
}

/* ---- Loops ---- */

/* range = expr , "to" , ( expr | "..." ) ,
 *         [ "step" , ( expr | "*" , expr , [ "multipleof" , expr ] ) ] ; */
static void parse_range(struct parser *p, struct stmt *stmt)
{
    stmt->from = parse_expression(p);
    expect(p, TOKEN_TO);
    if (!p->panic && !accept(p, TOKEN_DOTS))
        stmt->to = parse_expression(p);
    if (p->panic || !accept(p, TOKEN_STEP))
        return;
    stmt->multiplicative = accept(p, TOKEN_STAR);
    stmt->step = parse_expression(p);
    if (p->panic || !at(p, TOKEN_MULTIPLEOF))
        return;
    if (!stmt->multiplicative)
        complain(p, p->current.where,
                 "'multipleof' needs a step that multiplies: step *FACTOR multipleof NUMBER");
    advance(p);
    stmt->multiple_of = parse_expression(p);
}

/* "[" , [ list ] , "]" | call ; after "in". */
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

/* loop = ( "for" | "autorefine" ) , NAME , "=" , range , "do" , body , "od"
 *      | "for" , NAME , "in" , ( "[" , [ list ] , "]" | call ) , "do" , body , "od" ; */
static void parse_loop(struct parser *p, struct stmt *stmt)
{
    bool refined = stmt->kind == STMT_AUTOREFINE;

    if (at(p, TOKEN_NAME)) {
        stmt->symbol = tree_symbol(p->tree, p->current.text, p->current.length);
        stmt->symbol_where = p->current.where;
        advance(p);
    } else {
        fail_expected(p, "the name of a variable");
    }
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
}

/* ---- if ---- */

/* expr , "then" , body , { "elseif" , expr , "then" , body } , [ "else" , body ] ; an elseif
 * becomes an if inside the else. */
static void parse_branches(struct parser *p, struct stmt *stmt)
{
    stmt->expr = parse_expression(p);
    end_header(p, TOKEN_THEN);
    enter_body(p, &stmt->body);
    if (at(p, TOKEN_ELSEIF)) {
        struct stmt *nested = node_stmt(STMT_IF, p->current.where);

        advance(p);
        node_append_stmt(&stmt->otherwise, nested);
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

/* branch = "if" , expr , "then" , body , { "elseif" , expr , "then" , body } ,
 *          [ "else" , body ] , "fi" ; */
static void parse_if(struct parser *p, struct stmt *stmt)
{
    parse_branches(p, stmt);
    while (at(p, TOKEN_ELSE) || at(p, TOKEN_ELSEIF)) {
        complain(p, p->current.where, "this '%s' comes after the 'else' of the 'if' on line %d",
                 token_keyword(p->current.kind), stmt->where.line);
        if (accept(p, TOKEN_ELSEIF)) {
            expr_release(parse_expression(p));
            end_header(p, TOKEN_THEN);
        } else {
            advance(p);
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
    if (expect(p, TOKEN_MEASUREMENT)) {
        if (at(p, TOKEN_STRING))
            stmt->text = node_text(p->current.text, p->current.length);
        if (!accept(p, TOKEN_STRING))
            fail_expected(p, "the name of the measurement in double quotes");
    }
    if (!stmt->text)
        stmt->text = node_text("", 0);
    if (p->panic)
        synchronize(p);
}

/* block = "begin" , "measurement" , STRING , body , "end" , "measurement" ; */
static void parse_block(struct parser *p, struct stmt *stmt)
{
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
        fail(p, p->current.where, "unknown statement '%s': did you mean '%s'?", name, word);
    } else if (p->next.starts_line || p->next.kind == TOKEN_EOF) {
        fail(p, p->current.where,
             "a name alone is not a statement: expected '=' or '(' after '%.40s'", name);
    } else {
        advance(p);
        fail_expected(p, "'=' or '('");
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
    char found[DESCRIPTION];

    spell(&p->current, found);
    if (token_keyword(p->current.kind) && p->next.kind == TOKEN_ASSIGN)
        fail(p, p->current.where, "%s cannot be the name of a variable", found);
    else if (at(p, TOKEN_LEFT_BRACKET))
        fail(p, p->current.where, "expected a statement, found '['" INDEX_HINT);
    else
        fail(p, p->current.where, "expected a statement, found %s%s", found,
             at(p, TOKEN_ASSIGN) && p->previous.starts_line ? "; is the line before incomplete?"
                                                            : "");
    advance(p);
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
        complain(p, p->current.where, "%s must be inside 'begin measurement \"name\"'",
                 statements[i].inside);
        p->outside = true;
    }
    struct stmt *stmt = node_stmt(statements[i].kind, p->current.where);
    struct construct construct = {token, stmt->where, false, p->open};

    if (statements[i].encloses)
        p->open = &construct;
    advance(p);
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
            synchronize(p);
        if (at(p, TOKEN_EOF) || closes_any(p))
            return;
        stmt = parse_statement(p);
        if (stmt)
            node_append_stmt(list, stmt);
    }
}

/* ---- Scripts ---- */

static void parser_begin(struct parser *p, struct tree *tree, struct source *source,
                         struct diag *diag, int file)
{
    *p = (struct parser){.tree = tree, .diag = diag};
    p->lexer = lexer_create(source, diag, file, file == 0);
    p->current = lexer_next(p->lexer);
    p->next = p->current;
    if (p->next.kind != TOKEN_EOF)
        p->next = lexer_next(p->lexer);
    p->previous.text = "";
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

    parser_begin(p, tree, source, diag, file);
    if (at(p, TOKEN_NAME) && p->next.kind == TOKEN_ASSIGN)
        stmt = parse_assignment(p);
    else
        fail(p, (struct position){file, 1, 1}, "expected NAME=EXPRESSION");
    if (!p->panic && !at(p, TOKEN_EOF))
        fail_expected(p, "the end");
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
