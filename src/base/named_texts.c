/* Texts with names, in the order in which they were added or by name. */
#include "base/named_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
