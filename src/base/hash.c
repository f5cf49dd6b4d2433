/* FNV-1a; CRC32C by the processor's instruction or by a table. */
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

/* Four bits at a time: small enough to be made at once, and constant. */
static const uint32_t nibbles[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t hash_crc32c_portable(uint32_t before, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    uint32_t crc = ~before;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t before, const void *data,
                                                                 size_t bytes)
{
    const unsigned char *byte = data;
    uint64_t crc = ~before;
    for (; bytes >= 8; bytes -= 8, byte += 8) {
        uint64_t word;
        memcpy(&word, byte, 8);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    for (; bytes > 0; bytes--)
        crc = __builtin_ia32_crc32qi((uint32_t)crc, *byte++);
    return ~(uint32_t)crc;
}

uint32_t hash_crc32c(uint32_t before, const void *data, size_t bytes)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(before, data, bytes)
                                            : hash_crc32c_portable(before, data, bytes);
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

uint32_t hash_crc32c(uint32_t before, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    uint32_t crc = ~before;
    for (; bytes >= 8; bytes -= 8, byte += 8) {
        uint64_t word;
        memcpy(&word, byte, 8);
        crc = __crc32cd(crc, word);
    }
    for (; bytes > 0; bytes--)
        crc = __crc32cb(crc, *byte++);
    return ~crc;
}
#else
uint32_t hash_crc32c(uint32_t before, const void *data, size_t bytes)
{
    return hash_crc32c_portable(before, data, bytes);
}
#endif
