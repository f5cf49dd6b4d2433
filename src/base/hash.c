/* FNV-1a. */
#include "base/hash.h"

#include <string.h>

#define PRIME UINT64_C(0x100000001b3)

uint64_t hash_bytes(uint64_t before, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < count; i++)
        before = (before ^ byte[i]) * PRIME;
    return before;
}

uint64_t hash_text(const char *text)
{
    return hash_bytes(HASH_EMPTY, text, strlen(text));
}
