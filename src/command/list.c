/*
 * Finds measurement functions by words, and prints them by family. Names that differ only in a type
 * or an operation are folded: Shmem_Reduce_{And,Or,Xor}{,_Int,_Long}_Barrier.
 */
#define _GNU_SOURCE /* strcasestr */
#include "command/list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/text.h"
#include "engine/functions.h"
#include "output/output.h"
#include "ski/builtins.h"
#include "ski/function_names.h"

/* ---- Folding twice: first names that differ in their type, then what is left by operation. A fold
 * is exact: all names that it unfolds to exist ---- */

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
        if (length < 0 || (line && !(same_parameters(line->first, lines[i].first) &&
                                     same_reason(line->first, lines[i].first))))
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

/* ---- Finding ---- */

struct selection {
    const struct measurement **functions;
    size_t count, room;
};

/* How well a pattern fits, best first. FITS_SOMEWHERE counts only if nothing else fits. */
enum fit { FITS_WORD, FITS_BEGINNING, FITS_SUMMARY, FITS_SOMEWHERE, FITS_NOT };

/* Where a word begins: Shmem_Lock, IterationTimer, "a lock". */
static bool begins_word(const char *text, const char *at)
{
    return at == text || !isalnum((unsigned char)at[-1]) ||
           (isupper((unsigned char)*at) && islower((unsigned char)at[-1]));
}

/* FITS_WORD, FITS_BEGINNING or FITS_NOT. */
static enum fit fit_words(const char *text, const char *pattern)
{
    size_t length = strlen(pattern);
    enum fit fit = FITS_NOT;
    for (const char *at = text; *at; at++) {
        if (!begins_word(text, at) || strncasecmp(at, pattern, length) != 0)
            continue;
        if (!at[length] || begins_word(text, at + length) || !isalnum((unsigned char)at[length]))
            return FITS_WORD;
        fit = FITS_BEGINNING;
    }
    return fit;
}

static enum fit fit_of(const struct measurement *function, const char *word)
{
    if (function_fits_pattern(function, word))
        return FITS_WORD;
    enum fit fit = fit_words(function->name, word);
    if (fit != FITS_NOT)
        return fit;
    if (fit_words(function->summary, word) != FITS_NOT ||
        fit_words(measurement_family(function), word) == FITS_WORD)
        return FITS_SUMMARY;
    return strcasestr(function->name, word) ? FITS_SOMEWHERE : FITS_NOT;
}

/* All words must fit; the one that fits worst counts. */
static enum fit fit_of_all(const struct measurement *function, const char *const *words,
                           size_t count)
{
    enum fit worst = FITS_WORD;
    for (size_t i = 0; i < count; i++) {
        enum fit fit = fit_of(function, words[i]);
        worst = fit > worst ? fit : worst;
    }
    return worst;
}

/* The best first. */
static struct selection find(const char *const *words, size_t count, bool pairs)
{
    struct selection found = {0};
    while (measurement_at(found.room))
        found.room++;
    found.functions = memory_zeroed(found.room + 1, sizeof *found.functions);
    if (count == 1)
        found.count = alias_find_related(words[0], found.functions, found.room);
    bool by_words = found.count == 0;
    for (enum fit fit = FITS_WORD; by_words && fit < FITS_NOT; fit++)
        for (size_t i = 0; i < found.room && !(fit == FITS_SOMEWHERE && found.count > 0); i++)
            if (fit_of_all(measurement_at(i), words, count) == fit)
                found.functions[found.count++] = measurement_at(i);
    size_t kept = 0;
    for (size_t i = 0; i < found.count; i++)
        if (!pairs || measurement_parameter(found.functions[i], "pairs"))
            found.functions[kept++] = found.functions[i];
    found.count = kept;
    return found;
}

void list_refuse(const char *what, const char *name)
{
    char *suggestion = function_suggestion(name);
    terminal_message("skampi: error: %s %s%s --list shows them all\n", what, name,
                     *suggestion ? suggestion : ";");
    free(suggestion);
}

/* ---- A family ---- */

/* The reason that all share why they cannot be measured, or NULL. */
static const char *common_reason(const struct measurement *const *members, size_t count)
{
    const char *reason = measurement_unsupported(members[0]);
    for (size_t i = 1; reason && i < count; i++) {
        const char *other = measurement_unsupported(members[i]);
        if (!other || strcmp(reason, other) != 0)
            return NULL;
    }
    return reason;
}

static char *parameters_of(const struct measurement *function)
{
    struct text text = {0};
    text_append(&text, "(");
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        text_append(&text, parameter->otherwise ? "%s[%s]" : "%s%s", i ? ", " : "",
                    parameter->name);
    }
    text_append(&text, ")");
    return text_take(&text);
}

