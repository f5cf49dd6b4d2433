/*
 * The members of a set as ranges.
 */
#include "engine/members.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* Sets with more text than this are not listed in results. */
#define LONGEST_MEMBERS 4096

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
    return NULL;
}
