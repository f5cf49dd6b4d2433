/*
 * Numbers things in the order in which they are first seen: routines of all files by name, sets of
 * PEs, pairs. Grows with what is put in; memory that is not there ends the program.
 */
#ifndef SKAMPI_BASE_TABLE_H
#define SKAMPI_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct table_entry {
    uint64_t hash;
    size_t key, size; /* the key, in keys */
};

struct table {
    struct table_entry *entries;
    size_t count, room;
    size_t *slots; /* 1 + number of an entry; 0: free */
    size_t slot_count;
    char *keys;
    size_t key_bytes, key_room;
    void *values; /* an array with one for each key, if table_value() is used */
    size_t value_room;
};

/* The number of the key; count has grown by one if it is new. */
size_t table_number(struct table *, const void *key, size_t size);
static inline size_t table_text(struct table *table, const char *text)
{
    return table_number(table, text, strlen(text) + 1);
}
/* The value of a key, zeros if that is new; all values of a table have one size. Valid until the
 * next new key. */
void *table_value(struct table *, const void *key, size_t size, size_t value_size);
/* Valid until the next new key. Texts are put in with their final zero. */
const void *table_key(const struct table *, size_t number);
void table_clear(struct table *); /* empty, but the memory is kept */
void table_free(struct table *);

#endif
