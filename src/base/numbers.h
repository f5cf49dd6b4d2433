/*
 * Numbers as texts: with a point in every locale, and as people read them. Any PE, any thread.
 */
#ifndef SKAMPI_BASE_NUMBERS_H
#define SKAMPI_BASE_NUMBERS_H

#include <locale.h>
#include <stddef.h>
#include <stdlib.h>

/* From now on, this thread reads and writes numbers with a point, whatever the locale of the
 * process is: libraries may choose another one at any time. For threads of our own. */
void numbers_use_point(void);

/* A point until numbers_point_end(), which takes what numbers_point_begin() has returned: for code
 * that also runs in threads of a traced program. */
locale_t numbers_point_begin(void);
void numbers_point_end(locale_t before);

/* How two numbers are ordered, for qsort(): -1, 0 or 1. */
#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))
/* As qsort(), which must not be given NULL, also for arrays that have no elements. */
#define SORT(array, count, compare)                                                                \
    ((count) > 0 ? qsort(array, count, sizeof *(array), compare) : (void)0)

/* The ending of a noun after this count: "" for 1, else "s". */
const char *numbers_plural(size_t count);

/* A number with this many significant digits: 460, 0.0013, 2.5e-15. No exponent from 0.0001 to
 * 10^7, no zeros at the end of decimals; "---" for NaN. text needs 32 bytes; digits: at most 12.
 * Returns text. */
char *numbers_text(char *text, double value, int digits);

/* How many digits of the value make sense with this error: down to the second digit of the error,
 * but from 2 to 4 digits. */
int numbers_digits(double value, double error);

/* Units of time from the smallest on: "ps", then those in which skampi states times: "ns", "us",
 * "ms" and "s". */
enum { NUMBERS_PS, NUMBERS_NS, NUMBERS_UNITS = 5 };
struct time_unit {
    const char *name;
    double per_second;
};
extern const struct time_unit numbers_units[NUMBERS_UNITS];
/* The unit, at least this one, in which the seconds are less than the limit; else seconds. */
const struct time_unit *numbers_fitting(double seconds, size_t least, double limit);

/* A time in the unit that suits it: "1.23 us". text needs 40 bytes. Returns text. */
char *numbers_time(char *text, double seconds, int digits);

/* How many of a unit of time make a second: "ns", "us", "ms" or "s"; 0: it is none. */
double numbers_unit(const char *name);
/* The other way; NULL: the unit has no name. */
const char *numbers_unit_name(double per_second);

#endif
