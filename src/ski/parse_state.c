/*
 * The parser's state: the next tokens, errors, and recovery after an error.
 */
#include "ski/parse_state.h"

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
