/*
 * The parser's state, errors and recovery after them, and expressions.
 *
 * After an error the parser is in panic: all parse functions return at once and report nothing,
 * until parse_synchronize() has found the next statement. Private to parse.c and parser.c.
 */
#ifndef SKAMPI_SKI_PARSE_H
#define SKAMPI_SKI_PARSE_H

#include "ski/diag.h"
#include "ski/lexer.h"
#include "ski/tree.h"

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

void parse_advance(struct parser *p);
bool parse_at(const struct parser *p, enum token_kind kind);
/* Goes past a token of that kind; false when there is another one. */
bool parse_accept(struct parser *p, enum token_kind kind);
/* Goes past a token of that kind; any other token is an error. */
bool parse_expect(struct parser *p, enum token_kind kind);

/* An error after which parsing simply goes on. */
void parse_complain(struct parser *p, struct position where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An error that makes the rest of the statement incomprehensible: panic. */
void parse_fail(struct parser *p, struct position where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports "expected ..., found ..." for the current token; panic. */
void parse_fail_expected(struct parser *p, const char *expected);
/* Gives up on the rest of the script when it is unclear what belongs where. */
void parse_abandon(struct parser *p);

#define DESCRIPTION 64
/* The token as a message shows it: "name 'x'". Returns buffer. */
const char *parse_describe(const struct token *token, char buffer[DESCRIPTION]);

#define INDEX_HINT "; elements of arrays are read with int_array_get(array, index)"

/* Ends a panic: goes to what looks like the next statement. */
void parse_synchronize(struct parser *p);
/* Goes past the word between the header of a construct and its body (do, then). After an error in
 * the header, the panic ends here. */
void parse_end_header(struct parser *p, enum token_kind word);

/* Goes one level deeper in one of the parser's depths; false and an error at more than MAX_DEPTH.
 * The caller decrements the depth afterwards in either case. */
bool parse_enter(struct parser *p, int *depth);

/* NULL, in panic, when it is not understood; also when the parser is in panic already. */
struct expr *parse_expression(struct parser *p);

/* At a name that is followed by a parenthesis. */
struct expr *parse_call(struct parser *p);

#endif
