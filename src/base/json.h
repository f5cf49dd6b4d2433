/*
 * Writing values of JSON (RFC 8259): on one line each, in UTF-8 whatever the text holds.
 */
#ifndef SKAMPI_BASE_JSON_H
#define SKAMPI_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* U+FFFD, which takes the place of bytes that are not UTF-8. */
#define JSON_REPLACEMENT "\xEF\xBF\xBD"

/* Hidden from other libraries of the process: Jansson, which some launchers load, has functions of
 * these names, too. */
#pragma GCC visibility push(hidden)

/* Writes a string in quotes. Each byte that is not UTF-8 becomes U+FFFD. */
void json_string(FILE *text, const char *string);
void json_string_part(FILE *text, const char *string, size_t length);

/* Writes a number with 15, 16 or 17 significant digits, the fewest from which the same double can
 * be read; null for NaN and infinities, which JSON does not have. */
void json_number(FILE *text, double value);

/* Prints objects by a format, in which ' stands for the quotes of names, %s for a string, %f for
 * a number as json_number() writes it, and %d, %u, %lld and %zu for integers. */
void json_print(FILE *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the whole string is a number as JSON writes them, and a finite double. */
bool json_is_number(const char *string);

/* Bytes of the UTF-8 character that begins these `length` bytes; 0: they begin with none (Unicode
 * 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). */
size_t json_character(const char *bytes, size_t length);

#pragma GCC visibility pop

#endif
