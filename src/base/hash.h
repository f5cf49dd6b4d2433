/*
 * FNV-1a, 64 bits (Fowler, Noll & Vo): a number that is the same for equal bytes, and hardly for
 * others. For tables, and to compare what PEs have; no protection from anybody who wants a
 * collision. Any thread.
 */
#ifndef SKAMPI_BASE_HASH_H
#define SKAMPI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define HASH_EMPTY UINT64_C(0xcbf29ce484222325)

/* Continues the hash of what is before these bytes; begin with HASH_EMPTY. */
uint64_t hash_bytes(uint64_t before, const void *bytes, size_t count);

/* Of a text without its final zero. */
uint64_t hash_text(const char *text);

#endif
