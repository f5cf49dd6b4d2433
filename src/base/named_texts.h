/*
 * A list of texts with names, such as settings and their values. One thread at a time.
 */
#ifndef SKAMPI_BASE_NAMED_TEXTS_H
#define SKAMPI_BASE_NAMED_TEXTS_H

#include <stddef.h>

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
