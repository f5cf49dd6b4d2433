/*
 * A place in the text of a file being read, and what follows there.
 */
#ifndef SKAMPI_SKI_CURSOR_H
#define SKAMPI_SKI_CURSOR_H

#include "ski/token.h"

/* A file and the place in it. */
struct cursor {
    int file;
    const char *text;
    size_t length, at;
    int line;
    size_t line_start;
    size_t copied; /* bytes of text that are in the expanded text; more than at after an @include */
    int last_token_line;
    int long_string_line; /* where the last string of several lines began */
};

bool cursor_is_digit(char c);
/* Whether a name may begin with it: a letter or '_'. */
bool cursor_is_letter(char c);

/* The byte i after the reading position; NUL after the end. */
char cursor_peek(const struct cursor *cursor, size_t i);
/* How many letters and digits (cursor_word) or digits (cursor_digits) follow from byte from on. */
size_t cursor_word(const struct cursor *cursor, size_t from);
size_t cursor_digits(const struct cursor *cursor, size_t from);

struct position cursor_here(const struct cursor *cursor);
/* A token of one byte that begins here. */
struct token cursor_token(const struct cursor *cursor, enum token_kind kind);

#endif
