/* Text made by formats of printf(), parts of errors, and lists of texts with names. */
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"

static void text_reserve(struct text *text, size_t more)
{
    size_t needed = text->length + more + 1;

    if (needed <= text->capacity)
        return;
    text->capacity = needed < 64 ? 64 : 2 * needed;
    text->data = memory_resize(text->data, text->capacity);
}

void text_append_bytes(struct text *text, const char *bytes, size_t count)
{
    text_reserve(text, count);
    if (count > 0)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void text_append_varint(struct text *text, uint64_t number)
{
    char bytes[10];
    size_t count = 0;
    do
        bytes[count++] = (char)((number & 127) | (number > 127 ? 128 : 0));
    while (number >>= 7);
    text_append_bytes(text, bytes, count);
}

static void text_append_list(struct text *text, const char *format, va_list list)
{
    va_list again;
    int count;
    locale_t before = numbers_point_begin();

    va_copy(again, list);
    count = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (count < 0)
        memory_missing();
    text_reserve(text, (size_t)count);
    vsnprintf(text->data + text->length, (size_t)count + 1, format, list);
    text->length += (size_t)count;
    numbers_point_end(before);
}

void text_append(struct text *text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_append_list(text, format, list);
    va_end(list);
}

char *text_take(struct text *text)
{
    char *data;

    text_append_bytes(text, "", 0);
    data = text->data;
    *text = (struct text){0};
    return data;
}

void text_release(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

char *text_format_with(const char *format, va_list arguments)
{
    struct text text = {0};

    text_append_list(&text, format, arguments);
    return text_take(&text);
}

char *text_format(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = text_format_with(format, arguments);
    va_end(arguments);
    return text;
}

void text_disarm(char *text, bool newlines_too)
{
    for (char *c = text; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c) && (newlines_too || *c != '\n'))
            *c = '?';
}

/* Whether these bytes of one character, 0 for none, can be shown. */
static bool is_printable(const char *c, size_t size, bool newlines)
{
    unsigned char first = (unsigned char)c[0];
    if (size == 1)
        return (first >= ' ' && first != 0x7f) || (newlines && (first == '\n' || first == '\t'));
    return size > 2 || (size == 2 && (first != 0xc2 || (unsigned char)c[1] >= 0xa0));
}

char *text_printable(const char *text, bool newlines)
{
    struct text shown = {0};
    size_t left = strlen(text);
    text_append_bytes(&shown, "", 0);
    for (size_t size; left > 0; text += size, left -= size) {
        size = json_character(text, left);
        if (is_printable(text, size, newlines)) {
            text_append_bytes(&shown, text, size);
            continue;
        }
        /* Of C1 as UTF-8 the second byte is the code. */
        unsigned code = (unsigned char)text[size == 2];
        size = size ? size : 1;
        if (code == '\n' || code == '\t')
            text_append(&shown, code == '\n' ? "\\n" : "\\t");
        else
            text_append(&shown, "\\x%02x", code);
    }
    return text_take(&shown);
}

void text_print_markup(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *escape = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (escape)
            fputs(escape, out);
        else
            fputc(*text, out);
    }
}

void text_append_word(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%^";

    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        text_append(text, "%s", word);
        return;
    }
    text_append(text, "'");
    for (; *word != '\0'; word++)
        text_append(text, *word == '\'' ? "'\\''" : "%c", *word);
    text_append(text, "'");
}

void text_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format_with(format, arguments);
    va_end(arguments);
    char *shown = text_printable(text, true);
    fputs(shown, out);
    free(shown);
    free(text);
}

/* ---- Errors in what users write ---- */

/* At most this many bytes of a line are shown, with the caret near the middle. */
#define SHOWN_BYTES 120

/* Appends the character at s to the line as shown, and as much space to the caret line (NULL: no
 * more of that). Returns its bytes. */
static size_t show_character(const char *s, size_t left, struct text *line, struct text *caret)
{
    size_t length = json_character(s, left);

    if (*s != '\t' && (length == 0 || iscntrl((unsigned char)*s)))
        text_append_bytes(line, "?", 1);
    else
        text_append_bytes(line, s, length);
    if (caret)
        text_append_bytes(caret, *s == '\t' ? "\t" : " ", 1);
    return length ? length : 1;
}

static bool continues_character(const char *text, size_t i, size_t length)
{
    return i > 0 && i < length && ((unsigned char)text[i] & 0xc0) == 0x80;
}

void excerpt_append(struct text *out, const char *text, size_t length, size_t at)
{
    size_t first = 0, last = length;
    struct text line = {0}, caret = {0};

    if (at > length)
        at = length;
    if (length > SHOWN_BYTES) {
        if (at > SHOWN_BYTES / 2)
            first = at - SHOWN_BYTES / 2;
        if (length - first > SHOWN_BYTES)
            last = first + SHOWN_BYTES;
        while (continues_character(text, first, at))
            first++;
        while (last > at && continues_character(text, last, length))
            last--;
    }
    if (first > 0) {
        text_append(&line, "...");
        text_append(&caret, "   ");
    }
    for (size_t i = first; i < last;)
        i += show_character(text + i, last - i, &line, i < at ? &caret : NULL);
    text_append(out, "%s%s\n%s^\n", line.length > 0 ? line.data : "", last < length ? "..." : "",
                caret.length > 0 ? caret.data : "");
    text_release(&line);
    text_release(&caret);
}

#define NAME_BYTES 64

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap neighbours) count EDIT, differences in case 1. */
#define EDIT 1000

static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int rows[3][NAME_BYTES + 1];

    for (size_t k = 0; k <= b_length; k++)
        rows[0][k] = (int)k * EDIT;
    for (size_t i = 1; i <= a_length; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = (int)i * EDIT;
        for (size_t k = 1; k <= b_length; k++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[k - 1]);
            int replace = a[i - 1] == b[k - 1] ? 0 : same ? 1 : EDIT;

            row[k] = min_int(above[k - 1] + replace, min_int(above[k], row[k - 1]) + EDIT);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = min_int(row[k], above2[k - 2] + EDIT);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *closest_name(const char *name, const char *const *candidates, size_t count)
{
    size_t length = strlen(name);
    int edits = length <= 2 ? 0 : length <= 5 ? 1 : length <= 8 ? 2 : 3;
    int best = edits * EDIT + EDIT;
    const char *closest = NULL;

    if (length > NAME_BYTES)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        int found;

        if (other > NAME_BYTES || other > length + 3 || length > other + 3 ||
            strcmp(name, candidates[i]) == 0)
            continue;
        found = distance(name, length, candidates[i], other);
        if (found < best) {
            best = found;
            closest = candidates[i];
        }
    }
    return closest;
}

/* ---- Texts with names ---- */

void named_texts_add(struct named_texts *texts, char *name, char *value)
{
    texts->of = memory_resize_array(texts->of, texts->count + 1, sizeof *texts->of);
    texts->of[texts->count++] = (struct named_text){name, value};
}

struct named_text *named_texts_find(const struct named_texts *texts, const char *name)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->of[i].name, name) == 0)
            return &texts->of[i];
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named_text *)a)->name, ((const struct named_text *)b)->name);
}

void named_texts_sort(struct named_texts *texts, size_t first)
{
    if (texts->count > first)
        qsort(texts->of + first, texts->count - first, sizeof *texts->of, compare_names);
}

void named_texts_free(struct named_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->of[i].name);
        free(texts->of[i].value);
    }
    free(texts->of);
    *texts = (struct named_texts){0};
}
