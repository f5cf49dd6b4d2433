/*
 * Numbers as people read them. Any PE, any thread.
 */
#ifndef SKAMPI_BASE_WORDS_H
#define SKAMPI_BASE_WORDS_H

#include <stddef.h>

/* The ending of a noun after this count: "" for 1, else "s". */
const char *words_plural(size_t count);

/* A number with this many significant digits: 460, 0.0013, 2.5e-15. No exponent from 0.0001 to
 * 10^7, no zeros at the end of decimals; "---" for NaN. text needs 32 bytes; digits: at most 12.
 * Returns text. */
char *words_number(char *text, double value, int digits);

/* As many digits of the value as its error allows: two digits of the error, from 2 to 4 of the
 * value. */
int words_digits(double value, double error);

/* A time in the unit that suits it: "1.23 us". text needs 40 bytes. Returns text. */
char *words_time(char *text, double seconds, int digits);

/* How many of a unit of time make a second: "ns", "us", "ms" or "s"; 0: it is none. */
double words_unit(const char *name);

#endif
