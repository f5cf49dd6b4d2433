/*
 * Reads numbers: integers with units, hexadecimal integers, doubles.
 */
#ifndef SKAMPI_SKI_NUMBER_H
#define SKAMPI_SKI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "ski/cursor.h"
#include "ski/diag.h"

/* At a digit, or a dot that a digit follows. Goes past the number; TOKEN_BAD after an error, which
 * went to diag. */
struct token number_read(struct diag *diag, struct cursor *cursor);
/* A text that is nothing but an integer with or without a unit, as scripts write it. */
bool number_integer(const char *text, int64_t *value);

#endif
