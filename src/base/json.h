/*
 * Writing values of JSON (RFC 8259): on one line each, in UTF-8 whatever the text holds.
 */
#ifndef SKAMPI_BASE_JSON_H
#define SKAMPI_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What takes the place of bytes that are no UTF-8: U+FFFD. */
#define JSON_REPLACEMENT "\xEF\xBF\xBD"

/* Not for other libraries of the process: Jansson, which some launchers bring, has functions of
 * these names, too. */
#pragma GCC visibility push(hidden)

/* In quotes. Bytes that are no UTF-8 become U+FFFD each. */
void json_string(FILE *text, const char *string);
void json_string_part(FILE *text, const char *string, size_t length);

/* The shortest of 15, 16 or 17 significant digits that gives the same double back; null for NaN and
 * infinities, which JSON does not have. */
void json_number(FILE *text, double value);

/* Whether the whole string is a number as JSON writes them, and a finite double. */
bool json_is_number(const char *string);

/* Bytes of the UTF-8 character that begins these `length` bytes; 0: they begin with none (Unicode
 * 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). */
size_t json_character(const char *bytes, size_t length);

#pragma GCC visibility pop

#endif
