/*
 * The words of a script, includes expanded. Used by the parser alone, on every PE alike.
 */
#ifndef SKAMPI_SKI_LEXER_H
#define SKAMPI_SKI_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ski/diag.h"
#include "ski/source.h"

#define LEXER_INCLUDE_DEPTH 10

enum token_kind {
    TOKEN_EOF, /* of the main script; placed at the last token before it */
    TOKEN_NAME,
    TOKEN_INTEGER,
    TOKEN_REAL,
    TOKEN_STRING,
    TOKEN_BAD, /* an operand that was reported as an error */
    /* keywords */
    TOKEN_AND,
    TOKEN_AUTOREFINE,
    TOKEN_BEGIN,
    TOKEN_DIAGRAM,
    TOKEN_DO,
    TOKEN_ELSE,
    TOKEN_ELSEIF,
    TOKEN_END,
    TOKEN_FI,
    TOKEN_FLUSH,
    TOKEN_FOR,
    TOKEN_IF,
    TOKEN_IN,
    TOKEN_MEASURE,
    TOKEN_MEASUREMENT,
    TOKEN_METHOD,
    TOKEN_MULTIPLEOF,
    TOKEN_NOT,
    TOKEN_OD,
    TOKEN_OR,
    TOKEN_PRINT,
    TOKEN_PRINT_ALL,
    TOKEN_RESULT,
    TOKEN_STEP,
    TOKEN_THEN,
    TOKEN_TO,
    /* operators and punctuation */
    TOKEN_LESS,
    TOKEN_GREATER,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER_EQUAL,
    TOKEN_EQUAL,
    TOKEN_NOT_EQUAL,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_STAR,
    TOKEN_SLASH,
    TOKEN_PERCENT,
    TOKEN_AMPERSAND,
    TOKEN_BAR,
    TOKEN_TILDE,
    TOKEN_ASSIGN,
    TOKEN_LEFT_PAREN,
    TOKEN_RIGHT_PAREN,
    TOKEN_LEFT_BRACKET,
    TOKEN_RIGHT_BRACKET,
    TOKEN_LEFT_BRACE,
    TOKEN_RIGHT_BRACE,
    TOKEN_COMMA,
    TOKEN_COLON,
    TOKEN_DOTS,
    TOKEN_DOT,
    TOKEN_KINDS
};

struct token {
    enum token_kind kind;
    struct position where;
    const char *text; /* in the source: of a string its contents, else the whole token */
    size_t length;
    int64_t integer;
    double real;
    bool starts_line;
    size_t expanded_end; /* where it ends in lexer_expanded() */
};

/* How a message names a kind of token: "'od'", "a name". The text of one before is lost. */
const char *token_kind_name(enum token_kind kind);

/* Spelling of a keyword or NULL. */
const char *token_keyword(enum token_kind kind);

/* Whether the word is what the token is in the script. */
bool token_says(const struct token *token, const char *word);

struct lexer;

/* Reads the file of that index. includes: whether @include is allowed. */
struct lexer *lexer_create(struct source *source, struct diag *diag, int file, bool includes);
void lexer_release(struct lexer *lexer);

/* The next token; errors go to diag and are skipped. At the end, TOKEN_EOF every time. */
struct token lexer_next(struct lexer *lexer);

/* The text read so far with includes in the place of their @include lines. Valid until the next
 * token. */
const char *lexer_expanded(const struct lexer *lexer, size_t *length);

/* An include could not be read or was left out. */
bool lexer_incomplete(const struct lexer *lexer);

/* The value of a text that consists of one integer as scripts write it, with or without a unit;
 * false for any other text. */
bool lexer_integer(const char *text, int64_t *value);

#endif