static void print_family(const char *family, const struct measurement *const *members, size_t count,
                         bool fold)
{
    enum api api = members[0]->api;
    const char *reason = common_reason(members, count);
    struct list_line *lines = memory_zeroed(count, sizeof *lines);
    size_t line_count = list_fold(members, count, fold, lines);
    int width = 0;
    printf("%s: %s%s%zu function%s%s%s\n", family, api ? list_apis[api] : "", api ? ", " : "",
           count, numbers_plural(count), reason ? ", unsupported: " : "", reason ? reason : "");
    for (size_t i = 0; i < line_count; i++) {
        char *parameters = parameters_of(lines[i].first);
        char *call = text_format("%s%s", lines[i].name, parameters);
        free(lines[i].name);
        free(parameters);
        lines[i].name = call;
        width = (int)strlen(call) > width ? (int)strlen(call) : width;
    }
    for (size_t i = 0; i < line_count; i++) {
        const char *own = reason ? NULL : measurement_unsupported(lines[i].first);
        printf("  %-*s  %s%s%s\n", width, lines[i].name, lines[i].summary,
               own ? "; unsupported: " : "", own ? own : "");
        free(lines[i].name);
        free(lines[i].summary);
    }
    free(lines);
}

/* Families in the order of their best members. */
static void print_families(struct selection *found, bool fold)
{
    const struct measurement **members = memory_zeroed(found->count, sizeof *members);
    bool between = false;
    for (size_t i = 0; i < found->count; i++) {
        if (!found->functions[i])
            continue;
        const char *family = measurement_family(found->functions[i]);
        size_t count = 0;
        for (size_t k = i; k < found->count; k++)
            if (found->functions[k] &&
                strcmp(measurement_family(found->functions[k]), family) == 0) {
                members[count++] = found->functions[k];
                found->functions[k] = NULL;
            }
        printf("%s", between ? "\n" : "");
        print_family(family, members, count, fold);
        between = true;
    }
    free(members);
}

/* ---- JSON ---- */

const char *const list_apis[] = {"none", "OpenSHMEM", "MPI"};
const char *const list_quantities[] = {"time", "bytes"};

static void put_text(const char *name, const char *value)
{
    if (!value)
        return;
    printf(", \"%s\": ", name);
    json_string(stdout, value);
}

static void put_parameter(const struct parameter *parameter)
{
    static const char *const types[] = {"int",   "iterations", "rank",      "double", "string",
                                        "int[]", "datatype",   "operation", "info"};
    printf("{\"name\": ");
    json_string(stdout, parameter->name);
    put_text("type", types[parameter->type]);
    put_text("meaning", parameter->meaning);
    put_text("unit", *parameter->unit ? parameter->unit : NULL);
    if (parameter->type <= PARAMETER_ITERATIONS)
        printf(", \"minimum\": %lld", (long long)parameter->minimum);
    if (parameter->maximum)
        printf(", \"maximum\": %lld", (long long)parameter->maximum);
    char *allowed = parameter_allowed(parameter);
    put_text("allowed", allowed);
    free(allowed);
    put_text("default", parameter->otherwise);
    put_text("example", parameter->example);
    printf("}");
}

void list_json(const struct measurement *function)
{
    printf("{\"name\": ");
    json_string(stdout, function->name);
    put_text("summary", function->summary);
    printf(", \"parameters\": [");
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        printf("%s", i ? ", " : "");
        put_parameter(&function->parameters[i]);
    }
    printf("]");
    put_text("value", list_quantities[function->quantity]);
    put_text("timed", function->timed);
    put_text("routine", function->routine);
    put_text("calls", function->calls && *function->calls ? function->calls : NULL);
    put_text("who", function->who);
    struct rates_words words = rates_words(function);
    put_text("moved", words.bytes);
    put_text("messages", words.messages);
    put_text("bus_factor", words.bus);
    put_text("subtracted", function->subtracted);
    put_text("data", function->run ? measurement_data(function) : NULL);
    put_text("cost", function->cost);
    printf(", \"synchronized\": %s", measurement_synchronized(function) ? "true" : "false");
    printf(", \"once\": %s", function->timing == TIMING_ONCE ? "true" : "false");
    put_text("api", list_apis[function->api]);
    if (function->version_major)
        printf(", \"version\": \"%d.%d\"", function->version_major, function->version_minor);
    printf(", \"pes\": %d", function->minimum_pes > 1 ? function->minimum_pes : 1);
    printf(", \"topology\": %s", function->neighborhood ? "true" : "false");
    put_text("unsupported", measurement_unsupported(function));
    printf("}\n");
}

/* ---- All ---- */

bool list_functions(const char *const *words, size_t count, bool pairs, enum list_form form)
{
    struct selection found = find(words, count, pairs);
    bool any = found.count > 0;
    if (!any && count == 1 && column_find(words[0]) >= 0) {
        fprintf(stderr,
                "skampi: error: %s is no measurement function but a number of every result: "
                "--columns %s shows it in .sko, and .csv and .json have it\n",
                words[0], words[0]);
    } else if (!any && count == 1 && builtin_find(words[0])) {
        fprintf(stderr,
                "skampi: error: %s is no measurement function but a function of scripts: see "
                "docs/language.md\n",
                words[0]);
    } else if (!any) {
        struct text all = {0};
        for (size_t i = 0; i < count; i++)
            text_append(&all, "%s%s", i ? " " : "", words[i]);
        list_refuse(pairs ? "no measurement function of pairs matches"
                          : "no measurement function matches",
                    all.data ? all.data : "");
        text_release(&all);
    }
    for (size_t i = 0; form == LIST_JSON && i < found.count; i++)
        list_json(found.functions[i]);
    if (any && form != LIST_JSON)
        print_families(&found, form == LIST_FOLDED);
    free(found.functions);
    return any;
}
