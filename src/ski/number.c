/* Reads numbers: integers with units, hexadecimal integers, doubles. */
#include "ski/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int shift;
} units[] = {{"kb", 10}, {"kB", 10},  {"KB", 10}, {"KiB", 10}, {"mb", 20},
             {"MB", 20}, {"MiB", 20}, {"gb", 30}, {"GB", 30},  {"GiB", 30}};

static bool read_digits(const char *digits, size_t count, int base, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = cursor_is_digit(digits[i]) ? digits[i] - '0' : tolower(digits[i]) - 'a' + 10;

        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

static bool apply_unit(const char *unit, size_t length, bool *in_range, int64_t *value)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) != length || memcmp(units[i].name, unit, length) != 0)
            continue;
        if (__builtin_mul_overflow(*value, (int64_t)1 << units[i].shift, value))
            *in_range = false;
        return true;
    }
    return false;
}

bool number_integer(const char *text, int64_t *value)
{
    size_t digits = strspn(text, "0123456789");
    bool in_range = digits > 0 && read_digits(text, digits, 10, value);
    const char *unit = text + digits;
    return in_range && (*unit == '\0' || apply_unit(unit, strlen(unit), &in_range, value)) &&
           in_range;
}

static struct token bad_number(struct diag *diag, struct cursor *cursor, struct token token,
                               size_t length, const char *why)
{
    int shown = (int)(length < 40 ? length : 40);

    diag_error(diag, token.where, "bad number '%.*s': %s", shown, token.text, why);
    token.kind = TOKEN_BAD;
    token.length = length;
    cursor->at += length;
    return token;
}

static struct token read_hexadecimal(struct diag *diag, struct cursor *cursor)
{
    struct token token = cursor_token(cursor, TOKEN_INTEGER);
    size_t word = cursor_word(cursor, 2), digits = 0;

    while (isxdigit((unsigned char)cursor_peek(cursor, 2 + digits)))
        digits++;
    if (digits == 0 || digits < word)
        return bad_number(diag, cursor, token, 2 + word,
                          "0x must be followed by hexadecimal digits, without a unit");
    if (!read_digits(token.text + 2, digits, 16, &token.integer))
        return bad_number(diag, cursor, token, 2 + digits,
                          "the largest integer is 9223372036854775807");
    token.length = 2 + digits;
    cursor->at += token.length;
    return token;
}

/* Length of an exponent "e+10" at i, 0 when there is none. */
static size_t count_exponent(const struct cursor *cursor, size_t i)
{
    size_t sign = cursor_peek(cursor, i + 1) == '+' || cursor_peek(cursor, i + 1) == '-';
    size_t digits;

    if (cursor_peek(cursor, i) != 'e' && cursor_peek(cursor, i) != 'E')
        return 0;
    digits = cursor_digits(cursor, i + 1 + sign);
    return digits > 0 ? 1 + sign + digits : 0;
}

struct token number_read(struct diag *diag, struct cursor *cursor)
{
    struct token token = cursor_token(cursor, TOKEN_INTEGER);
    size_t digits = cursor_digits(cursor, 0), length = digits, word;
    bool in_range, unit = false;

    if (cursor_peek(cursor, 0) == '0' &&
        (cursor_peek(cursor, 1) == 'x' || cursor_peek(cursor, 1) == 'X'))
        return read_hexadecimal(diag, cursor);
    if (cursor_peek(cursor, length) == '.' && cursor_peek(cursor, length + 1) != '.') {
        token.kind = TOKEN_REAL;
        length += 1 + cursor_digits(cursor, length + 1);
    }
    if (count_exponent(cursor, length) > 0) {
        token.kind = TOKEN_REAL;
        length += count_exponent(cursor, length);
    }
    word = cursor_word(cursor, length);
    if (token.kind == TOKEN_REAL) {
        if (word > 0)
            return bad_number(diag, cursor, token, length + word,
                              "a double has no unit; put a space before any other word");
        if (cursor_peek(cursor, length) == '.' && cursor_is_digit(cursor_peek(cursor, length + 1)))
            return bad_number(diag, cursor, token, length + 1 + cursor_word(cursor, length + 1),
                              "it has two dots");
        token.real = strtod(token.text, NULL);
        if (isinf(token.real))
            return bad_number(diag, cursor, token, length, "it is too large for a double");
    } else {
        in_range = read_digits(token.text, digits, 10, &token.integer);
        unit = word > 0 && apply_unit(token.text + length, word, &in_range, &token.integer);
        if (word > 0 && !unit)
            return bad_number(diag, cursor, token, length + word,
                              "the units are kb kB KB KiB (2^10), mb MB MiB (2^20), gb GB GiB "
                              "(2^30); put a space before any other word");
        length += word;
        if (!in_range)
            return bad_number(diag, cursor, token, length,
                              "the largest integer is 9223372036854775807");
    }
    token.length = length;
    cursor->at += length;
    return token;
}
