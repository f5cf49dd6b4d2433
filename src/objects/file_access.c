/* The table of ways to access data of files. */
#include "objects/file_access.h"

static const struct {
    int access;
    const char *read, *write;
} ways[] = {
    {0x111, "read_at", "write_at"},
    {0x112, "read", "write"},
    {0x114, "read_shared", "write_shared"},
    {0x121, "iread_at", "iwrite_at"},
    {0x122, "iread", "iwrite"},
    {0x124, "iread_shared", "iwrite_shared"},
    {0x211, "read_at_all", "write_at_all"},
    {0x212, "read_all", "write_all"},
    {0x214, "read_ordered", "write_ordered"},
    {0x221, "read_at_all_begin", "write_at_all_begin"},
    {0x222, "read_all_begin", "write_all_begin"},
    {0x224, "read_ordered_begin", "write_ordered_begin"},
};

int file_access_at(size_t i)
{
    return i < sizeof ways / sizeof *ways ? ways[i].access : 0;
}

const char *file_access_routine(int64_t access, bool writes)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].access == access)
            return writes ? ways[i].write : ways[i].read;
    return NULL;
}
