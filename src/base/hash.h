/*
 * FNV-1a, 64 bits (Fowler, Noll & Vo): equal bytes have equal hashes, other bytes hardly ever. For
 * tables, and to compare what PEs have; it does not withstand anybody who wants a collision. Any
 * thread.
 */
#ifndef SKAMPI_BASE_HASH_H
#define SKAMPI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define HASH_EMPTY UINT64_C(0xcbf29ce484222325)

/* The hash of the bytes; `before` is the hash of the bytes that precede them, or HASH_EMPTY. */
uint64_t hash_bytes(uint64_t before, const void *bytes, size_t count);

/* The hash of a text without its final zero. */
uint64_t hash_text(const char *text);

#endif
