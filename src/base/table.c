/* A hash table that numbers its keys, which are kept one after the other. */
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

static size_t *slot_of(const struct table *table, uint64_t hash, const void *key, size_t size)
{
    size_t i = hash & (table->slot_count - 1);
    for (; table->slots[i]; i = (i + 1) & (table->slot_count - 1)) {
        const struct table_entry *entry = &table->entries[table->slots[i] - 1];
        if (entry->hash == hash && entry->size == size &&
            memcmp(table->keys + entry->key, key, size) == 0)
            break;
    }
    return &table->slots[i];
}

static void grow(struct table *table)
{
    table->slot_count = table->slot_count ? 2 * table->slot_count : 64;
    table->slots = memory_resize(table->slots, table->slot_count * sizeof *table->slots);
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    for (size_t i = 0; i < table->count; i++) {
        const struct table_entry *entry = &table->entries[i];
        *slot_of(table, entry->hash, table->keys + entry->key, entry->size) = i + 1;
    }
}

size_t table_number(struct table *table, const void *key, size_t size)
{
    if (2 * table->count >= table->slot_count)
        grow(table);
    uint64_t hash = hash_bytes(HASH_EMPTY, key, size);
    size_t *slot = slot_of(table, hash, key, size);
    if (*slot)
        return *slot - 1;
    if (table->count == table->room) {
        table->room = 2 * table->room + 16;
        table->entries = memory_resize(table->entries, table->room * sizeof *table->entries);
    }
    if (table->key_bytes + size > table->key_room) {
        table->key_room = 2 * table->key_room + size + 256;
        table->keys = memory_resize(table->keys, table->key_room);
    }
    memcpy(table->keys + table->key_bytes, key, size);
    table->entries[table->count] = (struct table_entry){hash, table->key_bytes, size};
    table->key_bytes += size;
    *slot = ++table->count;
    return table->count - 1;
}

void *table_value(struct table *table, const void *key, size_t size, size_t value_size)
{
    size_t before = table->count, number = table_number(table, key, size);
    if (table->count > table->value_room) {
        table->value_room = 2 * table->value_room + 4;
        table->values = memory_resize(table->values, table->value_room * value_size);
    }
    void *value = (char *)table->values + number * value_size;
    return number == before ? memset(value, 0, value_size) : value;
}

const void *table_key(const struct table *table, size_t number)
{
    return table->keys + table->entries[number].key;
}

void table_clear(struct table *table)
{
    if (table->slots)
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->count = table->key_bytes = 0;
}

void table_free(struct table *table)
{
    free(table->entries);
    free(table->slots);
    free(table->keys);
    free(table->values);
    *table = (struct table){0};
}
