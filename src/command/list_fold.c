/*
 * Folds twice: first names that differ in their type, then what is left by operation. A fold is
 * exact: all names that it unfolds to exist.
 */
#include "command/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const char *const types[] = {"Short",  "Int",        "Long",     "Longlong", "Float",
                                    "Double", "Longdouble", "Complexf", "Complexd"};
static const char *const operations[] = {"And", "Or",  "Xor", "Sum", "Prod",
                                         "Min", "Max", "Inc", "Add"};
#define COUNT_OF(words) (sizeof(words) / sizeof *(words))

/* A name taken apart: what is folded stands between head and tail. */
struct parts {
    const char *head, *tail;
    size_t head_length;
};

/* Whether it is one of the words after an underscore, and for how many bytes. */
static size_t word_length(const char *at, const char *const *words, size_t count)
{
    for (size_t i = 0; *at == '_' && i < count; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(at + 1, words[i], length) == 0 &&
            (at[1 + length] == '\0' || strchr("_{", at[1 + length])))
            return 1 + length;
    }
    return 0;
}

/* False where none of the words is a part of the name. */
static bool take_apart(const char *name, const char *const *words, size_t count,
                       struct parts *parts)
{
    for (const char *at = name; *at; at++) {
        size_t length = word_length(at, words, count);
        *parts = (struct parts){name, at + length, (size_t)(at - name)};
        if (length > 0)
            return true;
    }
    return false;
}

/* Bytes of the word that a name has between these parts, 0: it has none; -1: it has other parts. */
static int word_between(const char *name, const struct parts *parts, const char *const *words,
                        size_t count)
{
    const char *word = name + parts->head_length;
    if (strncmp(name, parts->head, parts->head_length) != 0)
        return -1;
    size_t length = word_length(word, words, count);
    if (strcmp(word, parts->tail) == 0)
        return 0;
    return length > 0 && strcmp(word + length, parts->tail) == 0 ? (int)length : -1;
}

static bool same_reason(const struct measurement *a, const struct measurement *b)
{
    const char *x = measurement_unsupported(a), *y = measurement_unsupported(b);
    return x == y || (x && y && strcmp(x, y) == 0);
}

static bool same_parameters(const struct measurement *a, const struct measurement *b)
{
    size_t count = measurement_parameter_count(a);
    if (count != measurement_parameter_count(b))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(a->parameters[i].name, b->parameters[i].name) != 0)
            return false;
    return true;
}

/* ---- Summaries ---- */

static size_t shared_beginning(const char *a, const char *b)
{
    size_t shared = 0, words = 0;
    for (; a[shared] && a[shared] == b[shared]; shared++)
        if (a[shared] == ' ')
            words = shared + 1;
    return words;
}

static size_t shared_end(const char *a, const char *b)
{
    size_t x = strlen(a), y = strlen(b), all = x, words = 0;
    while (x > 0 && y > 0 && a[x - 1] == b[y - 1]) {
        x--;
        y--;
        if (a[x] == ' ')
            words = all - x;
    }
    return words;
}

/* What both say, with "..." for what they do not. */
static char *shared_summary(const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return memory_text(a);
    size_t begin = shared_beginning(a, b), end = shared_end(a, b), length = strlen(a);
    if (begin + end > length)
        end = length - begin;
    return text_format("%.*s...%s", (int)begin, a, a + length - end);
}

/* ---- Folding ---- */

static void join(struct list_line *line, struct list_line *other)
{
    char *summary = shared_summary(line->summary, other->summary);
    free(line->summary);
    line->summary = summary;
    line->count += other->count;
    free(other->name);
    free(other->summary);
    *other = (struct list_line){0};
}

static bool may_join(const struct list_line *line, const struct list_line *other)
{
    return same_parameters(line->first, other->first) && same_reason(line->first, other->first);
}

/* Joins all lines that differ from one with these parts in the word alone: "{,_Int,_Long}", or
 * "_{And,Or}" where none has no word. */
static void fold_at(struct list_line *lines, size_t line_count, const struct parts *parts,
                    const char *const *words, size_t count)
{
    struct text all = {0};
    struct list_line *line = NULL;
    bool bare = false;
    size_t joined = 0;
    for (size_t i = 0; i < line_count; i++)
        bare = bare || (lines[i].first && word_between(lines[i].name, parts, words, count) == 0);
    for (size_t i = 0; i < line_count; i++) {
        int length = lines[i].first ? word_between(lines[i].name, parts, words, count) : -1;
        if (length < 0 || (line && !may_join(line, &lines[i])))
            continue;
        const char *word = lines[i].name + parts->head_length;
        text_append(&all, "%s%.*s", joined++ ? "," : "", length - (length > 0 && !bare),
                    word + (length > 0 && !bare));
        if (line)
            join(line, &lines[i]);
        else
            line = &lines[i];
    }
    if (line && joined > 1) {
        free(line->name);
        line->name = text_format("%.*s%s{%s}%s", (int)parts->head_length, parts->head,
                                 bare ? "" : "_", all.data, parts->tail);
    }
    text_release(&all);
}

static void fold_by(struct list_line *lines, size_t line_count, const char *const *words,
                    size_t count)
{
    struct parts parts;
    for (size_t i = 0; i < line_count; i++) {
        char *name = lines[i].first ? memory_text(lines[i].name) : NULL;
        if (name && take_apart(name, words, count, &parts))
            fold_at(lines, line_count, &parts, words, count);
        free(name);
    }
}

size_t list_fold(const struct measurement *const *functions, size_t count, bool fold,
                 struct list_line *lines)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        lines[i] = (struct list_line){functions[i], 1, memory_text(functions[i]->name),
                                      memory_text(functions[i]->summary)};
    if (fold) {
        fold_by(lines, count, types, COUNT_OF(types));
        fold_by(lines, count, operations, COUNT_OF(operations));
    }
    for (size_t i = 0; i < count; i++)
        if (lines[i].first)
            lines[kept++] = lines[i];
    return kept;
}
