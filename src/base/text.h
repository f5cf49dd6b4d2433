/*
 * Text made by formats of printf(), in one go or by appending. Any thread; running out of memory
 * ends the job (base/memory.h).
 */
#ifndef SKAMPI_BASE_TEXT_H
#define SKAMPI_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
    char *data; /* NUL-terminated once something was appended */
    size_t length, capacity;
};

void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_append_bytes(struct text *text, const char *bytes, size_t count);
/* A number as bytes of 7 bits, the lowest first; the last byte has its highest bit clear (LEB128).
 */
void text_append_varint(struct text *text, uint64_t number);

/* The text as one allocated string that the caller frees; the text is empty afterwards. */
char *text_take(struct text *text);
void text_release(struct text *text);

/* One formatted string that the caller frees. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_format_with(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Control characters become '?', all or all but newlines: what a script's strings hold must neither
 * break the lines of an output nor reach a terminal. */
void text_disarm(char *text, bool newlines_too);

/* The text with every control character (C0, DEL and C1) shown as \n, \t or \x1b, and with every
 * byte that is no UTF-8 as \xff: what a name or a file holds must not command a terminal. newlines:
 * they and tabs stay. The caller frees it. */
char *text_printable(const char *text, bool newlines);

/* Prints a text so, newlines and tabs as they are. */
void text_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a text within HTML or XML, also within a quoted attribute. */
void text_print_markup(FILE *out, const char *text);

/* Appends a word as a shell reads it: in single quotes, if it has characters that mean something to
 * a shell. */
void text_append_word(struct text *text, const char *word);

/* ---- Errors in what users write ---- */

/* Appends two lines: the line of that length, or a part of it, with '?' for what a terminal cannot
 * show; and a caret below its byte number `at`, from 0. */
void excerpt_append(struct text *, const char *line, size_t length, size_t at);

/* The name among candidates (count of them) closest to name, or NULL when none is close: for
 * "did you mean". Case differences count least. */
const char *closest_name(const char *name, const char *const *candidates, size_t count);

/* ---- Texts with names ---- */

/* A list of texts with names, such as settings and their values. */
struct named_text {
    char *name, *value;
};

struct named_texts {
    struct named_text *of;
    size_t count;
};

/* Takes over both texts. */
void named_texts_add(struct named_texts *texts, char *name, char *value);
/* The first one of that name; NULL: there is none. */
struct named_text *named_texts_find(const struct named_texts *texts, const char *name);
/* By name, from this index on. */
void named_texts_sort(struct named_texts *texts, size_t first);
void named_texts_free(struct named_texts *texts);

#endif
