/* Finds the components of Open MPI among the libraries that are loaded. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "comm/components.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Whether communication depends on this framework. */
static bool matters(const char *framework)
{
    static const char *const names[] = {"atomic", "bml", "btl",   "coll", "memheap", "mtl",
                                        "osc",    "pml", "scoll", "spml", "sshmem"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(framework, names[i]) == 0)
            return true;
    return false;
}

/* Notes a loaded component. A framework unloads the components that it did not choose. The order of
 * loading has no meaning. */
static int note_component(struct dl_phdr_info *info, size_t size, void *into)
{
    (void)size;
    struct named_texts *choices = into;
    const char *slash = strrchr(info->dlpi_name, '/'), *file = slash ? slash + 1 : info->dlpi_name;
    char framework[32], component[64];
    if (sscanf(file, "mca_%31[a-z0-9]_%63[a-z0-9_].so", framework, component) != 2 ||
        !matters(framework))
        return 0;
    struct named_text *known = named_texts_find(choices, framework);
    if (known) {
        char *longer = text_format("%s %s", known->value, component);
        free(known->value);
        known->value = longer;
        return 0;
    }
    named_texts_add(choices, memory_text(framework), memory_text(component));
    return 0;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the words, so that the text does not depend on the order of loading. */
static void sort_words(char **value)
{
    char *words[64], *rest = *value;
    size_t count = 0;
    struct text sorted = {0};
    for (char *word; count < 64 && (word = strsep(&rest, " "));)
        words[count++] = word;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 0; i < count; i++)
        text_append(&sorted, "%s%s", i ? " " : "", words[i]);
    free(*value);
    *value = text_take(&sorted);
}

void components_note(struct named_texts *choices)
{
    dl_iterate_phdr(note_component, choices);
    for (size_t i = 0; i < choices->count; i++)
        sort_words(&choices->of[i].value);
    named_texts_sort(choices, 0);
}

static bool is_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0)
            return true;
    return false;
}

bool components_own(const struct named_texts *choices, const char *variable)
{
    char framework[32];
    size_t length = strcspn(variable, "_");
    const char *rest = variable + length + (variable[length] == '_');
    snprintf(framework, sizeof framework, "%.*s", (int)length, variable);
    if (strcmp(framework, "mpi") == 0)
        return true;
    if (length >= sizeof framework || !matters(framework))
        return false;
    const struct named_text *loaded = named_texts_find(choices, framework);
    if (!loaded || !*rest || strncmp(rest, "base_", 5) == 0)
        return true;
    /* Names of components may have a "_" themselves. */
    for (size_t end = 1; end <= strlen(rest); end++)
        if ((rest[end] == '_' || !rest[end]) && is_word(loaded->value, rest, end))
            return true;
    return false;
}
