/*
 * Hashes and checksums of bytes.
 *
 * FNV-1a, 64 bits (Fowler, Noll & Vo): equal bytes have equal hashes, other bytes hardly ever. For
 * tables, and to compare what PEs have; it does not withstand anybody who wants a collision. Any
 * thread.
 *
 * CRC32C (Castagnoli; RFC 3720, B.4), by the processor's own instruction where it has one: about
 * 1 ns for a traced event. Safe in signal handlers.
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

/* The checksum of the bytes; `before` is the checksum of the bytes that precede them (0: none). */
uint32_t hash_crc32c(uint32_t before, const void *data, size_t bytes);

/* hash_crc32c() without the processor's instruction; for tests. */
uint32_t hash_crc32c_portable(uint32_t before, const void *data, size_t bytes);

#endif
