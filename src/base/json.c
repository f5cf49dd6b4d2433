/* Values of JSON, written as text. */
#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"

size_t json_character(const char *bytes, size_t length)
{
    const unsigned char *c = (const unsigned char *)bytes;
    if (length == 0)
        return 0;
    if (c[0] < 0x80)
        return 1;
    size_t size = c[0] >= 0xC2 && c[0] <= 0xDF ? 2 : c[0] >= 0xE0 && c[0] <= 0xEF ? 3 : 4;
    if (c[0] < 0xC2 || c[0] > 0xF4 || size > length)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xED && c[1] > 0x9F;
    bool beyond = c[0] == 0xF4 && c[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : size;
}

static void json_control(FILE *text, unsigned char c)
{
    static const char escaped[] = "\b\f\n\r\t", letters[] = "bfnrt";
    const char *found = c ? strchr(escaped, c) : NULL;
    if (found)
        fprintf(text, "\\%c", letters[found - escaped]);
    else
        fprintf(text, "\\u%04x", c);
}

void json_string_part(FILE *text, const char *string, size_t length)
{
    fputc('"', text);
    for (size_t i = 0; i < length;) {
        size_t size = json_character(string + i, length - i);
        unsigned char c = (unsigned char)string[i];
        if (size == 0)
            fputs(JSON_REPLACEMENT, text);
        else if (c < 0x20)
            json_control(text, c);
        else if (c == '"' || c == '\\')
            fprintf(text, "\\%c", c);
        else
            fwrite(string + i, 1, size, text);
        i += size ? size : 1;
    }
    fputc('"', text);
}

void json_string(FILE *text, const char *string)
{
    json_string_part(text, string, strlen(string));
}

void json_number(FILE *text, double value)
{
    char digits[32];
    if (!isfinite(value)) {
        fputs("null", text);
        return;
    }
    locale_t before = numbers_point_begin();
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    numbers_point_end(before);
    fputs(digits, text);
}

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

void json_print(FILE *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (; *format; format++) {
        if (*format != '%') {
            fputc(*format == '\'' ? '"' : *format, text);
            continue;
        }
        switch (*++format) {
        case 's':
            json_string(text, va_arg(values, const char *));
            break;
        case 'f':
            json_number(text, va_arg(values, double));
            break;
        case 'd':
            fprintf(text, "%d", va_arg(values, int));
            break;
        case 'u':
            fprintf(text, "%u", va_arg(values, unsigned));
            break;
        case 'l': /* %lld */
            format += 2;
            fprintf(text, "%lld", va_arg(values, long long));
            break;
        default: /* %zu */
            format++;
            fprintf(text, "%zu", va_arg(values, size_t));
        }
    }
    va_end(values);
}

bool json_is_number(const char *string)
{
    const char *c = string + (*string == '-');
    size_t digits = count_digits(c);
    if (digits == 0 || (*c == '0' && digits > 1))
        return false;
    c += digits;
    if (*c == '.') {
        digits = count_digits(++c);
        if (digits == 0)
            return false;
        c += digits;
    }
    if (*c == 'e' || *c == 'E') {
        c++;
        c += *c == '+' || *c == '-';
        digits = count_digits(c);
        if (digits == 0)
            return false;
        c += digits;
    }
    locale_t before = numbers_point_begin();
    bool number = *c == '\0' && isfinite(strtod(string, NULL));
    numbers_point_end(before);
    return number;
}
