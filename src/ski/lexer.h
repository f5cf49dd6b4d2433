/*
 * The words of a script, includes expanded. Used by the parser alone, on every PE alike.
 */
#ifndef SKAMPI_SKI_LEXER_H
#define SKAMPI_SKI_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "ski/diag.h"
#include "ski/source.h"
#include "ski/token.h"

#define LEXER_INCLUDE_DEPTH 10

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

#endif
