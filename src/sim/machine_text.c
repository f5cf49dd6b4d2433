/* Splits machine descriptions into words, and shows where they are wrong. */
#include "sim/machine_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/excerpt.h"
#include "base/memory.h"

#define MOST_ERRORS 20
#define MOST_BYTES (16 * 1024 * 1024)
#define MOST_DEPTH 16

bool word_is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* ---- Errors ---- */

void text_error(struct machine_text *text, const struct word *at, const char *format, ...)
{
    va_list arguments;
    if (++text->error_count > MOST_ERRORS)
        return;
    va_start(arguments, format);
    char *message = text_format_with(format, arguments);
    va_end(arguments);
    text_disarm(message, true);
    if (at->file) {
        const char *begin = at->file->text, *line = at->text;
        size_t number = 1;
        while (line > begin && line[-1] != '\n')
            line--;
        for (const char *c = begin; c < line; c++)
            number += *c == '\n';
        text_append(&text->errors, "%s:%zu:%zu: error: %s\n", at->file->path, number,
                    (size_t)(at->text - line) + 1, message);
        excerpt_append(&text->errors, line, strcspn(line, "\r\n"), (size_t)(at->text - line));
    } else {
        text_append(&text->errors, "shmemsim: %s\n", message);
    }
    free(message);
    if (text->error_count == MOST_ERRORS)
        text_append(&text->errors, "shmemsim: there may be more errors\n");
}

/* ---- Files ---- */

/* Relative to the file that includes it. */
static char *path_of(const struct machine_text *text, const char *path)
{
    const char *from = text->depth ? text->stack[text->depth - 1].file->path : "";
    const char *slash = strrchr(from, '/');
    if (path[0] == '/' || !slash)
        return memory_text(path);
    return text_format("%.*s/%s", (int)(slash - from), from, path);
}

/* NULL: errno says why. */
static char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    char *data = NULL;
    size_t room = 0;
    *length = 0;
    if (!file)
        return NULL;
    do {
        room = 2 * room + 4096;
        data = memory_resize(data, room + 1);
        *length += fread(data + *length, 1, room - *length, file);
    } while (*length == room && room < MOST_BYTES);
    int failed = ferror(file) ? errno : *length > MOST_BYTES ? EFBIG : 0;
    fclose(file);
    data[*length] = '\0';
    if (!failed)
        return data;
    free(data);
    errno = failed;
    return NULL;
}

/* Takes both texts over. */
static void enter(struct machine_text *text, char *path, char *data, size_t length)
{
    struct machine_file *file = memory_zeroed(1, sizeof *file);
    *file = (struct machine_file){path, data, length};
    text->files = memory_resize_array(text->files, text->file_count + 1, sizeof *text->files);
    text->files[text->file_count++] = file;
    text->stack = memory_resize_array(text->stack, text->depth + 1, sizeof *text->stack);
    text->stack[text->depth++] = (struct reading){file, data};
    const char *zero = memchr(data, '\0', length);
    if (zero) {
        const struct word at = {file, zero, 1};
        text_error(text, &at, "this is no text; a machine description is");
        text->stack[text->depth - 1].next = data + length;
    }
    text_next(text);
}

void text_enter_given(struct machine_text *text, const char *name, const char *given)
{
    enter(text, memory_text(name), memory_text(given), strlen(given));
}

bool text_enter(struct machine_text *text, const char *path)
{
    size_t length;
    if (text->depth == MOST_DEPTH) {
        text_error(text, &text->word,
                   "includes are nested more than %d deep; does a file include "
                   "itself?",
                   MOST_DEPTH);
        return false;
    }
    char *full = path_of(text, path), *data = read_all(full, &length);
    if (!data) {
        text_error(text, &text->word, "%s: cannot be read: %s", full, strerror(errno));
        free(full);
        return false;
    }
    enter(text, full, data, length);
    return true;
}

void text_close(struct machine_text *text)
{
    for (size_t i = 0; i < text->file_count; i++) {
        free(text->files[i]->path);
        free(text->files[i]->text);
        free(text->files[i]);
    }
    for (size_t i = 0; i < text->uncertain_count; i++)
        free(text->uncertain[i].text);
    free(text->uncertain);
    free(text->files);
    free(text->stack);
    text_release(&text->errors);
}

/* ---- Words ---- */

static const char *skip_blanks(const char *c)
{
    for (;; c++) {
        if (*c == '#')
            c += strcspn(c, "\n");
        if (!*c || !isspace((unsigned char)*c))
            return c;
    }
}

static size_t word_length(struct machine_text *text, struct machine_file *file, const char *c)
{
    const char *apart = text->apart ? text->apart : "";
    if (*c == '{' || *c == '}' || strchr(apart, *c))
        return 1;
    if (*c != '"') {
        size_t most = strcspn(c, " \t\r\n\v\f{}\"#"), first = strcspn(c, apart);
        return first < most ? first : most;
    }
    size_t length = 1 + strcspn(c + 1, "\"\n");
    if (c[length] == '"')
        return length + 1;
    const struct word at = {file, c, 1};
    text_error(text, &at, "a text does not end; close it with \" in the same line");
    return length;
}

void text_next(struct machine_text *text)
{
    while (text->depth > 0) {
        struct reading *reading = &text->stack[text->depth - 1];
        const char *c = skip_blanks(reading->next);
        text->word = (struct word){reading->file, c, 0};
        if (*c) {
            text->word.length = word_length(text, reading->file, c);
            reading->next = c + text->word.length;
            return;
        }
        if (text->depth == 1)
            return;
        text->depth--;
    }
}
