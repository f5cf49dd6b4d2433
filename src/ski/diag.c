/* Collects errors and warnings of a script, and shows each with its line and a caret. */
#include "ski/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define MESSAGE_BYTES 600

struct entry {
    struct position where;
    char *message;
};

struct list {
    struct entry entries[DIAG_LIMIT];
    size_t count;
    bool more;
};

struct diag {
    const struct source *source;
    struct list errors, warnings;
};

struct diag *diag_create(const struct source *source)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);

    diag->source = source;
    return diag;
}

void diag_release(struct diag *diag)
{
    if (!diag)
        return;
    for (size_t i = 0; i < diag->errors.count; i++)
        free(diag->errors.entries[i].message);
    for (size_t i = 0; i < diag->warnings.count; i++)
        free(diag->warnings.entries[i].message);
    free(diag);
}

static bool has_line(const struct list *list, struct position where)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *entry = &list->entries[i];

        if (entry->where.file == where.file && entry->where.line == where.line)
            return true;
    }
    return false;
}

bool diag_wants(const struct diag *diag, struct position where)
{
    return diag->errors.count < DIAG_LIMIT && !has_line(&diag->errors, where);
}

static void add(struct list *to, struct position where, const char *format, va_list list)
{
    if (has_line(to, where))
        return;
    if (to->count == DIAG_LIMIT) {
        to->more = true;
        return;
    }
    char *message = text_format_with(format, list);

    if (strlen(message) >= MESSAGE_BYTES)
        memcpy(message + MESSAGE_BYTES - 4, "...", 4);
    text_disarm(message, false);
    to->entries[to->count++] = (struct entry){where, message};
}

void diag_error(struct diag *diag, struct position where, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add(&diag->errors, where, format, list);
    va_end(list);
}

void diag_warning(struct diag *diag, struct position where, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add(&diag->warnings, where, format, list);
    va_end(list);
}

size_t diag_count(const struct diag *diag)
{
    return diag->errors.count;
}

char *diag_place(const struct source *source, struct position where)
{
    return text_format("%s:%d:%d", source_name(source, where.file), where.line, where.column);
}

static void append_entry(struct text *out, const struct source *source, struct position where,
                         const char *kind, const char *message)
{
    if (strcmp(source_name(source, where.file), SOURCE_COMMAND_LINE) == 0) {
        /* No user wrote the line that is wrong (a script made of the command line), so do not show
         * it. */
        text_append(out, "skampi: %s: %s\n", kind, message);
        return;
    }
    text_append(out, "%s:%d:%d: %s: %s\n", source_name(source, where.file), where.line,
                where.column, kind, message);
    size_t length;
    const char *line = source_line(source, where.file, where.line, &length);
    if (length > 0)
        excerpt_append(out, line, length, where.column > 0 ? (size_t)where.column - 1 : 0);
}

char *diag_format(const struct source *source, struct position where, const char *message)
{
    struct text out = {0};
    char *harmless = text_format("%s", message);

    text_disarm(harmless, false);
    append_entry(&out, source, where, "error", harmless);
    free(harmless);
    return text_take(&out);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->where.file != y->where.file)
        return x->where.file < y->where.file ? -1 : 1;
    return (x->where.line > y->where.line) - (x->where.line < y->where.line);
}

static char *list_text(const struct diag *diag, const struct list *list, const char *kind)
{
    struct entry sorted[DIAG_LIMIT];
    struct text out = {0};

    memcpy(sorted, list->entries, sizeof sorted);
    qsort(sorted, list->count, sizeof *sorted, compare_entries);
    for (size_t i = 0; i < list->count; i++)
        append_entry(&out, diag->source, sorted[i].where, kind, sorted[i].message);
    if (list->more)
        text_append(&out, "skampi: too many %ss, the rest is not shown\n", kind);
    return text_take(&out);
}

char *diag_text(const struct diag *diag)
{
    return list_text(diag, &diag->errors, "error");
}

char *diag_warnings(const struct diag *diag)
{
    return list_text(diag, &diag->warnings, "warning");
}
