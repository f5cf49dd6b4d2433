/*
 * Reads numbers: integers with units, hexadecimal integers, doubles.
 */
#ifndef SKAMPI_SKI_NUMBER_H
#define SKAMPI_SKI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "ski/cursor.h"
#include "ski/diag.h"

/* Reads a number. The cursor is at a digit, or at a dot with a digit after it, and goes past the
 * number. TOKEN_BAD after an error, which went to diag. */
struct token number_read(struct diag *diag, struct cursor *cursor);
/* The value of a text that consists of one integer as scripts write it, with or without a unit;
 * false for any other text. */
bool number_integer(const char *text, int64_t *value);

#endif
