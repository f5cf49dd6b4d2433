/*
 * What the constructs and statements of a parser stand on: its tokens, its errors and how it goes
 * on after them, and expressions.
 *
 * After an error the parser is in panic: all functions return at once and report nothing, until
 * parse_synchronize() has found the next statement. Private to parse_expression.c and
 * parse_statement.c.
 */
#ifndef SKAMPI_SKI_PARSE_H
#define SKAMPI_SKI_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "ski/diag.h"
#include "ski/lexer.h"
#include "ski/source.h"
#include "ski/tree.h"

/* Bytes of a token as a message shows it. */
#define PARSE_DESCRIPTION 64
#define PARSE_INDEX_HINT "; elements of arrays are read with int_array_get(array, index)"

struct parser {
    struct tree *tree;
    struct diag *diag;
    struct lexer *lexer;
    struct token previous, current, next;
    struct construct *open; /* the innermost one, of parse_statement.c */
    int statement_depth, expression_depth;
    bool panic;
    bool abandoned; /* the rest of the script is skipped */
    bool outside;   /* an error said that a statement stands outside a block, so an "end" without
                       "begin" needs no further error */
    size_t text_taken;
};

/* At the first token of a file; the caller releases the lexer. */
void parse_begin(struct parser *p, struct tree *tree, struct source *source, struct diag *diag,
                 int file);

void parse_advance(struct parser *p);
bool parse_at(const struct parser *p, enum token_kind kind);
/* Goes past a token of that kind; false when there is another one. */
bool parse_accept(struct parser *p, enum token_kind kind);
/* Goes past a token of that kind; any other token is an error. */
bool parse_expect(struct parser *p, enum token_kind kind);

/* An error after which parsing simply goes on. */
__attribute__((format(printf, 3, 4))) void parse_complain(struct parser *p, struct position where,
                                                          const char *format, ...);
/* An error that makes the rest of the statement incomprehensible: panic. */
#define parse_fail(p, ...) (parse_complain(p, __VA_ARGS__), (void)((p)->panic = true))
/* Reports "expected ..., found ..." for the current token; panic. */
void parse_fail_expected(struct parser *p, const char *expected);
/* The token as a message shows it: "name 'x'". Returns buffer. */
const char *parse_spell(const struct token *token, char buffer[PARSE_DESCRIPTION]);

/* Ends a panic: goes to what looks like the next statement. */
void parse_synchronize(struct parser *p);
/* Goes past the word between the header of a construct and its body (do, then). After an error in
 * the header, the panic ends here. */
void parse_end_header(struct parser *p, enum token_kind word);

/* Goes one level deeper in one of the parser's depths; false and an error if it is too deep. The
 * caller decrements the depth afterwards in either case. */
bool parse_enter(struct parser *p, int *depth);

/* expr = conj , { "or" , conj } ; NULL if the parser is, or falls, in panic. */
struct expr *parse_expression(struct parser *p);
/* call = NAME , "(" , [ list ] , ")" ; at a name that a parenthesis follows. */
struct expr *parse_call(struct parser *p);

#endif
