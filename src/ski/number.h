/*
 * Reads numbers: integers with units, hexadecimal integers, doubles.
 */
#ifndef SKAMPI_SKI_NUMBER_H
#define SKAMPI_SKI_NUMBER_H

#include "ski/cursor.h"
#include "ski/diag.h"

/* At a digit, or a dot that a digit follows. Goes past the number; TOKEN_BAD after an error, which
 * went to diag. */
struct token number_read(struct diag *diag, struct cursor *cursor);

#endif
