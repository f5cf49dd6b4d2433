/* Numbers as people read them. */
#include "base/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 32
#define LEAST_PLAIN 1e-4
#define MOST_PLAIN 1e7
#define LEAST_DIGITS 2
#define MOST_DIGITS 4
/* Not 1000 of a unit, also when it is rounded. */
#define NEXT_UNIT 999.5

locale_t numbers_point_begin(void)
{
    /* A thread's own locale wins against that of the process. */
    static _Atomic(locale_t) with_point;
    if (!with_point)
        with_point = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return with_point ? uselocale(with_point) : (locale_t)0;
}

void numbers_use_point(void)
{
    numbers_point_begin();
}

void numbers_point_end(locale_t before)
{
    if (before)
        uselocale(before);
}

const char *numbers_plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* "1.50" becomes "1.5", "2.0e-06" becomes "2e-6". */
static void strip_zeros(char *text)
{
    char *point = strchr(text, '.'), *end, *rest = strchr(text, 'e');
    if (rest)
        sprintf(rest, "e%ld", strtol(rest + 1, NULL, 10));
    if (!point)
        return;
    if (!rest)
        rest = text + strlen(text);
    for (end = rest; end[-1] == '0'; end--)
        ;
    if (end[-1] == '.')
        end--;
    memmove(end, rest, strlen(rest) + 1);
}

char *numbers_text(char *text, double value, int digits)
{
    if (!isfinite(value)) {
        snprintf(text, NUMBER_BYTES, isnan(value) ? "---" : value > 0 ? "inf" : "-inf");
        return text;
    }
    locale_t before = numbers_point_begin();
    snprintf(text, NUMBER_BYTES, "%.*e", digits - 1, value);
    double rounded = strtod(text, NULL), size = fabs(rounded);
    if (size >= LEAST_PLAIN && size < MOST_PLAIN) {
        int decimals = digits - 1 - (int)floor(log10(size));
        snprintf(text, NUMBER_BYTES, "%.*f", decimals > 0 ? decimals : 0, rounded);
    } else if (size == 0) {
        snprintf(text, NUMBER_BYTES, "0");
    }
    numbers_point_end(before);
    strip_zeros(text);
    return text;
}

int numbers_digits(double value, double error)
{
    if (value == 0 || !isfinite(value) || !(error > 0) || !isfinite(error))
        return LEAST_DIGITS;
    int digits = (int)floor(log10(fabs(value))) - (int)floor(log10(error)) + 2;
    return digits < LEAST_DIGITS ? LEAST_DIGITS : digits > MOST_DIGITS ? MOST_DIGITS : digits;
}

const struct time_unit numbers_units[] = {
    {"ps", 1e12}, {"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}};

const struct time_unit *numbers_fitting(double seconds, size_t least, double limit)
{
    const struct time_unit *unit = &numbers_units[least];
    while (unit->per_second > 1 && fabs(seconds) * unit->per_second >= limit)
        unit++;
    return unit;
}

char *numbers_time(char *text, double seconds, int digits)
{
    char number[NUMBER_BYTES];
    const struct time_unit *unit = numbers_fitting(seconds, NUMBERS_NS, NEXT_UNIT);
    snprintf(text, NUMBER_BYTES + 8, "%s %s",
             numbers_text(number, seconds * unit->per_second, digits), unit->name);
    return text;
}

const char *numbers_unit_name(double per_second)
{
    for (size_t i = NUMBERS_NS; i < NUMBERS_UNITS; i++)
        if (numbers_units[i].per_second == per_second)
            return numbers_units[i].name;
    return NULL;
}

double numbers_unit(const char *name)
{
    for (size_t i = NUMBERS_NS; i < NUMBERS_UNITS; i++)
        if (strcmp(numbers_units[i].name, name) == 0)
            return numbers_units[i].per_second;
    return 0;
}
