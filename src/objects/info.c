/* Info objects: pairs of keys and values, and their MPI_Info. */
#define _GNU_SOURCE /* open_memstream */
#include "objects/info.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if SKAMPI_MPI
#include <mpi.h>
#endif

#include "base/memory.h"

/* Longest key and value. MPI guarantees keys of at least 32 characters; libraries allow 255, and
 * values of 1,023 or more. */
#define LONGEST_KEY 255
#define LONGEST_VALUE 255
#define MOST_PAIRS 1000

struct pair {
    char *key, *value;
};

struct info {
    int references;
    bool null, kept;
    struct info *next_kept;
    size_t count;
    struct pair *pairs;
    char *text;   /* NULL until it is made */
    void *handle; /* MPI_Info; NULL until it is made */
};

struct info *info_create(void)
{
    struct info *info = memory_zeroed(1, sizeof *info);

    info->references = 1;
    return info;
}

struct info *info_null(void)
{
    struct info *info = info_create();

    info->null = true;
    return info;
}

struct info *info_reference(struct info *info)
{
    info->references++;
    return info;
}

struct info *info_keep(struct info *info)
{
    static struct info *kept;

    if (!info->kept) {
        info->kept = true;
        info->next_kept = kept;
        kept = info_reference(info);
    }
    return info;
}

/* Frees text and MPI_Info, which were made of the pairs, before the pairs change. */
static void forget(struct info *info)
{
    free(info->text);
    info->text = NULL;
#if SKAMPI_MPI
    int finalized;

    if (!info->handle)
        return;
    MPI_Finalized(&finalized);
    if (!finalized)
        MPI_Info_free(info->handle);
    free(info->handle);
#endif
    info->handle = NULL;
}

void info_clear(struct info *info)
{
    forget(info);
    for (size_t i = 0; i < info->count; i++) {
        free(info->pairs[i].key);
        free(info->pairs[i].value);
    }
    free(info->pairs);
    info->pairs = NULL;
    info->count = 0;
    info->null = true;
}

void info_release(struct info *info)
{
    if (!info || --info->references > 0)
        return;
    info_clear(info);
    free(info);
}

const char *info_set(struct info *info, const char *key, const char *value)
{
    if (info->null)
        return "MPI_INFO_NULL has no keys; info_create() makes an object that has";
    if (*key == '\0' || *value == '\0')
        return "neither key nor value may be empty";
    if (strlen(key) > LONGEST_KEY || strlen(value) > LONGEST_VALUE)
        return "keys and values have 255 characters at most";
    forget(info);
    for (size_t i = 0; i < info->count; i++)
        if (strcmp(info->pairs[i].key, key) == 0) {
            free(info->pairs[i].value);
            info->pairs[i].value = memory_text(value);
            return NULL;
        }
    if (info->count == MOST_PAIRS)
        return "an info object has 1000 keys at most";
    info->pairs = memory_resize(info->pairs, (info->count + 1) * sizeof *info->pairs);
    info->pairs[info->count++] = (struct pair){memory_text(key), memory_text(value)};
    return NULL;
}

struct info *info_copy(const struct info *info)
{
    struct info *copy = info->null ? info_null() : info_create();

    for (size_t i = 0; i < info->count; i++)
        info_set(copy, info->pairs[i].key, info->pairs[i].value);
    return copy;
}

const char *info_text(struct info *info)
{
    size_t bytes;
    FILE *stream;

    if (info->text)
        return info->text;
    stream = memory_stream(&info->text, &bytes);
    fputs(info->null ? "MPI_INFO_NULL" : "{", stream);
    for (size_t i = 0; i < info->count; i++)
        fprintf(stream, "%s%s=%s", i > 0 ? "," : "", info->pairs[i].key, info->pairs[i].value);
    fputs(info->null ? "" : "}", stream);
    if (fclose(stream) != 0)
        memory_missing();
    return info->text;
}

#if SKAMPI_MPI

const void *info_handle(struct info *info)
{
    static const MPI_Info *null;
    static MPI_Info nothing;
    MPI_Info *made;

    if (!null) {
        nothing = MPI_INFO_NULL;
        null = &nothing;
    }
    if (info->null)
        return null;
    if (info->handle)
        return info->handle;
    info->handle = made = memory_allocate(sizeof *made);
    MPI_Info_create(made);
    for (size_t i = 0; i < info->count; i++)
        MPI_Info_set(*made, info->pairs[i].key, info->pairs[i].value);
    return made;
}

#else

const void *info_handle(struct info *info)
{
    (void)info;
    return NULL;
}

#endif
