/*
 * The members of a set as ranges.
 */
#include "engine/members.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* Sets with more text than this are not listed in results. */
#define LONGEST_MEMBERS 4096

/* What tells a long set from others of the same size. */
static char *short_text(const struct pe_set *set)
{
    int size = pe_set_size(set);
    uint64_t hash = HASH_EMPTY;
    for (int rank = 0; rank < size; rank++) {
        int pe = pe_set_member(set, rank);
        hash = hash_bytes(hash, &pe, sizeof pe);
    }
    return text_format("%d,...,%d #%016llx", pe_set_member(set, 0), pe_set_member(set, size - 1),
                       (unsigned long long)hash);
}

char *members_text(const struct pe_set *set)
{
    char *text;
    size_t length;
    FILE *stream = memory_stream(&text, &length);
    int size = pe_set_size(set);
    for (int rank = 0, last; rank < size && ftell(stream) <= LONGEST_MEMBERS; rank = last + 1) {
        int first = pe_set_member(set, rank);
        last = rank;
        while (last + 1 < size && pe_set_member(set, last + 1) == first + last + 1 - rank)
            last++;
        fprintf(stream, last > rank ? "%s%d-%d" : "%s%d", rank > 0 ? "," : "", first,
                first + last - rank);
    }
    if (fclose(stream) != 0)
        memory_missing();
    if (length <= LONGEST_MEMBERS)
        return text;
    free(text);
    return short_text(set);
}
