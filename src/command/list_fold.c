/*
 * Folds twice: first names that differ in their type, then what is left by operation. A fold is
 * exact: all names that it unfolds to exist.
 */
#include "command/list_fold.h"

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
    char *head, *tail;
    char *word; /* with its underscore; "" */
};

/* Where a word of the list stands in the name, as a complete part after an underscore; NULL. */
static const char *place_of(const char *name, const char *const *words, size_t count,
                            size_t *length)
{
    for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_'))
        for (size_t i = 0; i < count; i++) {
            *length = strlen(words[i]);
            if (strncmp(at + 1, words[i], *length) == 0 &&
                (at[1 + *length] == '\0' || strchr("_{", at[1 + *length])))
                return at;
        }
    return NULL;
}

static struct parts take_apart(const char *name, const char *const *words, size_t count)
{
    size_t length = 0;
    const char *at = place_of(name, words, count, &length);
    if (!at)
        return (struct parts){memory_text(name), memory_text(""), memory_text("")};
    return (struct parts){memory_text_part(name, (size_t)(at - name)), memory_text(at + 1 + length),
                          memory_text_part(at, 1 + length)};
}

static void release_parts(struct parts *parts)
{
    free(parts->head);
    free(parts->tail);
    free(parts->word);
}

/* Whether the name is these parts without the word. */
static bool is_bare(const char *name, const struct parts *parts)
{
    size_t head = strlen(parts->head);
    return strncmp(name, parts->head, head) == 0 && strcmp(name + head, parts->tail) == 0;
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

/* The words that lines have in this place: "{,_Int,_Long}" or "_{And,Or}". */
struct fold {
    struct text words;
    bool bare; /* one has none */
    size_t count;
};

static void append_word(struct fold *fold, const char *word)
{
    text_append(&fold->words, "%s%s", fold->count++ ? "," : "",
                fold->bare || !*word ? word : word + 1);
}

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
    return other->first && same_parameters(line->first, other->first) &&
           same_reason(line->first, other->first);
}

static bool belongs(const struct list_line *line, const struct parts *parts,
                    const char *const *words, size_t count)
{
    struct parts own = take_apart(line->name, words, count);
    bool same =
        *own.word && strcmp(own.head, parts->head) == 0 && strcmp(own.tail, parts->tail) == 0;
    release_parts(&own);
    return same || is_bare(line->name, parts);
}

/* Joins all lines that differ from one with these parts in the word alone. */
static void fold_at(struct list_line *lines, size_t line_count, const struct parts *parts,
                    const char *const *words, size_t count)
{
    struct fold fold = {0};
    struct list_line *line = NULL;
    for (size_t i = 0; i < line_count; i++)
        if (lines[i].first && is_bare(lines[i].name, parts))
            fold.bare = true;
    for (size_t i = 0; i < line_count; i++) {
        if (!lines[i].first || (line && !may_join(line, &lines[i])) ||
            !belongs(&lines[i], parts, words, count))
            continue;
        struct parts own = take_apart(lines[i].name, words, count);
        append_word(&fold, is_bare(lines[i].name, parts) ? "" : own.word);
        release_parts(&own);
        if (line)
            join(line, &lines[i]);
        else
            line = &lines[i];
    }
    if (line && fold.count > 1) {
        free(line->name);
        line->name = text_format("%s%s{%s}%s", parts->head, fold.bare ? "" : "_", fold.words.data,
                                 parts->tail);
    }
    text_release(&fold.words);
}

static void fold_by(struct list_line *lines, size_t line_count, const char *const *words,
                    size_t count)
{
    for (size_t i = 0; i < line_count; i++) {
        if (!lines[i].first)
            continue;
        struct parts parts = take_apart(lines[i].name, words, count);
        if (*parts.word)
            fold_at(lines, line_count, &parts, words, count);
        release_parts(&parts);
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
