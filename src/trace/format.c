/* Checksums of the parts of a trace file, and what can be wrong with a block. */
#include "trace/format.h"

#include <stddef.h>

#include "base/checksum.h"

uint32_t format_head_checksum(const struct format_head *head, const void *description)
{
    size_t covered = sizeof head->version + sizeof head->description_bytes;
    return checksum(checksum(0, &head->version, covered), description, head->description_bytes);
}

uint32_t format_ending_checksum(const unsigned char bytes[FORMAT_ENDING_BYTES])
{
    size_t before = sizeof(uint32_t);
    return checksum(0, bytes + before, FORMAT_ENDING_BYTES - before);
}

uint32_t format_block_checksum(const struct block_head *head, const void *payload)
{
    size_t before = offsetof(struct block_head, bytes);
    uint32_t sum = checksum(0, (const char *)head + before, sizeof *head - before);
    return checksum(sum, payload, head->bytes);
}

const char *format_block_problem(const struct block_head *head, int64_t rest, const void *payload)
{
    int64_t bytes = (int64_t)sizeof *head;
    if (rest < bytes)
        return "the file ends within the head of a block";
    if (head->magic != BLOCK_MAGIC || head->bytes > BLOCK_MOST_BYTES ||
        head->records > head->bytes || head->thread >= THREADS_MOST)
        return "no block begins there";
    if (rest < bytes + head->bytes)
        return "the file ends within a block";
    return !payload || format_block_checksum(head, payload) == head->checksum
               ? NULL
               : "the checksum of a block is wrong";
}
